"""Whether a condition is right: on all instances it is tried on, as far as that is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from regard.checking.condition.keys import key_instances
from regard.checking.condition.reading import Asked, Instance
from regard.checking.condition.scores import enough, leading_scores, score_instances
from regard.checking.sampling import softmax

DIGITS = 1e-3  # relative: by how much an exact condition may ask for more


def drawn(asked: Asked) -> list[Instance]:
    """Return all instances that a condition is tried on."""
    return list(key_instances(asked) if asked.about_keys else score_instances(asked))


def is_sure(asked: Asked, one: Instance, holds: bool) -> bool:
    """Whether it is no matter of rounding that a condition holds, or does not.

    What cannot be decided is not a number, and so does not hold; but for ties.
    """
    sure = asked.surely(one)
    return not one.tie if sure is None else sure == holds


def too_strong(asked: Asked, one: Instance) -> bool:
    """Whether the effect is there by more than three digits of what it takes."""
    if asked.about_keys:
        return one.margin > DIGITS
    return one.margin > DIGITS * max(1.0, abs(enough(asked, one.n, one.epsilon, one.ratio)))


def surely_holds(asked: Asked, one: Instance) -> bool:
    """Whether it holds, and not because a weight or a sum was rounded: what is too close is not."""
    if (
        any(name.startswith("alpha") for name in asked.names)
        and float(softmax(one.scores)[0]) >= 1.0
    ):
        return False
    return asked.holds(one) and asked.surely(one) is True


def meets(asked: Asked) -> bool:
    """Whether a condition holds on some instance with a lead, large or small."""
    return not asked.about_keys and any(surely_holds(asked, one) for one in leading_scores(asked))


def is_right(asked: Asked, instances: Iterable[Instance] | None = None) -> bool:
    """Whether a condition is what is asked for: sufficient, met somewhere, and exact if need be."""
    exact, met = asked.problem.goal.exact, False
    for one in drawn(asked) if instances is None else instances:
        holds = asked.holds(one)
        met = met or (holds and surely_holds(asked, one))
        if holds and not one.effect and is_sure(asked, one, holds):
            return False
        missed = exact and one.effect and not holds and too_strong(asked, one)
        if missed and is_sure(asked, one, holds):
            return False
    return met or meets(asked)
