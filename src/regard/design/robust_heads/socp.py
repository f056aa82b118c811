"""The convex programs behind robust heads, put to clarabel.

Programs are: minimise x·Px/2 + c·x with rows·x ≥ lower, ties·x = wanted and cones ‖matrix x‖ ≤
entry x. Multipliers come back in the signs of  Px + c = rowsᵀ y + tiesᵀ z + Σ (entryᵀ λ −
matrixᵀ w),  ‖w‖ ≤ λ.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Program", "Solved", "factor", "widened"]

Array = NDArray[np.float64]

PRECISIONS = (1e-11, 1e-8)  # asked of the solver in turn; what it reaches is measured afterwards
FLAT = 1e-15  # eigenvalues below this share of the largest are rounding


@dataclass(frozen=True)
class Solved:
    """What the solver found: "solved", "infeasible" or "failed", and the multipliers."""

    status: str
    x: Array
    rows: Array
    ties: Array
    cones: list[tuple[float, Array]]


@dataclass
class Program:
    """A convex program that is put together and solved."""

    quadratic: Array
    linear: Array
    rows: Array
    lower: Array
    ties: Array
    wanted: Array
    cones: list[tuple[Array, Array]] = field(default_factory=list)
    radius: tuple[Array, float] | None = None  # ‖matrix x‖ ≤ number

    def solve(self) -> Solved:
        """Return what clarabel finds for this cone program."""
        import clarabel  # slow to load
        from scipy import sparse  # slow to load

        blocks, sides, kinds = [], [], []
        if len(self.ties):
            blocks.append(self.ties)
            sides.append(self.wanted)
            kinds.append(clarabel.ZeroConeT(len(self.ties)))
        if len(self.rows):
            blocks.append(-self.rows)
            sides.append(-self.lower)
            kinds.append(clarabel.NonnegativeConeT(len(self.rows)))
        balls = [(np.vstack([entry, matrix]), 0.0) for entry, matrix in self.cones]
        if self.radius is not None:
            matrix, length = self.radius
            balls.append((np.vstack([np.zeros(matrix.shape[1]), matrix]), length))
        for block, length in balls:
            blocks.append(-block)
            sides.append(np.concatenate([[length], np.zeros(len(block) - 1)]))
            kinds.append(clarabel.SecondOrderConeT(len(block)))
        inequalities = np.vstack(blocks) if blocks else np.zeros((0, len(self.linear)))
        given = (
            sparse.csc_matrix(np.triu(self.quadratic)),
            self.linear,
            sparse.csc_matrix(inequalities),
            np.concatenate(sides) if sides else np.zeros(0),
            kinds,
        )
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        for precision in PRECISIONS:
            settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = precision
            answer = clarabel.DefaultSolver(*given, settings).solve()
            found = self._read(answer, [len(block) for block, _ in balls])
            if found.status != "failed":
                break
        return found

    def _read(self, answer: object, sizes: list[int]) -> Solved:
        names = {"Solved": "solved", "AlmostSolved": "solved", "PrimalInfeasible": "infeasible"}
        word = str(answer.status)  # type: ignore[attr-defined]
        x, z = np.array(answer.x), np.array(answer.z)  # type: ignore[attr-defined]
        cut = np.cumsum([len(self.ties), len(self.rows), *sizes])
        parts = np.split(z, cut[:-1]) if len(z) else [np.zeros(0)] * len(cut)
        return Solved(
            names.get(word, "failed"),
            x,
            parts[1],
            -parts[0],
            [(float(part[0]), -part[1:]) for part in parts[2:]],
        )


def factor(matrix: Array) -> Array:
    """Rows L with LᵀL = matrix, as few as its rank: its small eigenvalues are rounding."""
    sizes, vectors = np.linalg.eigh(matrix)
    kept = sizes > FLAT * max(float(sizes[-1]), 0.0)
    return np.asarray((vectors[:, kept] * np.sqrt(sizes[kept])).T)


def widened(matrix: Array, extra: int) -> Array:
    """A matrix with columns of zeros for the variables that are not the query."""
    return np.hstack([matrix, np.zeros((len(matrix), extra))])
