"""Would longer or shorter queries of the same direction be right, and by how much?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.kinds.query.judge.asked import LADDER, RESOLVED, Asked, Float64
from regard.kinds.query.judge.errors import (
    LARGEST_SCORE,
    errors_of,
    has_noise,
    open_factors,
    score_covariances,
)
from regard.problems.instances import KeyInstance

OPEN = 4  # so many of the largest factors that float64 resolves stand for all larger ones
BETWEEN = 7  # and so many between the last two, for what goes up and down
MODERATE = 1e6  # scores up to which rounding is nothing beside a tolerance
ROUNDED = 1e13  # times the tolerance: scores up to which it is less
STILL = 1e-3  # an error that falls by such a share from one factor to the next is not at its end
FINE = 60


def right_length(asked: Asked, instance: KeyInstance, *, longer: bool) -> float | None:
    """Return what queries would have to be multiplied by to be right, or None if nothing helps.

    Of the factors that an answer speaks of, it starts with the largest where shorter queries
    are looked for, and else with the smallest; an open one stands for the largest.
    """
    factors = asked.tried(instance)
    first = factors[-1] if asked.free or not longer else factors[0]
    queries = asked.evaluate(instance, (first,))[0]
    if not np.all(np.isfinite(queries)):
        return None
    scales = np.geomspace(1.0, 1e4, FINE) if longer else np.geomspace(1.0, 1e-12, 4 * FINE)
    if has_noise(instance):
        scales = _affordable(asked, instance, queries, longer)
    good = _good(asked, instance, queries, scales)
    if not len(good) or good[0] == 0:
        return None
    low, high = scales[good[0] - 1], scales[good[0]]  # wrong, right
    for _ in range(6 if has_noise(instance) else 24):
        middle = float(np.sqrt(low * high))
        if len(_good(asked, instance, queries, np.array([middle]))):
            high = middle
        else:
            low = middle
    return float(high)


def _good(
    asked: Asked, instance: KeyInstance, queries: Float64, scales: Float64
) -> NDArray[np.intp]:
    """Return which scales make the queries right."""
    with np.errstate(all="ignore"):
        many = scales[:, None, None] * queries
    return np.flatnonzero(errors_of(asked, instance, many) <= asked.tolerance)


def _affordable(asked: Asked, instance: KeyInstance, queries: Float64, longer: bool) -> Float64:
    """Return few scales, none of which makes the noise in a score very wide."""
    with np.errstate(all="ignore"):
        covariances = score_covariances(asked, instance, queries)
        width = float(np.sqrt(np.max(np.diagonal(covariances, axis1=1, axis2=2))))
    if not np.isfinite(width) or width == 0:
        return np.ones(1)
    most = 30.0 / width
    if longer:
        return np.geomspace(1.0, max(1.0, min(1e4, most)), 20)
    return np.concatenate([[1.0], np.geomspace(min(0.97, most), min(0.97, most) / 300, 24)])


def with_factors(asked: Asked, instance: KeyInstance) -> tuple[float, ...]:
    """Return the largest factors that an open one can be tried with.

    Where these are not large enough, it goes on up to the largest scores of which anything can be
    said: what ties is rounded there, but not everything has to tie.
    """
    seen = min(RESOLVED, ROUNDED * asked.tolerance)
    near, found = _last(asked, instance, min(MODERATE, seen)), _last(asked, instance, seen)
    if has_noise(instance):
        return found
    if _all_right(asked, instance, found):
        return near if _all_right(asked, instance, near) else found
    further = _last(asked, instance, LARGEST_SCORE)
    return further if _all_right(asked, instance, further) else found


def _last(asked: Asked, instance: KeyInstance, largest: float) -> tuple[float, ...]:
    found = open_factors(asked, instance, LADDER, largest)[-OPEN:] or list(LADDER[:1])
    if len(found) > 1 and not has_noise(instance):
        found[-1:-1] = np.linspace(found[-2], found[-1], BETWEEN + 2)[1:-1].tolist()
    return tuple(found)


def _all_right(asked: Asked, instance: KeyInstance, factors: tuple[float, ...]) -> bool:
    errors = errors_of(asked, instance, asked.evaluate(instance, factors))
    return bool(np.all(errors <= asked.tolerance))


def still_falling(asked: Asked, instance: KeyInstance) -> bool:
    """Whether an open factor is not right as far as float64 goes, and the error still falls."""
    if not asked.free or has_noise(instance):
        return False
    factors = tuple(open_factors(asked, instance, LADDER, LARGEST_SCORE)[-OPEN:])
    if len(factors) < OPEN:
        return False
    errors = errors_of(asked, instance, asked.evaluate(instance, factors))
    return bool(errors[-1] > asked.tolerance and np.all(np.diff(errors) < -STILL * errors[1:]))


def smallest_factor(asked: Asked, instance: KeyInstance) -> float | None:
    """Return the smallest open factor from which on the answer is right, or None."""
    ladder = [factor for factor in LADDER if factor <= asked.factors[-1]]
    errors = errors_of(asked, instance, asked.evaluate(instance, ladder))
    wrong = np.flatnonzero(~(errors <= asked.tolerance))
    if len(wrong) and wrong[-1] == len(ladder) - 1:
        return None
    high = ladder[wrong[-1] + 1] if len(wrong) else ladder[0]
    low = ladder[wrong[-1]] if len(wrong) else 0.0
    for _ in range(3):
        steps = np.linspace(low, high, 13)
        errors = errors_of(asked, instance, asked.evaluate(instance, steps[1:].tolist()))
        first = int(np.flatnonzero(errors <= asked.tolerance)[0])
        low, high = float(steps[first]), float(steps[first + 1])
    return high
