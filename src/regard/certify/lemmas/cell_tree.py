"""Cells that cover all vectors θ of a few numbers, and the tree of cuts that makes them.

All θ are r · (σ at place c, t_k at the others) with a place c, a sign σ, |t_k| ≤ 1 and r ≥ 0: 2p
pyramids. A tree is a list of cuts, read in order: 0 cuts r, k cuts t_k, -1 leaves a cell whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regard.certify.certificate import Unusable

LEAF = -1

Interval = tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """r in `reach`, and t_k in `sides`, around the axis `place` with a sign."""

    place: int
    sign: int
    reach: Interval
    sides: tuple[Interval, ...]

    def halves(self, cut: int, start: float) -> tuple[Cell, Cell]:
        """Cut r (0) or t_k (k): in the middle; where r has no end, at `start` or at twice r."""
        if cut == 0:
            low, high = self.reach
            middle = (low + high) / 2 if math.isfinite(high) else 2 * low or start
            parts = ((low, middle), (middle, high))
            return (
                Cell(self.place, self.sign, parts[0], self.sides),
                Cell(self.place, self.sign, parts[1], self.sides),
            )
        low, high = self.sides[cut - 1]
        middle = (low + high) / 2
        found = []
        for side in ((low, middle), (middle, high)):
            sides = (*self.sides[: cut - 1], side, *self.sides[cut:])
            found.append(Cell(self.place, self.sign, self.reach, sides))
        return found[0], found[1]


def pyramids(size: int) -> list[Cell]:
    """Return the cells that are all θ of `size` numbers."""
    sides = ((-1.0, 1.0),) * (size - 1)
    reach = (0.0, math.inf)
    return [Cell(c, sign, reach, sides) for c in range(size) for sign in (1, -1)]


def leaves(tree: Sequence[int], size: int, start: float) -> Iterator[Cell]:
    """Yield the cells that a tree of cuts, read in order, leaves whole."""
    waiting = pyramids(size)[::-1]
    for cut in tree:
        if not waiting:
            raise Unusable("tree has more cuts than cells.")
        cell = waiting.pop()
        if cut == LEAF:
            yield cell
        elif 0 <= cut <= len(cell.sides):
            low, high = cell.halves(cut, start)
            waiting += [high, low]
        else:
            raise Unusable("tree has a cut of no number.")
    if waiting:
        raise Unusable("tree leaves cells over.")
