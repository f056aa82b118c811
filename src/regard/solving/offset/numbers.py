"""What a head that looks T steps back does: its kernel, rivals, weights and scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FAR = 5000  # shifts that widths are compared on
WIDTHS = (2, 8, 16, 64, 128, 512)


def speeds(d_model: int, base: float) -> Array:
    """Return w_i = base^(-2i/d_model)."""
    m = d_model // 2
    return np.asarray(float(base) ** (-np.arange(m) / m))


def rises(omega: Array, far: int) -> Array:
    """Return Σ 1 − cos w_i u for u = 1..far: how far shift T is above shift T + u."""
    u = np.arange(1.0, far + 1)
    return np.asarray(2 * np.sum(np.sin(np.outer(u, omega) / 2) ** 2, axis=1))


def least_weight(rise: Array, size: float) -> float:
    """Return the least weight on the key T steps back over all queries, for blocks of this size."""
    return 1 / (1 + _leak(rise, size))


def _leak(rise: Array, size: float) -> float:
    """Return the weight of all other keys over that of the key T steps back, at its largest."""
    sums = np.concatenate([[0.0], np.cumsum(np.exp(-size * rise))])
    return float(np.max(sums + sums[::-1]))


def smallest(rise: Array, tolerance: float) -> float:
    """Return the size of the blocks from which on the least weight is 1 − tolerance."""
    from scipy.optimize import brentq  # imported where used: it is slow to load

    def excess(size: float) -> float:
        return math.log(_leak(rise, size)) - math.log(tolerance / (1 - tolerance))

    high = enough(float(np.min(rise)), len(rise) + 1, tolerance)
    low = high / 2
    while excess(low) <= 0:
        low /= 2
    while excess(high) > 0:  # by a unit of rounding, where the bound is exact
        high *= 1 + 1e-12
    return float(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


def enough(gap: float, n: int, tolerance: float) -> float:
    """Return a size of the blocks that is certainly enough: all n − 1 others as near as the gap."""
    return math.log((n - 1) * (1 - tolerance) / tolerance) / gap


def weights(omega: Array, turned: float, size: float, t: int, n: int) -> Array:
    """Return the weights of query t on keys 0..n−1 for blocks that turn by w_i · turned."""
    scores = size * np.cos(np.outer(t - np.arange(n) - turned, omega)).sum(axis=1)
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / powers.sum())


def smooth(d_model: int, base: float, u: float) -> float:
    """Return the gap at u if frequencies were spread without steps: a logarithm for large u."""
    from scipy.special import sici  # imported where used: it is slow to load

    def cin(x: float) -> float:
        return float(np.euler_gamma + math.log(x) - sici(x)[1])

    spread = d_model / (2 * math.log(base)) * (cin(u) - cin(u / base))
    return spread + (1 - math.cos(u)) / 2


@dataclass(frozen=True)
class Width:
    """The strongest rival for a width, and how well the smooth formula does at some shifts."""

    d_model: int
    rival: int
    gap: float
    first: float
    off: tuple[float, ...]


@lru_cache(maxsize=32)
def width(d_model: int, base: float, at: tuple[int, ...] = (1, 30, 300)) -> Width:
    """Return what is known of a width, on shifts up to FAR."""
    rise = rises(speeds(d_model, base), FAR)
    nearest = int(np.argmin(rise))
    off = tuple(abs(smooth(d_model, base, u) / float(rise[u - 1]) - 1) for u in at)
    return Width(d_model, nearest + 1, float(rise[nearest]), float(rise[0]), off)


def condition(n: int, d_model: int, base: float) -> float:
    """Return the condition number of the table of the first n positions."""
    angles = np.outer(np.arange(n), speeds(d_model, base))
    sizes = np.linalg.svd(np.concatenate([np.sin(angles), np.cos(angles)], axis=1))[1]
    return float(sizes[0] / sizes[-1])
