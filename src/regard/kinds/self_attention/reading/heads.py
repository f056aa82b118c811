"""Heads out of answers, and what they do with tokens.

K, Q and V act on columns, k = K x; W_K, W_Q and W_V act on rows, and are their transposes.
Where the problem has a limit, such as beta -> inf, an answer is right if it is for every large
enough beta, with errors measured against the length of the basis vectors as they grow; the same
holds of a factor C that the answer leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.attempt import Attempt
from regard.checking.factors.factor_bounds import Bounds
from regard.checking.factors.open_factor import FACTOR
from regard.checking.factors.stated_factor import said_of_factor
from regard.checking.matrices import Float64, in_coordinates, matrix, shape_words, with_own_names
from regard.checking.sampling import softmax
from regard.errors import InvalidAnswer
from regard.kinds.self_attention.instance import FAR, Instance, instance_of
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import Formula
from regard.problems.tokens import token_label

FARTHER = (64.0, 512.0, 1e4)  # and beyond, for what is right only there
MOST_SCORE = 1e10  # beyond this, equal scores may differ by rounding
LARGEST_SCORE = 1e15  # beyond this, float64 tells no two scores apart


@dataclass(frozen=True, eq=False)
class Head:
    """Matrices that act on columns; V is None where no output is asked for."""

    K: Float64
    Q: Float64
    V: Float64 | None


Change = Callable[[Head, Instance], Head]


@dataclass(frozen=True, eq=False)
class Asked(Attempt[SelfAttentionProblem]):
    """A problem and the matrices of an answer.

    Attributes:
        fields: the names of the matrices, such as K or W_K, by what they are for.
        own: the names that the answer declares beside them.
        free: whether the factor C is left open, or within bounds.
        flipped: read matrices on rows as matrices on columns, and the other way round.
        bounds: of C.
    """

    fields: dict[str, str]
    own: tuple[str, ...]
    free: bool
    flipped: bool = False
    bounds: Bounds | None = None

    @property
    def tolerance(self) -> float:
        """How far off outputs and weights may be."""
        return self.problem.goal.tolerance

    @property
    def in_coordinates(self) -> bool:
        """Whether the answer is made of numbers: coordinates along the basis vectors."""
        fields = [self.answer.fields[n] for n in (*self.fields.values(), *self.own)]
        return in_coordinates(fields, self.problem.given.vectors)

    @cached_property
    def times(self) -> tuple[float, ...]:
        """How near to the limits of the problem the answer is tried: from where it is right on."""
        if not self.problem.given.limits:
            return (1.0,)
        steps = [*FAR, *(one for one in FARTHER if self._scores_at(one) <= MOST_SCORE)]
        right = [worst(self._errors_at(one)) <= self.tolerance for one in steps]
        first = len(steps)
        while first and right[first - 1]:
            first -= 1
        if first > len(steps) - 2:  # not right, or at a single step only
            return FAR
        return tuple(steps[max(0, min(first, len(steps) - 2)) :])

    @cached_property
    def factors(self) -> tuple[float, ...]:
        """The factors C that the answer is tried with: some of the largest that scores allow."""
        if not self.free:
            return (1.0,)
        from regard.kinds.self_attention.reading.factors import factors_to_try

        return factors_to_try(self)

    @cached_property
    def apart(self) -> dict[str, tuple[float, ...]]:
        """The factors of things asked for that are right in rows that grow later than others."""
        from regard.kinds.self_attention.reading.factors import factors_of_late_rows

        return factors_of_late_rows(self)

    def factors_of(self, label: str) -> tuple[float, ...]:
        """Those that one thing asked for is tried with."""
        return self.apart.get(label, self.factors)

    def _scores_at(self, times: float) -> float:
        at = instance_of(self.problem, times)
        return max(largest_score(self, at, self.head(at, C)) for C in self.factors)

    def _errors_at(self, times: float) -> list[float]:
        at = instance_of(self.problem, times)
        found = (errors(self, at, self.head(at, C)).values() for C in self.factors)
        return [error for each in found for error in each]

    def head(self, at: Instance, factor: float = 1.0) -> Head:
        """Return the matrices on an instance; InvalidAnswer where they do not fit."""
        names: dict[str, Any] = dict(at.symbols)
        if self.free:
            names[FACTOR] = factor
        names = with_own_names(self.answer, self.own, names)
        d = at.tokens.shape[1]
        found = {}
        for role, name in self.fields.items():
            one = matrix(name, self.answer.fields[name], names, d)
            on_rows = name.startswith("W_") != self.flipped
            if on_rows and one.ndim == 1:
                one = one[:, None]
            if on_rows and one.ndim == 2:
                one = one.T
            if one.ndim != 2 or one.shape[1] != d:
                plain = matrix(name, self.answer.fields[name], names, d)
                raise InvalidAnswer(_misfit(name, plain, d))
            found[role] = one
        if found["K"].shape != found["Q"].shape:
            raise InvalidAnswer(
                f"answer: {self.fields['K']} and {self.fields['Q']} must be of one shape: keys "
                f"have {len(found['K'])} entries and queries {len(found['Q'])}."
            )
        V = found.get("V")
        if V is not None and self.problem.goal.outputs and len(V) != d:
            raise InvalidAnswer(
                f"answer: {self.fields['V']} must give outputs of {d} entries. It gives {len(V)}."
            )
        return Head(found["K"], found["Q"], V)


def _misfit(name: str, found: Float64, d: int) -> str:
    rule = "rows" if name.startswith("W_") else "columns"
    acts = "x W" if name.startswith("W_") else f"{name} x"
    return (
        f"answer: {name} must be a matrix with {d} {rule}, for {acts} with a token x of {d} "
        f"entries. It is {shape_words(found)}."
    )


def read(problem: SelfAttentionProblem, answer: Answer) -> Asked:
    """Return the matrices of an answer; InvalidAnswer where one is missing or given twice."""
    answer, bounds = said_of_factor(answer)
    fields = {}
    for role in ("K", "Q", "V"):
        if answer.has(role) and answer.has(f"W_{role}"):
            raise InvalidAnswer(f"answer: give either {role} or W_{role}, and not both.")
        if answer.has(f"W_{role}"):
            fields[role] = f"W_{role}"
        elif answer.has(role) or role != "V" or problem.goal.outputs:
            answer.need(role)
            fields[role] = role
    own = tuple(name for name in answer.fields if name not in fields.values())
    formulas = [field for field in answer.fields.values() if isinstance(field, Formula)]
    used = {name for formula in formulas for name in formula.names}
    declared = {*own, *problem.given.known}
    free = FACTOR in used and FACTOR not in declared
    return Asked(problem, answer, fields, own, free, bounds=bounds)


def weights_of(asked: Asked, at: Instance, head: Head) -> Float64:
    """Return the weights (n, n): row i says where token i looks."""
    with np.errstate(all="ignore"):
        queries, keys = at.tokens @ head.Q.T, at.tokens @ head.K.T
        scores = asked.problem.given.scale * (queries @ keys.T)
        return softmax(scores)


def largest_score(asked: Asked, at: Instance, head: Head, row: int | None = None) -> float:
    """Return the largest score in size, of a row or of all; infinity where one is not finite."""
    with np.errstate(all="ignore"):
        scores = asked.problem.given.scale * ((at.tokens @ head.Q.T) @ (at.tokens @ head.K.T).T)
    scores = scores if row is None else scores[row]
    return float(np.max(np.abs(scores))) if np.all(np.isfinite(scores)) else float("inf")


def errors(asked: Asked, at: Instance, head: Head) -> dict[str, float]:
    """Return the error of each thing asked for, by its label; NaN where it is not finite.

    Of outputs it is a length, in proportion to that of the basis vectors.
    """
    found = {}
    with np.errstate(all="ignore"):
        weights = weights_of(asked, at, head)
        for row, vector in at.outputs.items():
            assert head.V is not None
            off = weights[row] @ (at.tokens @ head.V.T) - vector
            found[token_label(row, "c")] = float(np.linalg.norm(off)) / at.growth
        for row, there in at.attend.items():
            found[token_label(row)] = float(np.max(np.abs(weights[row] - there)))
    return found


def family(asked: Asked, seed: int | None = None, d: int | None = None) -> list[Instance]:
    """Return one frame at the steps towards the limits that the answer is tried on."""
    return [instance_of(asked.problem, times, seed, d) for times in asked.times]


def error_of(asked: Asked, instances: list[Instance], label: str | None = None) -> float:
    """Return the largest error on these instances, of one thing asked for or of all."""
    found = []
    for at in instances:
        for factor in asked.factors_of(label) if label else asked.factors:
            each = errors(asked, at, asked.head(at, factor))
            found.append(each[label] if label else worst(each.values()))
    return worst(found)


def worst(found: Iterable[float]) -> float:
    """Return the largest error; infinity where one is not finite."""
    values = np.array(list(found))
    return float(np.max(values)) if np.all(np.isfinite(values)) else float("inf")


def flipped(asked: Asked) -> Asked:
    """Return the same answer with every matrix read as its transpose."""
    return replace(asked, flipped=not asked.flipped)
