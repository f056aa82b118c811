"""Moments of the softmax of independent Gaussian scores, by one-dimensional integrals.

With Z = Σ_j e^{s_j}, 1/Z = ∫ e^{−t} exp(−Z e^{−t}) dt, and the scores of different keys are
independent, so

    E α_i     = ∫ A_1^i Π_{j≠i} A_0^j dt,
    E α_i α_j = ∫ A_1^i A_1^j Π_{k≠i,j} A_0^k dt,      E α_i² = ∫ A_2^i Π_{j≠i} A_0^j dt,
    A_r^j(t)  = E[e^{r(s_j−t)} exp(−e^{s_j−t})].

Every integrand is analytic in the strip |Im t| < π/2, so the trapezoidal rule with step h is
wrong by about e^{−π²/h}: 10⁻¹⁷ at h = 1/4. The A_r^j are Gaussian averages of one function of s −
t. On a grid of the same step for s and t that is a product of matrices: densities (n × s) times
values (s × t). Only keys whose score hardly varies are averaged by Gauss–Hermite nodes instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError

__all__ = ["Grid", "WeightMoments", "averages", "grid_for", "kernels", "nodes", "one_head"]

Array = NDArray[np.float64]

STEP = 0.25
FINEST = 0.08
PER_DEVIATION = 1.5  # steps per standard deviation that a Gaussian needs: wrong by e^{−2π² · 1.5²}
REACH = 8.7  # standard deviations, beyond which a Gaussian has 10⁻¹⁸
TAIL = 40.0  # e^{−TAIL} is what is left of the integrals above
FOOT = 3.9  # exp(−e^FOOT) is what is left of them below
DENSE = 4_000_000  # entries of the table of values; beyond, products are done by FFT
LONGEST = 1 << 18


@dataclass(frozen=True)
class WeightMoments:
    """Mean (n,) and second moments E α_i α_j (n, n) of the weights, and a bound on their errors."""

    mean: Array
    second: Array
    error: float


@dataclass(frozen=True)
class Grid:
    """The points t (and, with the same step and aligned, s) of the integrals."""

    step: float
    t: Array


def grid_for(means: Array, deviations: Array, function: str = "analysis.key_noise") -> Grid:
    """Choose the step and the points t for scores with these means and standard deviations."""
    wide = deviations[deviations >= FINEST * PER_DEVIATION]
    step = min(STEP, float(np.min(wide)) / PER_DEVIATION) if len(wide) else STEP
    low = float(np.max(means - REACH * deviations)) - FOOT
    high = float(np.max(means + REACH * deviations)) + TAIL
    count = int((high - low) / step) + 2
    if count > LONGEST:
        raise ParameterError(
            f"{function}: scores with standard deviations up to {np.max(deviations):.3g} would "
            f"need {count:.3g} points: too many for method='exact'. Use method='limit', which they "
            f"are close to, or 'qmc'."
        )
    return Grid(step, low + step * np.arange(count, dtype=np.float64))


def averages(means: Array, deviations: Array, grid: Grid) -> Array:
    """The Gaussian averages A_r^j(t) for r = 0, 1, 2, as an array (3, n, t)."""
    table = np.empty((3, len(means), len(grid.t)))
    narrow = deviations < grid.step * PER_DEVIATION * (1 - 1e-12)
    if np.any(narrow):
        nodes, masses = _hermite()
        x = means[narrow, None, None] + deviations[narrow, None, None] * nodes - grid.t[:, None]
        table[:, narrow] = np.stack([values @ masses for values in kernels(x)])
    wide = np.flatnonzero(~narrow)
    if len(wide):
        table[:, wide] = _on_grid(means[wide], deviations[wide], grid)
    return table


def kernels(x: Array) -> tuple[Array, Array, Array]:
    """The functions exp(−e^x), e^x exp(−e^x) and e^{2x} exp(−e^x)."""
    power = np.exp(np.minimum(x, 50.0))  # exp(−e^50) is 0 already
    step = np.exp(-power)
    once = power * step
    return step, once, power * once


def nodes(mean: float, deviation: float) -> tuple[Array, Array]:
    """Points and masses that average a function of a Gaussian score as well as the grid does."""
    if deviation == 0:
        return np.array([mean]), np.ones(1)
    if deviation < FINEST * PER_DEVIATION:
        points, masses = _hermite()
        return mean + deviation * points, masses
    step = min(STEP, deviation / PER_DEVIATION)
    count = int(np.ceil(REACH * deviation / step))
    z = step * np.arange(-count, count + 1, dtype=np.float64) / deviation
    return mean + deviation * z, np.exp(-0.5 * z * z) * (step / (np.sqrt(2 * np.pi) * deviation))


@cache
def _hermite() -> tuple[Array, Array]:
    """Nodes and masses of a standard Gaussian: ample for deviations below 0.12."""
    nodes, masses = np.polynomial.hermite_e.hermegauss(14)
    return nodes, masses / np.sum(masses)


def _on_grid(means: Array, deviations: Array, grid: Grid) -> Array:
    """Averages by the trapezoidal rule in s, on points aligned with t."""
    step, origin = grid.step, grid.t[0]
    first = int(np.floor((np.min(means - REACH * deviations) - origin) / step))
    last = int(np.ceil((np.max(means + REACH * deviations) - origin) / step))
    s = origin + step * np.arange(first, last + 1)
    z = (s - means[:, None]) / deviations[:, None]
    densities = np.exp(-0.5 * z * z) * (step / np.sqrt(2 * np.pi)) / deviations[:, None]
    # Values of the kernels at every s − t that occurs, from the smallest to the largest.
    x = step * np.arange(first - (len(grid.t) - 1), last + 1, dtype=np.float64)
    columns = kernels(x)
    if len(s) * len(grid.t) <= DENSE:
        windows = np.lib.stride_tricks.sliding_window_view
        # Row a of the window that begins at the k-th value from the right is s_a − t_k.
        return np.stack(
            [densities @ np.ascontiguousarray(windows(k, len(grid.t))[:, ::-1]) for k in columns]
        )
    size = 1 << int(np.ceil(np.log2(len(x) + len(s))))
    spectra = np.fft.rfft(densities[:, ::-1], size)
    out = [
        np.fft.irfft(spectra * np.fft.rfft(kernel, size), size)[:, len(s) - 1 : len(x)]
        for kernel in columns
    ]
    return np.stack([np.clip(part[:, ::-1], 0.0, None) for part in out])


def one_head(means: Array, deviations: Array) -> WeightMoments:
    """Moments of softmax(s) for independent s_j ~ N(means_j, deviations_j²).

    Args:
        means: (n,).
        deviations: (n,), ≥ 0.
    """
    n = len(means)
    if n == 1:
        return WeightMoments(np.ones(1), np.ones((1, 1)), 0.0)
    grid = grid_for(means, deviations)
    stays, once, twice = averages(means, deviations, grid)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(stays > 1e-290, once / stays, 0.0)
        squares = np.where(stays > 1e-290, twice / stays, 0.0)
    product = np.prod(stays, axis=0) * grid.step
    mean = shares @ product
    second = (shares * product) @ shares.T
    np.fill_diagonal(second, squares @ product)
    # The weights sum to 1, so both sums must come out as 1: what they miss is the size of the
    # error.
    missed = max(abs(float(np.sum(mean)) - 1), abs(float(np.sum(second)) - 1))
    return WeightMoments(mean, second, missed + 4e-16 * float(np.sqrt(n)))
