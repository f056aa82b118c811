"""Non-negative weights that satisfy linear equations exactly, in rational numbers.

Given weights that satisfy them up to rounding, all but a few are kept as they are, and those few,
a square part of full rank, are solved for. Where the equations have a solution inside the weights
kept, the few move by rounding only and stay positive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from flint import fmpq, fmpq_mat, fmpz
from numpy.typing import NDArray

__all__ = ["rational", "solve_exactly", "text"]

Array = NDArray[np.float64]
Column = list[fmpq]


def rational(x: float) -> fmpq:
    """A float64 as the rational number it is."""
    numerator, denominator = float(x).as_integer_ratio()
    return fmpq(fmpz(numerator), fmpz(denominator))


def text(x: fmpq) -> str:
    """A rational as "p/q"."""
    return f"{x.p}/{x.q}"


def solve_exactly(
    columns: Callable[[int], Column], wanted: Column, weights: Sequence[float], floats: Array
) -> list[fmpq] | None:
    """Weights ≥ 0 with Σ_j weight_j · column_j = wanted, near `weights`, or None.

    Args:
        columns: j ↦ the exact column.
        wanted: the right-hand side.
        weights: positive, nearly right.
        floats: (equations, unknowns), the columns in float64: which of them to solve for.
    """
    basis, equations = _independent(floats * np.sqrt(np.asarray(weights)))
    chosen = set(basis.tolist())
    solution = [rational(w) for w in weights]
    left = list(wanted)
    for j, weight in enumerate(solution):
        if j not in chosen:
            left = _minus(left, columns(j), weight)
    parts = [columns(int(b)) for b in basis]
    if parts:
        matrix = fmpq_mat([[part[e] for part in parts] for e in equations])
        try:
            found = matrix.solve(fmpq_mat([[left[e]] for e in equations]))
        except ZeroDivisionError:
            return None
        for c, b in enumerate(basis):
            solution[b] = found[c, 0]
            left = _minus(left, parts[c], found[c, 0])
    if any(x != 0 for x in left) or any(x < 0 for x in solution):
        return None
    return solution


def _minus(total: Column, column: Column, times: fmpq) -> Column:
    return [t - times * c for t, c in zip(total, column, strict=True)]


def _independent(matrix: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Columns and rows of `matrix` that form a square part of full rank, by pivoted elimination."""
    work = matrix / np.maximum(np.max(np.abs(matrix), axis=1, keepdims=True), 1e-300)
    columns, rows = [], []
    for _ in range(min(matrix.shape)):
        row, column = np.unravel_index(np.argmax(np.abs(work)), work.shape)
        if abs(work[row, column]) <= 1e-10:
            break
        columns.append(column)
        rows.append(row)
        work = work - np.outer(work[:, column], work[row] / work[row, column])
        work[row, :] = 0
        work[:, column] = 0
    return np.array(columns, dtype=np.intp), np.array(rows, dtype=np.intp)
