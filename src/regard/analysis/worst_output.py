"""The worst case: how far the output can go when keys or scores move within bounds.

Let x_i be the values along a direction and [l_i, u_i] the interval of score i. The average
f = Σ softmax(s)_i x_i rises with s_i exactly if x_i > f, whatever s_i is: so it is largest at a
vertex, and there s_i = u_i where x_i > f and l_i where x_i < f. Sorted by value it is a
threshold, found by bisection: Σ (x_i − F) exp(s_i) has the sign of f − F, and its largest
value g(F) = Σ (x_i − F)⁺ exp(u_i) − (F − x_i)⁺ exp(l_i) falls as F grows, so that the largest f is
its root. Its sign at a value costs O(n), and there are n values to choose from: O(n log n).

A key within r_i of k_i has its score in scale · k_i·q ± |scale| r_i ‖q‖, attained at
k_i ± r_i q/‖q‖ (Cauchy–Schwarz). Keys move one by one, so all ends can be had at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.worst_case_arguments import Arguments, read_arguments
from regard.analysis.worst_case_result import WorstCase
from regard.certify import Certificate, Claim

__all__ = ["WorstCase", "worst_case"]

Array = NDArray[np.float64]
Wide = NDArray[np.longdouble]
Raised = NDArray[np.bool_]

UNIT = float(np.finfo(np.longdouble).eps)


def worst_case(
    query: ArrayLike | None,
    keys: ArrayLike | None,
    values: ArrayLike,
    *,
    radius: ArrayLike | None = None,
    scores: tuple[ArrayLike, ArrayLike] | None = None,
    direction: ArrayLike | None = None,
    scale: float = 1.0,
) -> WorstCase:
    """Find the smallest and the largest output when every key, or every score, may move.

    The output is c = Σ softmax(scale · keys @ query) · values.

    Args:
        query: (d,); None if `scores` are given, which then stand for query, keys and scale.
        keys: (n, d), or None as above.
        values: (n, d_v), or (n,) for values that are single numbers.
        radius: how far each key may be from the one given, in length: one number ≥ 0, or (n,).
        scores: (lower, upper), each (n,), finite: intervals of the scores that softmax takes.
        direction: (d_v,): the output along it, direction · c, or (m, d_v) for several. None: each
            coordinate of the output by itself.
        scale: what scores are multiplied by, of any sign.

    Returns:
        WorstCase: `.lower` and `.upper`, numbers for one direction or for values (n,), else (m,)
        with m = d_v for coordinates. They are exact up to `.error`, and attained: by the keys
        `.keys_at_lower`, `.keys_at_upper` and the scores `.scores_at_lower`, `.scores_at_upper`.
        The ends of different coordinates need different keys. The certificate claims both ends.

    Edges: with query 0, scale 0 or radius 0 nothing moves. Ties and keys that are equal are
    ordinary. Scores so large that wide floats lose them show in `.error`.

    Example:
        >>> worst = worst_case([1.0], [[0.0], [0.0]], [0.0, 1.0], radius=0.5)
        >>> print(f"{worst.lower:.6f} {worst.upper:.6f}")  # the weights of scores ±1/2
        0.268941 0.731059
        >>> worst.keys_at_upper.tolist()
        [[-0.5], [0.5]]
    """
    given = read_arguments(query, keys, values, radius, scores, direction, scale)
    intervals = _intervals(given)
    ends = [_extremes(intervals, along) for along in given.heights]
    error = max(end.error for end in ends) + given.rounding
    lower, upper = (np.array([getattr(end, side) for end in ends]) for side in ("lower", "upper"))
    down, up = (np.array([getattr(end, side) for end in ends]) for side in ("down", "up"))
    nominal = None
    if given.keys is not None:
        nominal = np.array([_average(x, intervals.middle)[0] for x in given.heights], float)
    with np.errstate(over="ignore"):  # wide floats hold scores that float64 does not
        reach = np.stack([intervals.lower, intervals.upper]).astype(np.float64)
    return WorstCase(
        lower=_one(lower, given.single),
        upper=_one(upper, given.single),
        nominal=None if nominal is None else _one(nominal, given.single),
        error=error,
        certificate=_certificate(given, lower, upper, error),
        scores=reach,
        raised_at_lower=down[0] if given.single else down,
        raised_at_upper=up[0] if given.single else up,
        keys=given.keys,
        moves=given.moves,
    )


@dataclass(frozen=True, eq=False)
class _Intervals:
    """The ends of the scores, in wide floats, and how far off rounding may have moved them."""

    lower: Wide
    upper: Wide
    off: float

    @property
    def middle(self) -> Wide:
        return self.lower / 2 + self.upper / 2


def _intervals(given: Arguments) -> _Intervals:
    if given.scores is not None:
        lower, upper = given.scores.astype(np.longdouble)
        return _Intervals(lower, upper, 0.0)
    assert given.keys is not None
    assert given.query is not None
    query = given.query.astype(np.longdouble)
    factor = np.longdouble(given.scale)
    middle, sizes = np.empty(len(given.keys), np.longdouble), np.longdouble(0)
    for first in range(0, len(middle), 4096):  # wide keys take twice their memory
        some = given.keys[first : first + 4096].astype(np.longdouble)
        middle[first : first + 4096] = factor * (some @ query)
        sizes = max(sizes, np.max(np.abs(some) @ np.abs(query)))
    reach = abs(factor) * given.radii.astype(np.longdouble) * np.sqrt(np.sum(query * query))
    most = abs(factor) * sizes + np.max(reach)
    return _Intervals(middle - reach, middle + reach, float((len(query) + 8) * UNIT * most))


@dataclass(frozen=True, eq=False)
class _Ends:
    """Both ends along one direction, and which scores are at their upper ends there."""

    lower: float
    upper: float
    down: Raised
    up: Raised
    error: float


def _extremes(intervals: _Intervals, heights: Wide) -> _Ends:
    upper, up, loss = _largest(intervals, heights)
    below, down, other = _largest(intervals, -heights)
    return _Ends(float(-below), float(upper), down, up, max(loss, other))


def _largest(intervals: _Intervals, heights: Wide) -> tuple[np.longdouble, Raised, float]:
    """The largest average, which scores are raised there, and how far off it may be."""
    order = np.unique(heights)
    low, high = 0, len(order) - 1  # the root lies between the lowest value and the highest
    while low < high:
        middle = (low + high + 1) // 2
        if _outweighs(intervals, heights, order[middle]):
            low = middle
        else:
            high = middle - 1
    raised = heights > order[low]
    found, spread = _average(heights, np.where(raised, intervals.upper, intervals.lower))
    # Scores off by δ move the average by spread · tanh(δ/2) at most.
    moved = float(spread) * math.tanh(min(intervals.off, 1e3))
    largest = float(np.max(np.abs(heights)))
    rounded = (len(heights) + 64) * UNIT * largest
    return found, raised, moved + 2 * rounded + float(np.spacing(largest))


def _outweighs(intervals: _Intervals, heights: Wide, limit: np.longdouble) -> bool:
    """Whether g(limit) ≥ 0: what lies above, at its upper ends, outweighs what lies below."""
    over, under = heights > limit, heights < limit
    if not np.any(under):
        return True
    above = _log_sum(intervals.upper[over] + np.log(heights[over] - limit))
    return bool(above >= _log_sum(intervals.lower[under] + np.log(limit - heights[under])))


def _log_sum(exponents: Wide) -> np.longdouble:
    if not len(exponents):
        return np.longdouble(-np.inf)
    highest = np.max(exponents)
    return np.longdouble(highest + np.log(np.sum(np.exp(exponents - highest))))


def _average(heights: Wide, scores: Wide) -> tuple[np.longdouble, np.longdouble]:
    """The softmax average, as a distance from the highest value, and the spread of the values."""
    powers = np.exp(scores - np.max(scores))
    highest = np.max(heights)
    return highest - np.sum(powers * (highest - heights)) / np.sum(powers), np.ptp(heights)


def _one(numbers: Array, single: bool) -> Array | float:
    return float(numbers[0]) if single else numbers


def _certificate(given: Arguments, lower: Array, upper: Array, error: float) -> Certificate:
    """Claims of both ends of every direction, moved outwards by what may be off."""
    arrays, witness = {"values": given.values}, {}
    radius: float | list[float] | None = None
    if given.scores is not None:
        arrays["scores"] = given.scores
    else:
        assert given.keys is not None
        arrays["keys"], witness = given.keys, {"query": given.query}
        alike = bool(np.all(given.radii == given.radii[0]))
        radius = float(given.radii[0]) if alike else given.radii.tolist()
    claims = []
    for direction, low, high in zip(given.directions, lower.tolist(), upper.tolist(), strict=True):
        fields = {"direction": direction.tolist(), "radius": radius, "attained": 4 * error}
        for kind, bound in (("above", high + 2 * error), ("below", low - 2 * error)):
            claims.append(Claim(f"output_never_{kind}", {**fields, "bound": bound}, witness))
    return Certificate(arrays, tuple(claims), given.scale)
