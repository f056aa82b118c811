"""Bounds on an attention output by relaxation, as verifiers of networks have them.

Scores lie in [lower, upper]. `interval_bounds` bounds each weight by itself; `linear_bounds` bounds
every operation of the softmax (power, sum, reciprocal, product) by linear functions of the scores
and maximises what comes out, in the manner of auto_LiRPA and CROWN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Linear = tuple[Array, Array]  # slopes (k, n) and constants (k,)


def interval_bounds(values: Array, lower: Array, upper: Array) -> tuple[float, float]:
    """Return bounds on Σ softmax(s) · values (n,) from the range of each weight."""
    top = np.max(upper)
    low, high = np.exp(lower - top), np.exp(upper - top)
    least = low / (low + np.sum(high) - high)
    most = high / (high + np.sum(low) - low)
    ends = np.stack([values * least, values * most])
    return float(np.sum(ends.min(axis=0))), float(np.sum(ends.max(axis=0)))


def linear_bounds(values: Array, lower: Array, upper: Array) -> tuple[float, float]:
    """Return bounds on Σ softmax(s) · values (n,) from linear relaxations."""
    shift = np.max(upper)
    lower, upper = lower - shift, upper - shift
    below, above = _powers(lower, upper)
    least, most = np.exp(lower), np.exp(upper)
    low_total, high_total = np.sum(least), np.sum(most)
    total_below = below[0].sum(axis=0), below[1].sum()
    total_above = above[0].sum(axis=0), above[1].sum()
    # 1/Z is convex: a tangent below it, a chord above; it falls with Z.
    touch = (low_total + high_total) / 2
    share_below = -total_above[0] / touch**2, 2 / touch - total_above[1] / touch**2
    slope = -1 / (low_total * high_total)
    share_above = slope * total_below[0], 1 / low_total + slope * (total_below[1] - low_total)
    bounds = []
    for which in (0, 1):  # McCormick's two planes on either side of a product
        e, r = ((least, 1 / high_total), (most, 1 / low_total))[which]
        under = _product(e, r, share_below, below)
        e, r = ((most, 1 / high_total), (least, 1 / low_total))[which]
        over = _product(e, r, share_above, above)
        bounds.append((under, over))
    lows = [_extreme(values, under, over, lower, upper, -1) for under, over in bounds]
    highs = [_extreme(values, under, over, lower, upper, 1) for under, over in bounds]
    return max(*lows, float(np.min(values))), min(*highs, float(np.max(values)))


def _powers(lower: Array, upper: Array) -> tuple[Linear, Linear]:
    """Return a tangent below exp and a chord above it, for each score."""
    middle = (lower + upper) / 2
    tangent = np.exp(middle)
    width = np.where(upper > lower, upper - lower, 1.0)
    chord = np.where(upper > lower, (np.exp(upper) - np.exp(lower)) / width, tangent)
    below = np.diag(tangent), tangent * (1 - middle)
    return below, (np.diag(chord), np.exp(lower) - chord * lower)


def _product(e: Array, r: float, share: Linear, powers: Linear) -> Linear:
    """Return e · R + r · E − e r, for every power E and the reciprocal R."""
    return np.outer(e, share[0]) + r * powers[0], e * share[1] + r * powers[1] - e * r


def _extreme(
    values: Array, under: Linear, over: Linear, lower: Array, upper: Array, sign: int
) -> float:
    """Return the largest (smallest, for sign −1) of the relaxed output over the box."""
    up, down = np.maximum(sign * values, 0), np.minimum(sign * values, 0)
    slopes = up @ over[0] + down @ under[0]
    constant = up @ over[1] + down @ under[1]
    return sign * float(np.sum(np.maximum(slopes * lower, slopes * upper)) + constant)
