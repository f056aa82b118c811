"""Would longer or shorter queries of the same direction be right, and by how much?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regard.checking.factors.open_factor import largest, lower, spread, up_to
from regard.checking.sampling import generator
from regard.kinds.heads.instance import has_noise
from regard.kinds.heads.reading.goal import LARGEST_SCORE
from regard.kinds.heads.reading.queries import OPEN, RESOLVED, Candidate
from regard.problems.instances import Float64, KeyInstance

BETWEEN = 7  # factors between the last two, for what goes up and down
MODERATE = 1e6  # scores up to which rounding is nothing beside a tolerance
ROUNDED = 1e13  # times the tolerance: scores up to which it is less
STILL = 1e-3  # an error that falls by such a share from one factor to the next is not at its end
FINE = 60
UNIT, ROUNDINGS = 2.0**-51, 4  # by which a score may be rounded, of its terms; so many ways of it


def right_length(
    candidate: Candidate, instance: KeyInstance, *, longer: bool, sign: float = 1.0
) -> float | None:
    """Return what queries would have to be multiplied by to be right, or None if nothing helps.

    With a sign of -1, what queries of the opposite direction would have to be multiplied by.

    Of the factors that an answer speaks of, it starts with the largest where shorter queries
    are looked for, and else with the smallest; an open one stands for the largest.
    """
    factors = candidate.tried(instance)
    first = factors[-1] if candidate.free or not longer else factors[0]
    queries = sign * candidate.evaluate(instance, (first,))[0]
    if not np.all(np.isfinite(queries)):
        return None
    scales = np.geomspace(1.0, 1e4, FINE) if longer else np.geomspace(1.0, 1e-12, 4 * FINE)
    if has_noise(instance):
        scales = _affordable(candidate, instance, queries, longer)
    scores = candidate.scores(instance, queries)
    good = _good(candidate, instance, queries, scores, scales)
    if not len(good) or good[0] == 0:
        return None
    low, high = scales[good[0] - 1], scales[good[0]]  # wrong, right
    for _ in range(6 if has_noise(instance) else 24):
        middle = float(np.sqrt(low * high))
        if len(_good(candidate, instance, queries, scores, np.array([middle]))):
            high = middle
        else:
            low = middle
    return float(high)


def _good(
    candidate: Candidate,
    instance: KeyInstance,
    queries: Float64,
    scores: Float64,
    scales: Float64,
) -> NDArray[np.intp]:
    """Return which scales make queries (heads, d), whose scores are known, right."""
    with np.errstate(all="ignore"):
        many, theirs = (scales[:, None, None] * each for each in (queries, scores))
    errors = candidate.errors_of_scores(instance, many, theirs)
    return np.flatnonzero(errors <= candidate.tolerance)


def _affordable(
    candidate: Candidate, instance: KeyInstance, queries: Float64, longer: bool
) -> Float64:
    """Return few scales, none of which makes the noise in a score very wide."""
    with np.errstate(all="ignore"):
        width = candidate.score_width(instance, queries)
    if not np.isfinite(width) or width == 0:
        return np.ones(1)
    most = 30.0 / width
    if longer:
        return np.geomspace(1.0, max(1.0, min(1e4, most)), 20)
    return np.concatenate([[1.0], np.geomspace(min(0.97, most), min(0.97, most) / 300, 24)])


def opened(candidate: Candidate, instance: KeyInstance) -> Candidate:
    """Return the same with an open factor that is large enough for the keys of an instance."""
    if not candidate.free:
        return candidate
    plain = replace(candidate, most=())
    found = replace(plain, factors=_largest(plain, instance))
    if len(plain.queries) == 1 or has_noise(instance):
        return found
    if found.right(instance, found.evaluate(instance, found.factors)):
        return found
    apart = _head_by_head(plain, instance)
    return apart if apart.right(instance, apart.evaluate(instance, apart.factors)) else found


def _head_by_head(candidate: Candidate, instance: KeyInstance) -> Candidate:
    """Return the same with the largest factors of the head that grows latest.

    A head whose scores are as large as can be told apart before has got where it gets to.
    """
    seen, ends = min(RESOLVED, ROUNDED * candidate.tolerance), []
    for head in range(len(candidate.queries)):
        size = candidate.score_size(instance, of_terms=True, heads=slice(head, head + 1))
        ends.append(largest(size, seen, OPEN) or (1.0,))
    latest = ends[0]
    for end in ends[1:]:
        latest = end if lower(end[-1], latest[-1]) is latest[-1] else latest
    return replace(candidate, factors=latest, most=tuple(end[-1] for end in ends))


def _largest(candidate: Candidate, instance: KeyInstance) -> tuple[float, ...]:
    """Return the largest factors that an open one can be tried with.

    Where these are not large enough, it goes on up to the largest scores of which anything can be
    said: what ties is rounded there, but not everything has to tie.
    """

    def right(factors: tuple[float, ...]) -> bool:
        return candidate.right(instance, candidate.evaluate(instance, factors))

    seen = min(RESOLVED, ROUNDED * candidate.tolerance)
    size = candidate.score_size(instance, of_terms=True)
    near, found = (_last(candidate, instance, most, size) for most in (min(MODERATE, seen), seen))
    if has_noise(instance):
        return found
    if right(found):
        return near if right(near) else found
    further = _last(candidate, instance, LARGEST_SCORE)
    return further if _right_though_rounded(candidate, instance, further) else found


def _right_though_rounded(
    candidate: Candidate, instance: KeyInstance, factors: tuple[float, ...]
) -> bool:
    """Whether queries are right however their scores were rounded: C and C + 0.01 are not one."""
    queries = candidate.evaluate(instance, factors)
    with np.errstate(all="ignore"):
        scores = candidate.scores(instance, queries)
        terms = candidate.problem.given.scale * (np.abs(queries) @ np.abs(instance.keys).T)
    rng = generator(0)
    shifts = [np.zeros(scores.shape), *rng.choice([-UNIT, UNIT], (ROUNDINGS, *scores.shape))]
    errors = [candidate.errors_of_scores(instance, queries, scores + x * terms) for x in shifts]
    return bool(np.all(np.array(errors) <= candidate.tolerance))


def _last(
    candidate: Candidate,
    instance: KeyInstance,
    most: float,
    size: Callable[[float], float] | None = None,
) -> tuple[float, ...]:
    found = candidate.open_factors(instance, most, size) or [1.0]
    if len(found) > 1 and not has_noise(instance):
        found[-1:-1] = spread(found[-2], found[-1], BETWEEN)
    return tuple(found)


def still_falling(candidate: Candidate, instance: KeyInstance) -> bool:
    """Whether an open factor is not right as far as float64 goes, and the error still falls."""
    if not candidate.free or has_noise(instance):
        return False
    if np.all(candidate.errors_at(instance, candidate.factors) <= candidate.tolerance):
        return False
    for most in (LARGEST_SCORE, RESOLVED):  # differences of scores may be rounded at the first
        factors = tuple(candidate.open_factors(instance, most))
        errors = candidate.errors_at(instance, factors) if len(factors) == OPEN else np.zeros(1)
        if errors[-1] > candidate.tolerance and np.all(np.diff(errors) < -STILL * errors[1:]):
            return True
    return False


def smallest_factor(candidate: Candidate, instance: KeyInstance) -> float | None:
    """Return the smallest open factor from which on the answer is right, or None."""
    ladder = up_to(candidate.factors[-1])
    errors = candidate.errors_at(instance, ladder)
    wrong = np.flatnonzero(~(errors <= candidate.tolerance))
    if len(wrong) and wrong[-1] == len(ladder) - 1:
        return None
    high = ladder[wrong[-1] + 1] if len(wrong) else ladder[0]
    low = ladder[wrong[-1]] if len(wrong) else 0.0
    if not np.isfinite(high):
        return high
    for _ in range(3):
        steps = np.linspace(low, high, 13)
        errors = candidate.errors_at(instance, steps[1:].tolist())
        first = int(np.flatnonzero(errors <= candidate.tolerance)[0])
        low, high = float(steps[first]), float(steps[first + 1])
    return high
