"""Where a kernel f(δ) has its centre, and how wide its window is.

A kernel is given by its blocks c = a + ib: f(δ) = Re Σ c_i e^{−iω_i δ}.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.core.angles import fill, frequencies
from regard.core.kernels.threads import one_blas_thread

__all__ = ["Centre", "Sinusoids", "centre_of", "split", "turns_of", "window_of"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

EXACT = 1e-13  # what rounding may do to sums of squares of size 1


def split(matrix: Array) -> tuple[Complex, Array]:
    """Return the blocks c nearest to a matrix (d, d), (d/2,), and what they leave over."""
    even, odd = slice(0, None, 2), slice(1, None, 2)
    a = (np.diag(matrix[even, even]) + np.diag(matrix[odd, odd])) / 2
    b = (np.diag(matrix[odd, even]) - np.diag(matrix[even, odd])) / 2
    rest = matrix.copy()
    i = np.arange(0, len(matrix), 2)
    for row, column, part in ((0, 0, a), (1, 1, a), (1, 0, b), (0, 1, -b)):
        rest[i + row, i + column] -= part
    return a + 1j * b, rest


def turns_of(shifts: Array, d: int, base: float, whole: bool = True) -> Complex:
    """Return e^{iω_j δ} of shifts (m,), (m, d/2)."""
    e = np.empty((len(shifts), d // 2), dtype=np.complex128)
    fill(shifts, frequencies(d, base, whole), e.imag, e.real)
    return e


class Sinusoids(NamedTuple):
    """What is known of positions that are sines and cosines.

    Attributes:
        base: of the frequencies base^(−2i/d).
        reach: shifts below it are looked at.
        phase: the rule by which fast blocks were zeroed, ω B/2 ≤ phase.
    """

    base: float
    reach: int
    phase: float


class Centre(NamedTuple):
    """T, whether f is symmetric about it, and how it was found in words."""

    T: int
    symmetric: bool
    how: str


def centre_of(c: Complex, noise: float, positions: Sinusoids) -> Centre:
    """Find T, where f is largest.

    If f is symmetric about T, every c_i e^{−iω_i T} is real, of either sign, so the sum of
    squared imaginary parts at T is what noise leaves there: (σ²/2) χ² of as many degrees of
    freedom as blocks.
    """
    f, twice = _scan(c, positions.base, positions.reach)
    total = float(np.sum(np.abs(c) ** 2))
    count = int(np.count_nonzero(c))
    asymmetry = (total - twice) / 2
    chance = (count + 4 * math.sqrt(2 * count) + 10) * noise**2 / 2
    about = asymmetry <= EXACT * total + chance
    about[1:] &= asymmetry[1:] <= asymmetry[:-1]
    about[:-1] &= asymmetry[:-1] <= asymmetry[1:]
    # About its lowest point f is symmetric too; there it is no higher than at most shifts.
    fit = about & (f > math.sqrt(total / 2))
    if not np.any(fit):  # weights of both signs may leave f(T) low, yet higher than elsewhere
        fit = about & (f > np.median(f))
    symmetric = bool(np.any(fit))
    if not symmetric:
        fit = f >= float(np.max(f)) - EXACT * float(np.sum(np.abs(c)))
    found = np.flatnonzero(fit) - (positions.reach - 1)
    words = "f is symmetric about T" if symmetric else "f is largest at T"
    return Centre(int(found[np.argmin(np.abs(found))]), symmetric, words)


def _scan(c: Complex, base: float, reach: int) -> tuple[Array, Array]:
    """Return f and Re Σ c² e^{−2iωδ} for δ = −(reach−1), …, reach−1.

    With δ = start + m p + r, both are matrix products of two short tables.
    """
    count, d = 2 * reach - 1, 2 * len(c)
    m = math.ceil(math.sqrt(count))
    use = c != 0
    steps = np.arange(m, dtype=np.float64)
    coarse = np.conj(turns_of(steps * m - (reach - 1), d, base)[:, use]) * c[use]
    fine = np.conj(turns_of(steps, d, base)[:, use]).T

    def real_part(left: Complex, right: Complex) -> Array:
        joined = np.hstack([left.real, -left.imag]) @ np.vstack([right.real, right.imag])
        return np.asarray(joined.ravel()[:count])

    with one_blas_thread():
        return real_part(coarse, fine), real_part(coarse**2, fine**2)


def window_of(low: Array, high: Array, same: float) -> tuple[int, float]:
    """Return the r at which a window |x| ≤ r is told best from the shifts outside, and its gap.

    Where no window is, they are 0 and −∞.

    Args:
        low: the lower of f(T ± x) for x = 0, 1, …
        high: the higher of the two.
        same: values as close as this count as equal.
    """
    inside = np.minimum.accumulate(low)
    best = (0, -math.inf, 0)
    for r in np.flatnonzero(inside[:-1] > high[1:] + 2 * same):
        outside = np.maximum.accumulate(high[r + 1 :])
        outside = outside[outside < inside[r] - 2 * same]  # up to where f comes back
        steps = np.append(0, np.cumsum(np.diff(outside) > same))
        often = np.bincount(steps, high[r + 1 : r + 1 + len(outside)] >= outside - same)
        attained = int(np.max(often)) + int(np.count_nonzero(low[: r + 1] <= inside[r] + same))
        best = max(best, (attained, float(inside[r] - outside[-1]), int(r)))
    return best[2], best[1]
