"""Which mistake the matrices of a head show: changed in one way, they would be right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regard.checking.matrices import Float64
from regard.kinds.self_attention.instance import Instance, instance_of
from regard.kinds.self_attention.reading.heads import (
    Asked,
    Change,
    Head,
    error_of,
    errors,
    family,
    weights_of,
    worst,
)
from regard.problems.tokens import read_label

DRAWN = 5  # frames, beside the axes, on which a misconception has to show
_LONGER = (10.0, 100.0, 1e3, 1e4)
NO_ADVICE = 1.05  # times as long is as good as nothing


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer, and what it does.

    Attributes:
        asked: the problem, and the matrices of the answer.
        possible: whether there are matrices that do what is asked; None: not decided.
    """

    asked: Asked
    possible: bool | None

    @cached_property
    def heads(self) -> list[tuple[Instance, Head]]:
        """The head on the instance of the problem, and on drawn ones if it is a formula."""
        asked = self.asked
        frames = [None] if asked.in_coordinates else [None, *range(DRAWN)]
        instances = [at for seed in frames for at in family(asked, seed)]
        return [(at, asked.head(at, factor)) for at in instances for factor in asked.factors]

    def right_after(self, change: Change) -> bool:
        """Whether the head, changed in this way, is right wherever it is tried."""
        return _right_after(self.asked, self.heads, change)

    @cached_property
    def rescaled(self) -> bool:
        """Whether it is right with values multiplied by the factor that fits best."""
        return self.right_after(_rescaled(self.asked))

    @cached_property
    def by_weights(self) -> str | None:
        """The tag for where the head looks, or for what it finds there."""
        return _by_weights(self.asked)


def is_finite(asked: Asked) -> bool:
    """Whether the matrices, and the scores that they give, are finite."""
    at = instance_of(asked.problem)
    head = asked.head(at, 10.0)
    given = [head.K, head.Q] if head.V is None else [head.K, head.Q, head.V]
    with np.errstate(all="ignore"):
        scores = (at.tokens @ head.Q.T) @ (at.tokens @ head.K.T).T
    return all(bool(np.all(np.isfinite(one))) for one in (*given, scores))


def _right_after(asked: Asked, cases: list[tuple[Instance, Head]], change: Change) -> bool:
    """Whether the head, changed in this way, is right in all cases."""
    return all(
        worst(errors(asked, at, change(head, at)).values()) <= asked.tolerance for at, head in cases
    )


def growth(asked: Asked) -> float | None:
    """Return by how much longer queries would be right, or None where that does not help."""
    cases = [(at, asked.head(at, factor)) for at in family(asked) for factor in asked.factors]
    if not _right_after(asked, cases, _times(1e4)):
        return None
    sizes = np.geomspace(1.0, 1e4, 60)[1:]
    found = next(float(s) for s in sizes if _right_after(asked, cases, _times(float(s))))
    return found if found > NO_ADVICE else None


def _times(size: float) -> Change:
    return lambda head, _: replace(head, Q=size * head.Q)


def _values_over(power: int) -> Change:
    return lambda head, at: head if head.V is None else replace(head, V=head.V / at.norm**power)


def _queries_over(power: int) -> Change:
    return lambda head, at: replace(head, Q=head.Q / at.norm**power)


def _square(head: Head) -> bool:
    d = head.K.shape[1]
    return head.V is not None and head.K.shape == head.V.shape == (d, d)


def transposed(head: Head, _: Instance) -> Head:
    """Return square matrices transposed; any others as they are."""
    if not _square(head) or head.V is None:
        return head
    return Head(head.K.T, head.Q.T, head.V.T)


def keys_and_values(head: Head, _: Instance) -> Head:
    """Return the head with K and V exchanged, where both are square."""
    if not _square(head) or head.V is None:
        return head
    return Head(head.V, head.Q, head.K)


def queries_and_values(head: Head, _: Instance) -> Head:
    """Return the head with Q and V exchanged, where both are square."""
    if not _square(head) or head.V is None:
        return head
    return Head(head.K, head.V, head.Q)


