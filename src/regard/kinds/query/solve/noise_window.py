"""A formula over random keys: factors large enough for the leak and small enough for the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.design import RobustDesign, isotropic_scale
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, AveragedQueries
from regard.problems.instances import Float64

COARSE, FINE = 17, 9  # factors tried at a time
EVERY = 16  # of the factors that floats have no proof for, one in so many is tried
WIDE = 8.0  # how many times the widest useful factor is still tried


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseWindow(AveragedQueries):
    """A formula whose factor is within the window that the tolerance leaves.

    Attributes:
        closed: the best factor to first order, by Lambert's W; None where there is no closed form.
        best: the best factor, by the exact law.
        window: the factors within the tolerance, from and to.
        robust: the query of least noise, designed; None where that was not tried.
    """

    factor: float
    closed: float | None
    best: float
    window: tuple[float, float]
    robust: RobustDesign | None

    @cached_property
    def variance(self) -> float | None:
        """alpha, where every covariance is alpha I; None otherwise."""
        return self.heads.keys.isotropic

    def error_at(self, factor: float) -> float:
        """√E ‖c − c*‖² at a factor."""
        return float(self.heads.off(self.heads.at(np.array(factor))))

    def predicted(self, factor: float) -> float:
        """The mean square error of an even pair to first order."""
        D, apart = _distances(self.heads)
        height = self.heads.whole.scale * factor
        leak = self.heads.whole.rest / 2 * math.exp(-height) * D
        return leak**2 + (self.variance or 0.0) * height**2 / 4 * apart**2

    def with_less_noise(self, times: float) -> tuple[float, float, float]:
        """A variance that is so many times alpha, its best factor, and the error there."""
        assert self.variance is not None
        alpha, keys = self.variance * times, self.heads.keys
        factor = isotropic_scale(self.heads.whole.n, alpha, *_distances(self.heads)) / keys.scale
        quiet = keys.with_noise(keys.covariances * times)
        return alpha, factor, float(self.heads.off(self.heads.at(np.array(factor)), quiet))


def solve_noise_window(heads: AveragedHeads, robust: RobustDesign | None) -> NoiseWindow | None:
    """Return the formula with a factor within the tolerance, a proved one if there is; or None."""
    pattern = heads.whole
    widest = max(pattern.factor_for(1e-9), 0.0) if pattern.rest else 0.0
    best = _best(heads, widest)
    window = _window(heads, best, widest)
    if window is None:
        return None
    closed = _closed(heads)
    tried = _worth_trying(heads, window, best, closed)
    factor = _first_proved(heads, tried)
    if factor is None:
        within = heads.off(heads.at(np.array([*tried, best]))) <= heads.tolerance
        factor = [*tried, best][int(np.argmax(within))]
    return NoiseWindow.measured(
        heads,
        heads.queries(factor),
        {"q": pattern.text(), pattern.factor: factor},
        factor=factor,
        closed=closed,
        best=best,
        window=window,
        robust=robust,
    )


def _first_proved(heads: AveragedHeads, factors: list[float]) -> float | None:
    for at, factor in enumerate(factors):
        queries = heads.queries(factor)
        # What floats put above the tolerance is rarely proved; a few are looked at all the same,
        # as the claim knows another bound for heads that look at one key.
        likely = at % EVERY == 0 or heads.bound(queries).value <= heads.tolerance
        if likely and heads.proves(queries):
            return factor
    return None


def _worth_trying(
    heads: AveragedHeads, window: tuple[float, float], best: float, closed: float | None
) -> list[float]:
    """Return factors of four digits, those first that a proof is likeliest for."""
    low, high = window
    if heads.whole.m > 1:
        grid = np.linspace(low, high, COARSE)
        for _ in range(3):
            at = _least_provable(heads, grid)
            grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], FINE)
        least = float(grid[_least_provable(heads, grid)])
        tried = [least, closed or least, best, *np.linspace(low, high, FINE).tolist()]
    else:  # there is no best factor short of infinity: a small one will do
        tried = [*np.geomspace(max(low, 1e-3), high, 8 * COARSE).tolist(), best]
    return list(dict.fromkeys(float(f"{factor:.4g}") for factor in tried))


def _least_provable(heads: AveragedHeads, grid: Float64) -> int:
    return int(np.argmin([heads.bound(heads.queries(f)).value for f in grid.tolist()]))


def _distances(heads: AveragedHeads) -> tuple[float, float]:
    """Return D, from the wanted output to the mean of the other values, and ‖v_a − v_b‖."""
    pattern, values = heads.whole, heads.keys.values
    return pattern.distance(values), float(np.linalg.norm(np.subtract(*values[list(pattern.rows)])))


def _closed(heads: AveragedHeads) -> float | None:
    """Return Lambert's closed form, for an even pair over orthonormal means and isotropic noise."""
    pattern, alpha = heads.whole, heads.keys.isotropic
    pair = pattern.m == 2 and pattern.even and pattern.rest and pattern.structure == "orthonormal"
    if alpha is None or not pair:
        return None
    D, apart = _distances(heads)
    return isotropic_scale(pattern.n, alpha, D, apart) / pattern.scale if D * apart > 0 else None


def _best(heads: AveragedHeads, widest: float) -> float:
    """Return the factor with the least error, by finer and finer grids."""
    low, high = 0.0, widest
    if high == low:
        return 0.0
    for points in (COARSE, FINE, FINE, FINE):
        grid = np.linspace(low, high, points)
        at = int(np.argmin(heads.off(heads.at(grid))))
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, points - 1)]
    return float((low + high) / 2) if 0 < at < points - 1 else float(grid[at])


def _window(heads: AveragedHeads, best: float, widest: float) -> tuple[float, float] | None:
    """Return the factors around the best one with an error within the tolerance."""

    def within(factors: Float64) -> NDArray[np.bool_]:
        return np.asarray(heads.off(heads.at(factors)) <= heads.tolerance)

    if not within(np.array(best)):
        return None
    edges = []
    for end in (0.0, WIDE * max(widest, 1.0)):
        inside, outside = best, end
        if within(np.array(end)):
            edges.append(end)
            continue
        for _ in range(5):
            grid = np.linspace(inside, outside, FINE)
            at = int(np.argmin(within(grid)))  # the first that is not
            inside, outside = float(grid[max(at - 1, 0)]), float(grid[at])
        edges.append(inside)
    return edges[0], edges[1]
