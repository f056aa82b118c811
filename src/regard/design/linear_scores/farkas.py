"""Weights that share the moments of a pattern: the witnesses of what no query can do.

A solver returns such weights rounded, with a residual r = moment(Λ) − moment(P) that is tiny and
not zero, which proves something for parameters up to some length only. Here they are completed,
where that is possible, to weights that satisfy the equations exactly in rational numbers, which
proves it for all: every weight but a few is kept as it is, and those few are solved for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from regard.certify.balls import LARGEST_EXACT
from regard.design.linear_scores.family import Array, Family, largest
from regard.design.linear_scores.rational_witness import rational, solve_exactly, text

__all__ = ["Combination", "complete"]

MOST_UNKNOWNS = 128
MOST_ENTRIES = 100_000


@dataclass(frozen=True)
class Combination:
    """Weights Λ (m, n) with the moments of a pattern, up to `residual` (0 if `exact` is given).

    Attributes:
        weights: float64, ≥ 0; the groups sum to what they summed to.
        residual: at least the length of moment(Λ) − moment(P).
        exact: the same weights as rationals "p/q", or None if only the rounded ones are known.
    """

    weights: Array
    residual: float
    exact: list[list[str]] | None


def complete(family: Family, weights: Array, goal: Array) -> Combination:
    """Correct `weights` so that moment(weights) = moment(goal), exactly if that can be done.

    Args:
        family: the scores.
        weights: (m, n), ≥ 0, rows that sum to 1, nearly right.
        goal: (m, n), the table whose moments are wanted, rows that sum to 1 up to rounding.
    """
    best = _corrected(family.shifted(), weights, goal)
    small = (
        weights.size * family.size <= MOST_ENTRIES
        and family.size + len(weights) <= MOST_UNKNOWNS
        and (weights.size + np.count_nonzero(goal)) * family.keys.shape[1] <= LARGEST_EXACT
    )
    if small:
        most = float(np.max(best))
        # On a face of the hull the other weights are rounding: without them the equations may hold.
        for floor in (0.0, 1e-12, 1e-9, 1e-7):
            kept = best > floor * most
            exact = _solved(family, np.where(kept, best, 0.0), goal, kept)
            if exact is not None:
                rounded = np.array([[float(w) for w in row] for row in exact])
                return Combination(rounded, 0.0, [[text(w) for w in row] for row in exact])
    size = abs(family.scale) * largest(family.keys) * largest(family.rows) * family.size
    residual = _residual(family, best, goal)
    if residual > 1e-15 * size:
        best, residual = _without_dust(family, best, goal, residual)
    rounding = 16 * float(np.finfo(np.longdouble).eps) * size
    return Combination(best, residual * (1 + 1e-9) + rounding, None)


def _corrected(family: Family, weights: Array, goal: Array) -> Array:
    """A few Newton steps on the equations, multiplying each weight by 1 + something small."""
    best = weights / np.sum(weights, axis=1, keepdims=True)
    apart = family.moment(goal - best)
    size = abs(family.scale) * largest(family.keys) * largest(family.rows)
    for _ in range(3):
        if np.linalg.norm(apart) <= 1e-15 * size:  # as good as float64 has it
            break
        step = np.linalg.lstsq(family.curvature(best), apart, rcond=1e-13)[0]
        scores = family.scores(np.asarray(step, dtype=np.float64))
        moved = best * (1 + scores - np.sum(best * scores, axis=1, keepdims=True))
        if np.min(moved) < 0:
            break
        moved /= np.sum(moved, axis=1, keepdims=True)
        left = family.moment(goal - moved)
        if np.linalg.norm(left) >= np.linalg.norm(apart):
            break
        best, apart = moved, left
    return best


def _without_dust(
    family: Family, weights: Array, goal: Array, residual: float
) -> tuple[Array, float]:
    """Drop weights that are rounding where that makes the residual smaller."""
    best, missing = weights, residual
    for floor in (1e-12, 1e-9):
        kept = np.where(weights > floor * np.max(weights), weights, 0.0)
        if np.min(np.sum(kept, axis=1)) == 0:
            break
        kept = _corrected(family.shifted(), kept, goal)
        left = _residual(family, kept, goal)
        if left < missing:
            best, missing = kept, left
    return best, missing


def _residual(family: Family, weights: Array, goal: Array) -> float:
    """The length of moment(weights) − moment(goal), in wide floats: it is tiny beside its terms."""
    left = np.zeros((family.keys.shape[1], family.rows.shape[1]), dtype=np.longdouble)
    rows = family.rows.astype(np.longdouble)
    sums = np.sum(weights.astype(np.longdouble), axis=1, keepdims=True)
    wanted = np.sum(goal.astype(np.longdouble), axis=1, keepdims=True)  # 1 up to rounding
    for part in family.parts():
        table = weights[:, part] / sums - goal[:, part] / wanted
        left += np.einsum("nr,nc->rc", family.keys[part].astype(np.longdouble), table.T @ rows)
    return abs(family.scale) * float(np.sqrt(np.sum(left * left)))


def _solved(
    family: Family, weights: Array, goal: Array, kept: NDArray[np.bool_]
) -> list[list[fmpq]] | None:
    """Rational weights on `kept` with exactly the moments and row sums of `goal`, or None."""
    pairs = np.flatnonzero(kept)
    if len(pairs) == 0:
        return None
    m, n = weights.shape
    keys = [[rational(x) for x in row] for row in family.keys]
    rows = [[rational(x) for x in row] for row in family.rows]

    def column(pair: int) -> list[fmpq]:
        i, j = divmod(int(pair), n)
        return [y * x for y in keys[j] for x in rows[i]] + [fmpq(int(g == i)) for g in range(m)]

    wanted = [fmpq(0)] * (family.size + m)
    for i, row in enumerate(goal):
        # The floats of a goal may miss 1 by a rounding; the claim divides by their exact sum.
        total = sum((rational(x) for x in row), fmpq(0))
        for j in np.flatnonzero(row):
            share = rational(row[j]) / total
            wanted = [w + share * c for w, c in zip(wanted, column(i * n + j), strict=True)]
    sums = (pairs // n == np.arange(m)[:, None]).astype(float)  # one equation per row
    floats = np.concatenate([family.features(pairs).T / family.scale, sums])
    solution = solve_exactly(
        lambda c: column(pairs[c]), wanted, weights.ravel()[pairs].tolist(), floats
    )
    if solution is None:
        return None
    table = [[fmpq(0)] * n for _ in rows]
    for pair, weight in zip(pairs.tolist(), solution, strict=True):
        table[pair // n][pair % n] = weight
    return table
