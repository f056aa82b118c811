"""Multipliers whose two averages are the same point: exactly, as fractions, or to rounding."""

from __future__ import annotations

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from regard.certify.balls import LARGEST_EXACT
from regard.design.linear_scores.dual_multipliers import Multipliers
from regard.design.linear_scores.family import Array, Family
from regard.design.linear_scores.rational_witness import rational, solve_exactly, text

__all__ = ["balanced"]

MOST_EXACT, MOST_UNKNOWNS = 100_000, 160

Listed = list[list[object]]  # [row, key, weight]


def balanced(family: Family, rows: list[int], found: Multipliers) -> tuple[Listed, Listed, bool]:
    """Both as [row, key, weight], of equal moments: exactly, as fractions, if that can be done.

    Args:
        family: the scores, with the keys as they were given.
        rows: what the rows are called in the certificate.
        found: multipliers that are nearly balanced.

    Returns:
        The entries of y and of l, and whether they are exact.
    """
    n = len(family.keys)
    pairs = np.concatenate([np.flatnonzero(found.lower), np.flatnonzero(found.upper)])
    signs = np.ones(len(pairs))
    count = int(np.count_nonzero(found.lower))
    signs[count:] = -1
    weights = np.concatenate(
        [found.lower.ravel()[pairs[:count]], found.upper.ravel()[pairs[count:]]]
    )
    sums = (pairs // n == np.arange(len(rows))[:, None]).astype(float)
    easy = family.shifted()
    floats = np.concatenate(
        [
            easy.features(pairs).T / family.scale * signs,
            sums * signs,
            (signs > 0).astype(float)[None],
        ]
    )
    right = np.zeros(len(floats))
    right[-1] = 1
    weights = _corrected(floats, weights, right)
    exact = None
    small = len(pairs) * max(family.keys.shape[1], len(rows)) <= LARGEST_EXACT
    if small and len(pairs) * family.size <= MOST_EXACT and len(floats) <= MOST_UNKNOWNS:
        exact = _exactly(family, pairs, signs, weights, floats)
    named: list[object] = list(weights.tolist()) if exact is None else exact
    listed: tuple[Listed, Listed] = ([], [])
    for pair, sign, weight in zip(pairs.tolist(), signs.tolist(), named, strict=True):
        if weight not in (0.0, "0/1"):
            listed[sign < 0].append([rows[pair // n], pair % n, weight])
    return listed[0], listed[1], exact is not None


def _corrected(equations: Array, weights: Array, right: Array) -> Array:
    """Weights that satisfy the equations better, each changed by a small share of itself."""
    scaled = equations / np.maximum(np.max(np.abs(equations), axis=1, keepdims=True), 1e-300)
    aim = right / np.maximum(np.max(np.abs(equations), axis=1), 1e-300)
    best, wide = weights, scaled.astype(np.longdouble)
    missing = np.inf
    for _ in range(4):
        left = np.asarray(aim - np.einsum("ep,p->e", wide, best.astype(np.longdouble)), float)
        if float(np.linalg.norm(left)) >= missing:
            break
        missing, kept = float(np.linalg.norm(left)), best
        step = np.linalg.lstsq(scaled * best, left, rcond=1e-12)[0]
        if np.any(step <= -1):
            return kept
        best = best * (1 + step)
    return kept


def _exactly(
    family: Family, pairs: NDArray[np.intp], signs: Array, weights: Array, floats: Array
) -> list[object] | None:
    """Rational weights that satisfy the equations, as "p/q", or None."""
    n = len(family.keys)
    keys = [[rational(x) for x in row] for row in family.keys]
    rows = [[rational(x) for x in row] for row in family.rows]

    def column(place: int) -> list[fmpq]:
        i, j = divmod(int(pairs[place]), n)
        sign = int(signs[place])
        moment = [sign * y * x for y in keys[j] for x in rows[i]]
        sums = [rational(float(sign * (g == i))) for g in range(len(rows))]
        return [*moment, *sums, rational(float(sign > 0))]

    wanted = [rational(0.0)] * (len(floats) - 1) + [rational(1.0)]
    found = solve_exactly(column, wanted, weights.tolist(), floats)
    return None if found is None else [text(weight) for weight in found]
