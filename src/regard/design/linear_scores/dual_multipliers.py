"""Multipliers that show a goal to be out of reach: the witness of the claims in `certify.beyond`.

Sought are y, l ≥ 0 (rows, keys) with the same moments and row sums for which the least Σ y ln α
that the goal allows is above the largest Σ l ln α. Both sides are concave in (y, −l), each is a
smallest value over the weights that the goal allows, so cutting planes find the best: a linear
program proposes (y, l), the weights that bound it are found exactly, and become a new constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from regard.design.linear_scores.family import Array, Family

__all__ = ["Allowed", "Multipliers", "find_multipliers"]

MOST_ROUNDS = 25
MOST_STEPS = 5_000  # of the simplex method, which may go round in circles where nearly all ties
MOST_PAIRS = 4000
MOST_EQUATIONS = 300
MOST_AT_CORNERS = 8  # as in the check
DUST = 1e-9
INWARD = 1e-6  # how far cuts are moved to the middle, where no weight is 0


@dataclass(frozen=True)
class Allowed:
    """The weights that a goal allows: between `low` and `high` (rows, keys), rows that sum to 1."""

    low: Array
    high: Array
    middle: Array  # some weights among them, none of them 0

    def largest(self, row: int, shares: Array) -> tuple[float, float, Array]:
        """Maximise Σ l_j ln α_j: its value, the multiplier of Σ α = 1, and α."""
        low, high = self.low[row], self.high[row]
        used = shares > 0
        room = 1 - float(np.sum(low[~used]))
        found = low.copy()
        if float(np.sum(high[used])) <= room:
            level, found[used] = 0.0, high[used]
        else:
            right = float(np.max(shares[used] / np.maximum(low[used], 1e-12)))
            right = max(right, float(np.sum(shares)) / max(room, 1e-12))
            left = right * 1e-30
            for _ in range(64):
                level = np.sqrt(left * right)
                found[used] = np.clip(shares[used] / level, low[used], high[used])
                if float(np.sum(found[used])) > room:
                    left = level
                else:
                    right = level
            level = float(right)
        value = float(np.sum(shares[used] * np.log(np.maximum(found[used], 1e-300))))
        return value, level, _filled(found, used, low, high)

    def smallest(self, row: int, shares: Array) -> tuple[float, Array]:
        """Minimise Σ y_j ln α_j (its ends only where y has many entries): its value, and α."""
        low, high = self.low[row], self.high[row]
        used = np.flatnonzero(shares > 0)
        others = np.ones(len(low), dtype=bool)
        others[used] = False
        lifted = 1 - float(np.sum(high[others])) - float(np.sum(low[used]))
        best = low.copy()
        if lifted > 0 and len(used) <= MOST_AT_CORNERS:
            value, best[used] = _corner(shares[used], low[used], high[used], lifted)
        else:
            value = float(np.sum(shares[used] * np.log(low[used])))
        return value, _filled(best, ~others, low, high)


def _corner(shares: Array, low: Array, high: Array, lifted: float) -> tuple[float, Array]:
    """The least Σ y ln α with all but one weight at an end and Σ α above Σ low by `lifted`."""
    best, found = np.inf, low.copy()
    places = range(len(shares))
    for between in places:
        rest = [j for j in places if j != between]
        for count in range(len(rest) + 1):
            for chosen in combinations(rest, count):
                point = low.copy()
                point[list(chosen)] = high[list(chosen)]
                own = low[between] + lifted - float(np.sum((high - low)[list(chosen)]))
                if own > high[between]:
                    continue
                point[between] = max(own, low[between])
                value = float(np.sum(shares * np.log(point)))
                if value < best:
                    best, found = value, point
    return best, found


def _filled(weights: Array, fixed: NDArray[np.bool_], low: Array, high: Array) -> Array:
    """Weights whose other entries share what is left, between their bounds."""
    free = ~fixed
    left = 1 - float(np.sum(weights[fixed]))
    bottom, top = float(np.sum(low[free])), float(np.sum(high[free]))
    share = np.clip((left - bottom) / (top - bottom), 0, 1) if top > bottom else 0.0
    found = weights.copy()
    found[free] = low[free] + share * (high[free] - low[free])
    return found


@dataclass(frozen=True)
class Multipliers:
    """y and l (rows, keys), the multiplier of Σ α = 1 of each row, and by how much it excludes."""

    lower: Array
    upper: Array
    levels: Array
    excess: float


def weighed(allowed: Allowed, lower: Array, upper: Array) -> Multipliers:
    """Multipliers with their excess."""
    levels, excess = np.zeros(len(lower)), 0.0
    for row in np.flatnonzero(np.sum(lower, axis=1) > 0).tolist():
        most, level, _ = allowed.largest(row, upper[row])
        least, _ = allowed.smallest(row, lower[row])
        levels[row], excess = level, excess + least - most
    return Multipliers(lower, upper, levels, excess)


def find_multipliers(
    family: Family, allowed: Allowed, start: tuple[Array, Array] | None
) -> Multipliers | None:
    """The multipliers that exclude most, or None where none were found to exclude the goal.

    Args:
        family: the scores.
        allowed: the weights that the goal allows.
        start: y and l to try first, of the same moments.
    """
    best: Multipliers | None = None
    if start is not None and np.all(allowed.low[start[0] > 0] > 0):
        best = weighed(allowed, *start)
        if best.excess > 1e-3:
            return best
    if family.size <= MOST_EQUATIONS and allowed.low.size <= MOST_PAIRS:
        found = _by_cuts(family, allowed)
        if found is not None and (best is None or found.excess > best.excess):
            best = found
    return best if best is not None and best.excess > 0 else None


def _by_cuts(family: Family, allowed: Allowed) -> Multipliers | None:
    from scipy.optimize import linprog  # slow to load

    m, n = allowed.low.shape
    features = family.features(np.arange(m * n))
    features = features / (float(np.max(np.abs(features))) or 1.0)
    usable = np.flatnonzero(allowed.low.ravel() > 1e-12)
    if len(usable) == 0:
        return None
    rows_of = np.arange(m * n) // n
    sums = (rows_of == np.arange(m)[:, None]).astype(float)  # (m, m·n)
    count = len(usable)
    # Unknowns: y on `usable`, l on all pairs, the least of Σ y ln α and the largest of Σ l ln α.
    equal = np.zeros((family.size + m + 1, count + m * n + 2 * m))
    equal[: family.size, :count] = features[usable].T
    equal[: family.size, count : count + m * n] = -features.T
    equal[family.size : -1, :count] = sums[:, usable]
    equal[family.size : -1, count : count + m * n] = -sums
    equal[-1, :count] = 1
    right = np.zeros(len(equal))
    right[-1] = 1
    price = np.zeros(equal.shape[1])
    price[count + m * n : count + m * n + m] = -1
    price[count + m * n + m :] = 1
    bounds = [(0, None)] * (count + m * n) + [(-60, 0)] * (2 * m)
    cuts: list[Array] = []

    def add(row: int, weights: Array, least: bool) -> None:
        inner = (1 - INWARD) * weights + INWARD * allowed.middle[row]
        logs = np.zeros(m * n)
        logs[row * n : (row + 1) * n] = np.log(inner)
        cut = np.zeros(equal.shape[1])
        if least:
            cut[:count], cut[count + m * n + row] = -logs[usable], 1
        else:
            cut[count : count + m * n], cut[count + m * n + m + row] = logs, -1
        cuts.append(cut)

    for row in range(m):
        add(row, allowed.middle[row], least=True)
        add(row, allowed.middle[row], least=False)
    best: Multipliers | None = None
    for _ in range(MOST_ROUNDS):
        result = linprog(
            price,
            A_ub=np.array(cuts),
            b_ub=np.zeros(len(cuts)),
            A_eq=equal,
            b_eq=right,
            bounds=bounds,
            method="highs",
            options={"maxiter": MOST_STEPS},
        )
        if result.x is None or -result.fun <= 0:
            break  # no multipliers exclude the goal, or the program is too flat to be solved
        lower, upper = np.zeros(m * n), np.maximum(result.x[count : count + m * n], 0)
        lower[usable] = np.maximum(result.x[:count], 0)
        lower[lower < DUST], upper[upper < DUST] = 0, 0
        lower, upper = lower.reshape(m, n), upper.reshape(m, n)
        found = weighed(allowed, lower, upper)
        if best is None or found.excess > best.excess:
            best = found
        if best.excess > 0.5 * -result.fun:
            break
        for row in np.flatnonzero(np.sum(lower, axis=1) > 0).tolist():
            add(row, allowed.smallest(row, lower[row])[1], least=True)
            add(row, allowed.largest(row, upper[row])[2], least=False)
    return best