def _rescaled(asked: Asked) -> Change:
    """Return the change that multiplies the values by the factor that fits best."""

    def change(head: Head, at: Instance) -> Head:
        outputs = at.outputs
        if head.V is None or not outputs:
            return head
        with np.errstate(all="ignore"):
            rows = list(outputs)
            made = (weights_of(asked, at, head) @ (at.tokens @ head.V.T))[rows]
            factor = float(np.sum(made * np.array(list(outputs.values()))) / np.sum(made * made))
        return replace(head, V=factor * head.V) if np.isfinite(factor) and factor > 0 else head

    return change


def right_at_one_length(asked: Asked) -> bool:
    """The answer is right for the number in the problem, in every frame, and not beyond."""
    if not asked.problem.given.limits or asked.in_coordinates or asked.free:
        return False
    frames = [instance_of(asked.problem, seed=seed) for seed in (None, *range(DRAWN))]
    return all(error_of(asked, [at]) <= asked.tolerance for at in frames)


def _by_weights(asked: Asked) -> str | None:
    """Return the tag for where the head looks, or for what it finds there."""
    at = family(asked)[-1]
    head = asked.head(at, asked.factors[-1])
    weights = weights_of(asked, at, head)
    found = errors(asked, at, head)
    outputs = at.outputs
    failing = [
        read_label(label)[1] for label, error in found.items() if not error <= asked.tolerance
    ]
    targets = _targets(asked, at, head)
    if targets is not None:
        missed = [row for row in failing if weights[row, targets[row]] < 0.9]
        if any(weights[row, row] > 0.9 for row in missed):
            return "attends-to-itself"
        if any(np.ptp(weights[row]) < 1e-6 for row in missed):
            return "same-score-for-all"
        return "looks-at-the-wrong-token" if missed else None
    if (
        outputs
        and all(np.max(weights[row]) > 0.9 for row in outputs)
        and _with_other_values(asked, at, head, weights, outputs)
    ):
        return "wrong-values"
    if failing and len(failing) < len(found):
        return "one-row-only"
    return None


def _targets(asked: Asked, at: Instance, head: Head) -> dict[int, int] | None:
    """Return the token each row would have to look at, if the values are what they should be."""
    targets = {row: int(np.argmax(there)) for row, there in at.attend.items()}
    if any(np.max(there) < 0.9 for there in at.attend.values()):
        return None
    if head.V is None:
        return targets
    values = at.tokens @ head.V.T
    for row, vector in at.outputs.items():
        away = np.linalg.norm(values - vector, axis=1)
        if np.min(away) > asked.tolerance * at.growth:
            return None
        targets[row] = int(np.argmin(away))
    return targets


def _with_other_values(
    asked: Asked, at: Instance, head: Head, weights: Float64, outputs: dict[int, Float64]
) -> bool:
    """Whether another V, with these weights, gives the outputs that are wanted."""
    rows = list(outputs)
    mixed = weights[rows] @ at.tokens
    V = (np.linalg.pinv(mixed) @ np.array(list(outputs.values()))).T
    return worst(errors(asked, at, replace(head, V=V)).values()) <= asked.tolerance


def exchanged_alike(case: Case) -> bool:
    """Whether matrices that are multiples of I changed places, which is a factor as well."""
    exchanged = case.right_after(keys_and_values) or case.right_after(queries_and_values)
    return exchanged and case.rescaled


def right_in_one_frame(case: Case) -> bool:
    """Whether the answer is right along the axes."""
    asked = case.asked
    along = [(at, asked.head(at, C)) for at in family(asked) for C in asked.factors]
    return _right_after(asked, along, lambda head, _: head)


def too_short(case: Case) -> bool:
    """Longer is better, and not one length that happens to fit: twice as long does as well."""
    return any(
        all(case.right_after(_times(times)) for times in (size, 2 * size)) for size in _LONGER
    )


def undivided(case: Case) -> bool:
    """Whether values or queries divided by a power of the length would be right."""
    over = (_values_over(2), _values_over(1), _queries_over(2), _queries_over(4))
    return any(case.right_after(change) for change in over)


def turned(head: Head, _: Instance) -> Head:
    """Return the head with keys and queries exchanged."""
    return replace(head, K=head.Q, Q=head.K)


def negated(head: Head, _: Instance) -> Head:
    """Return the head with scores of the other sign."""
    return replace(head, Q=-head.Q)
