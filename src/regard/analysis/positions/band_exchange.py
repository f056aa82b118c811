"""The best block weights for a window, kept the best while more distances are told from it.

With Σ |w_i| = 1 and no ripple the program of :mod:`.band_program` is a game. Its dual
spreads shares p over the window and q outside, so that

    max_i Σ_v (p − q)_v cos ω_i v    with Σ p = Σ q = 1

is least. The simplex method solves it from a start that is always at hand, p in the middle of the
window and q right outside it: a step prices all distances by f and lets the worst one in. More
distances outside are more to choose from, so that the solution for a short length is where that
for a longer one starts, and often it is its solution too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["Best"]

Array = NDArray[np.float64]

PRICE = 1e-11  # what rounding may leave of a price
TIED = 1e-12  # shares that would vanish as close together as this vanish at once


class Best:
    """The best weights for |x| ≤ inner against the distances from outer to count − 1.

    Attributes:
        weights: (m,), Σ |w_i| = 1.
        count: distances below it count.
        work: how many multiplications are left to do.
    """

    def __init__(
        self, table: Array, inner: int, outer: int, *, signed: bool, work: float = 1e10
    ) -> None:
        """Start with one distance outside; `table` is what `cosines` gives."""
        self.inner, self.outer, self.signed, self.work = inner, outer, signed, work
        self.table = table
        self.weights = np.zeros(table.shape[1])
        self.count = outer + 1
        middle, edge = self._moments(0), self._moments(outer)
        rows = len(middle)
        # The rows are the moments, Σ p and Σ q; the columns at first how far each moment
        # is below the largest, with the largest itself in the column `top`, then p and q.
        self.basis, self.cost = np.eye(rows + 2), np.zeros(rows + 2)
        self.top = int(np.argmax(middle - edge))
        self.basis[:rows, self.top], self.cost[self.top] = -1.0, 1.0
        self.basis[:rows, rows], self.basis[:rows, rows + 1] = middle, -edge
        self.inverse, self.fresh = np.linalg.inv(self.basis), True
        self.shares, self.highest = np.zeros(rows + 2), math.inf

    def grow(self, count: int) -> bool:
        """Make the weights the best for the distances below count.

        Returns:
            False if that is more work than is left, or if rounding prevents it.
        """
        self.count = count
        rows = len(self.cost) - 2
        while self.work > 0:
            self.work -= count * len(self.weights) + 4 * rows * rows
            self.shares = self.inverse[:, rows] + self.inverse[:, rows + 1]
            prices = self.cost @ self.inverse
            parts, lowest, self.highest = -prices[:rows], prices[rows], -prices[rows + 1]
            self.weights = parts[: rows // 2] - parts[rows // 2 :] if self.signed else parts
            price, column = self._worst(parts, lowest)
            if price > -PRICE:
                if self.fresh:
                    return True
                try:
                    self.inverse = np.linalg.inv(self.basis)  # without what rounding has done to it
                except np.linalg.LinAlgError:
                    return False
                self.fresh = True
                continue
            rate = self.inverse @ column
            falls = rate > PRICE
            falls[self.top] = False  # the largest moment may have any sign, so it stays
            if not np.any(falls):
                return False
            until = np.full(rows + 2, math.inf)
            until[falls] = np.maximum(self.shares[falls], 0.0) / rate[falls]
            out = int(np.argmax(np.where(until <= np.min(until) + TIED, rate, -math.inf)))
            self.basis[:, out], self.cost[out] = column, 0.0
            row = self.inverse[out] / rate[out]
            self.inverse -= np.outer(rate, row)
            self.inverse[out], self.fresh = row, False
        return False

    def _moments(self, distance: int) -> Array:
        """What a share at this distance adds to the moments."""
        row = self.table[distance]
        return np.concatenate([row, -row]) if self.signed else row

    def _worst(self, parts: Array, lowest: float) -> tuple[float, Array]:
        """The price and column of what is overlooked most: a distance, or a part below 0."""
        rows = len(parts)
        f = self.table[: self.count] @ self.weights
        low, rival = int(np.argmin(f[: self.inner + 1])), int(np.argmax(f[self.outer :]))
        part = int(np.argmin(parts))
        prices = f[low] - lowest, self.highest - f[self.outer + rival], parts[part]
        which = int(np.argmin(prices))
        column = np.zeros(rows + 2)
        if which == 0:
            column[:rows], column[rows] = self._moments(low), 1.0
        elif which == 1:
            column[:rows], column[rows + 1] = -self._moments(self.outer + rival), 1.0
        else:
            column[part] = 1.0
        return float(prices[which]), column

    def lasts(self) -> int:
        """The largest count, up to the length of the table, for which these are the best."""
        f = self.table[self.count :] @ self.weights
        above = np.flatnonzero(f > self.highest + PRICE)
        return self.count + int(above[0]) if len(above) else len(self.table)

    def signs_help(self) -> bool:
        """Whether weights below 0 may have a larger gap than these, which are ≥ 0."""
        distances = np.any(self.basis[-2:] != 0, axis=0)
        moments = self.basis[:-2, distances] @ self.shares[distances]
        return float(-np.min(moments)) > float(np.max(moments))
