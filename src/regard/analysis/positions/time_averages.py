"""Averages of sinusoidal positions over times: uniform on 0, …, n − 1, or at a known shift."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regard.core.angles import frequencies
from regard.core.positions import sinusoidal
from regard.errors import ParameterError

__all__ = ["kernel_sums", "pairs_of_times", "position_moments", "time_averages"]

Array = NDArray[np.float64]

WIDEST = 8192  # d_model of which tables are made
MOST_PAIRS = 2**20  # of times, listed one by one
CHUNK = 2**18  # numbers worked on at once


def kernel_sums(shifts: NDArray[np.int64], d: int, base: float) -> Array:
    """F(δ) = Σ cos ω_i δ of consecutive shifts."""
    rows = max(1, CHUNK // d)
    starts = range(int(shifts[0]), int(shifts[-1]) + 1, rows)
    last = int(shifts[-1]) + 1
    tables = (sinusoidal(min(rows, last - start), d, base, start=start) for start in starts)
    return np.concatenate([np.sum(table[:, 1::2], axis=1) for table in tables])


def position_moments(
    d: int, sines: bool, n: int | None, delta: int | None, base: float
) -> tuple[float, float, float]:
    """Return the mean and variance of e_τ·e_t and the mean of |e_t + e_τ|²."""
    if delta is not None:
        F = float(kernel_sums(np.array([abs(delta)]), d, base)[0])
        if not sines:
            return F, 0.0, max(0.0, d + 2 * F)
        if n is None:
            # sin·sin is half of cos ω(t − τ) − cos ω(t + τ); the latter has variance 1/2 each.
            return F / 2, d / 16, d / 2 + F
        probability, G, square = pairs_of_times(d, n, delta, base)
        mean = float(probability @ G)
        return mean, float(probability @ (G - mean) ** 2), float(probability @ square)
    if n is None:
        return (0.0, d / 8, d / 2) if sines else (0.0, d / 4, float(d))
    mean_e, second = time_averages(d, n, base)
    if sines:
        mean_e, second = mean_e[0::2], second[0::2, 0::2]
    F = float(mean_e @ mean_e)
    return F, max(0.0, float(np.sum(second**2)) - F**2), 2 * float(np.trace(second)) + 2 * F


def time_averages(d: int, n: int, base: float) -> tuple[Array, Array]:
    """Return the means of e_t and of e_tᵀ e_t over t = 0, …, n − 1.

    The mean of e^{iθt} is e^{iθ(n−1)/2} sin(nθ/2) / (n sin(θ/2)).
    """
    if d > WIDEST:
        raise ParameterError(
            f"interference: d_model must be at most {WIDEST} for uniform times, whose moments "
            f"take tables of d_model² numbers. Got {d}."
        )
    omega = np.sum(frequencies(d, base, True), axis=0) * (math.pi / 2)  # without whole turns

    def average(theta: Array) -> NDArray[np.complex128]:
        half = theta / 2 - math.pi * np.rint(theta / (2 * math.pi))
        below = n * np.sin(half)
        ratio = np.divide(np.sin(n * half), below, out=np.ones_like(half), where=below != 0)
        return np.asarray(ratio * np.exp(1j * half * (n - 1)))

    one = average(omega)
    mean = np.stack([one.imag, one.real], axis=1).ravel()
    less = average(omega[:, None] - omega[None, :])
    more = average(omega[:, None] + omega[None, :])
    second = np.empty((d, d))
    second[0::2, 0::2] = (less - more).real / 2
    second[1::2, 1::2] = (less + more).real / 2
    second[0::2, 1::2] = (less + more).imag / 2  # sin of the row, cos of the column
    second[1::2, 0::2] = second[0::2, 1::2].T
    return mean, second


def pairs_of_times(
    d: int, n: int | None, delta: int | None, base: float
) -> tuple[Array, Array, Array]:
    """List the sums over sines alone, for all pairs of times or those at a known shift."""
    if n is None or (delta is None and n * n > MOST_PAIRS):
        raise ParameterError(
            'Interference: the law of the reading "literal" is listed by pairs of times, so it '
            f'needs times="uniform" and n² ≤ {MOST_PAIRS}. Got n = {n}.'
        )
    sin = sinusoidal(n, d, base)[:, 0::2]
    if delta is not None:
        late, early = sin[abs(delta) :], sin[: n - abs(delta)]
        product, square = np.sum(late * early, axis=1), np.sum((late + early) ** 2, axis=1)
    else:
        own = np.sum(sin**2, axis=1)
        product = (sin @ sin.T).ravel()
        square = np.maximum((own[:, None] + own).ravel() + 2 * product, 0.0)
    return np.full(len(product), 1 / len(product)), product, square
