"""Whether a condition is right: on all instances it is tried on, as far as that is asked for.

An open C in it has to do for every C that is large enough, however it grows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from regard.checking.factors.open_factor import largest, up_to
from regard.checking.sampling import softmax
from regard.kinds.condition.instance import Instance, first_and_rest, level_of
from regard.kinds.condition.instance.keys import key_instances
from regard.kinds.condition.instance.scores import leading_scores, score_instances
from regard.kinds.condition.reading import Asked
from regard.kinds.condition.reading.digits import literals

DIGITS = 1e-3  # relative: by how much an exact condition may ask for more
LADDER = tuple(float(10.0**k) for k in (0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 300))
OF_KEYS = LADDER[:7]
# With one of these leads it has to hold for sure; what exp(-1e12) leaves is too little to see.
LEADS = (1e12, 1e3, 100.0)
ORDINARY = 100.0
FINE = 6  # steps between two rungs, to tell from which C on it does


def drawn(asked: Asked) -> list[Instance]:
    """Return all instances that a condition is tried on."""
    if asked.about_keys:
        return list(key_instances(asked.problem))
    varied = asked.names | (asked.left_open & {"n"})
    return list(score_instances(asked.problem, varied, literals(asked)))


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
    needed = level_of(asked.problem, one.epsilon, one.ratio).enough(one.n)
    return one.margin > DIGITS * max(1.0, abs(needed))


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
    leading = leading_scores(asked.problem, literals(asked))
    return not asked.about_keys and any(surely_holds(asked, one) for one in leading)


def is_right(
    asked: Asked, instances: Iterable[Instance] | None = None, *, sufficient_only: bool = False
) -> bool:
    """Whether a condition is what is asked for: sufficient, met somewhere, and exact if need be."""
    exact, met = asked.problem.goal.exact and not sufficient_only, False
    for one in drawn(asked) if instances is None else instances:
        holds = asked.holds(one)
        met = met or (holds and surely_holds(asked, one))
        if holds and not one.effect and is_sure(asked, one, holds):
            return False
        missed = exact and one.effect and not holds and too_strong(asked, one)
        if missed and is_sure(asked, one, holds):
            return False
    return met or meets(asked)


def asked_gap(asked: Asked) -> float | None:
    """Return from which gap on the condition holds where all others score 0, or None."""
    n, level = asked.problem.given.n, level_of(asked.problem)

    def holds(gap: float) -> bool:
        return asked.holds(level.instance(first_and_rest(gap, 0.0, n)))

    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, 2 * high
        if high > 1e15:
            return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def is_gap(asked: Asked, gap: float) -> bool:
    """Whether it asks for this gap wherever the scores are, and not for a score of that size."""
    n, level = asked.problem.given.n, level_of(asked.problem)

    def holds(lead: float, height: float) -> bool:
        return asked.holds(level.instance(first_and_rest(height + lead, height, n)))

    step = 1e-3 * max(1.0, abs(gap))
    heights = (0.0, 50 + 3 * step, -50 - 3 * step)
    return all(holds(gap + step, x) and not holds(gap - step, x) for x in heights)


def with_factor(asked: Asked) -> tuple[Asked, float | None]:
    """Return the condition with a number for an open C, and from which C on it is right, or None.

    Where it is right for every large C that it can be met with, the number is the smallest of
    those; otherwise it is one for which it is wrong. The ladder ends where gaps pass 1e12.
    """
    if asked.factor is None:
        return asked, None
    options = [replace(asked, factor=C) for C in _ladder(asked)]
    if not is_right(_plain(options[-1])):
        # Shown with an ordinary number, if it is wrong with that as well.
        ordinary = next((one for one in options if one.factor == ORDINARY), options[-1])
        return (options[-1] if is_right(_plain(ordinary)) else ordinary), None
    low, high = -1, len(options) - 1  # wrong at low, or below the first; right from high on
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_right(_plain(options[middle])) else (middle, high)
    if low < 0:
        return options[0], options[0].factor
    chosen = options[high]
    start, end = float(options[low].factor or 1.0), float(chosen.factor or 1.0)
    between = np.geomspace(start, end, FINE + 2)[1:-1].tolist() if np.isfinite(end) else []
    for C in between[::-1]:
        option = replace(asked, factor=C)
        if not is_right(_plain(option)):
            break
        chosen = option
    return chosen, chosen.factor


def _ladder(asked: Asked) -> list[float]:
    """Return factors to try, with which a lead can be large enough, from the smallest."""
    if asked.about_keys:
        return list(OF_KEYS)
    n, level = asked.problem.given.n, level_of(asked.problem)
    ahead = [level.instance(first_and_rest(lead, 0.0, n)) for lead in LEADS]

    def gap(C: float) -> float:
        one = replace(asked, factor=C)
        return 0.0 if any(one.holds(at) and one.surely(at) for at in ahead) else np.inf

    last = largest(gap, 1.0, 1)
    if not last:
        return [LADDER[0]]
    below = up_to(last[0])
    steps = [C for C in LADDER if last[0] > C] + [C for C in below[:-1] if not np.isfinite(C)][::5]
    return [*steps, last[0]]


def _plain(asked: Asked) -> Asked:
    """The attempt with sufficiency alone in question: an open C is no exact number."""
    goal = asked.problem.goal.model_copy(update={"exact": False})
    return replace(asked, problem=asked.problem.model_copy(update={"goal": goal}))
