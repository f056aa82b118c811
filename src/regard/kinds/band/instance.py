"""A window of shifts in numbers: which blocks turn how far within it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.kinds.band.spec import BandGiven
from regard.problems.positions import Float64, Positions
from regard.report import number

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Window(Positions):
    """Positions, and a window of shifts T − B/2 … T + B/2."""

    B: float

    @property
    def phases(self) -> Float64:
        """How far each block has turned at the edge of the window, (d_model/2,)."""
        return self.omega * self.B / 2

    @property
    def symbols(self) -> dict[str, float]:
        """What formulas of any block may use."""
        return {"B": self.B, **super().symbols}

    def __str__(self) -> str:
        return f"d_model = {self.d_model} and B = {number(self.B)}"


def window_of(given: BandGiven) -> Window:
    """Return the window of a problem."""
    return Window(given.d_model, given.n, given.T, given.base, given.B)
