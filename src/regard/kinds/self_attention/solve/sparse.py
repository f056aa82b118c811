"""Matrices with few terms: as sums of outer products of basis vectors with small coefficients."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_SUPPORTS = 6000
EXACT = 1e-9


def sparse(rows: Array, wanted: Array, free: Array, home: int | None = None) -> Array | None:
    """Return the vector v with rows @ v = wanted and the fewest entries; None if there is none.

    Of several, the one whose entries are at `home`, small, and without effect on the rows of
    `free`.
    """
    width = rows.shape[1]
    size = 1.0 + float(np.max(np.abs(wanted), initial=0.0))
    if float(np.max(np.abs(wanted), initial=0.0)) <= EXACT:
        return np.zeros(width)
    for count in range(1, min(3, width) + 1):
        if math.comb(width, count) > MOST_SUPPORTS:
            break
        found: list[tuple[tuple[float, ...], Array]] = []
        for support in combinations(range(width), count):
            vector = np.zeros(width)
            part = np.linalg.lstsq(rows[:, support], wanted, rcond=1e-10)[0]
            vector[list(support)] = part
            if float(np.max(np.abs(rows @ vector - wanted))) > EXACT * size:
                continue
            away = float(sum(p != home for p in support))
            effect = float(np.sum(np.abs(free @ vector)))
            key = (away, float(np.sum(np.abs(part))), effect, *map(float, support))
            found.append((tuple(round(k, 9) for k in key), vector))
        if found:
            return _clean(min(found, key=lambda one: one[0])[1])
    shortest = np.asarray(np.linalg.lstsq(rows, wanted, rcond=1e-10)[0])
    if float(np.max(np.abs(rows @ shortest - wanted))) > EXACT * size:
        return None
    return _clean(shortest)


def matrix(rows: Array, wanted: Array, free: Array, at_home: bool) -> Array | None:
    """Return M (b, b) with M rows_i = wanted_i for every i and few terms; None if there is none."""
    found = []
    for p in range(wanted.shape[1]):
        row = sparse(rows, wanted[:, p], free, p if at_home else None)
        if row is None:
            return None
        found.append(row)
    return np.array(found)


def direction(tokens: Array, chosen: tuple[int, ...]) -> tuple[Array, float] | None:
    """Return a vector that scores the chosen tokens alike and above all others, and by how much.

    Of few basis vectors if that is possible; None if there is none at all.
    """
    n, width = tokens.shape
    others = [j for j in range(n) if j not in chosen]
    if not others:
        return np.zeros(width), math.inf
    for count in (1, 2):
        if math.comb(width, count) * 2**count > MOST_SUPPORTS:
            break
        found: list[tuple[tuple[float, ...], Array, float]] = []
        for support in combinations(range(width), count):
            for signs in product((1.0, -1.0), repeat=count):
                vector = np.zeros(width)
                vector[list(support)] = signs
                margin = _margin(tokens, vector, chosen, others)
                if margin > EXACT:
                    negative = float(sum(sign < 0 for sign in signs))
                    found.append(((-margin, negative, *map(float, support)), vector, margin))
        if found:
            _, vector, margin = min(found, key=lambda one: one[0])
            return vector, margin
    return _widest(tokens, chosen, others)


def _margin(tokens: Array, vector: Array, chosen: tuple[int, ...], others: list[int]) -> float:
    scores = tokens @ vector
    top = scores[list(chosen)]
    if float(np.ptp(top)) > EXACT:
        return -math.inf
    return float(np.min(top) - np.max(scores[others]))


def _widest(
    tokens: Array, chosen: tuple[int, ...], others: list[int]
) -> tuple[Array, float] | None:
    """Return the vector with entries up to 1 that has the widest margin, by a linear program."""
    from scipy.optimize import linprog  # imported where used: it is slow to load

    width = tokens.shape[1]
    first = tokens[chosen[0]]
    above = np.column_stack([tokens[others] - first, np.ones(len(others))])
    alike = np.column_stack([tokens[list(chosen[1:])] - first, np.zeros(len(chosen) - 1)])
    found = linprog(
        np.append(np.zeros(width), -1.0),
        A_ub=above,
        b_ub=np.zeros(len(others)),
        A_eq=alike if len(alike) else None,
        b_eq=np.zeros(len(alike)) if len(alike) else None,
        bounds=[(-1, 1)] * width + [(None, None)],
        method="highs",
    )
    if not found.success or -found.fun <= 1e-7:
        return None
    vector = _clean(np.asarray(found.x[:width]))
    margin = _margin(tokens, vector, chosen, others)
    return (vector, margin) if margin > EXACT else None


def _clean(vector: Array) -> Array:
    """Round entries that are simple fractions but for rounding to these."""
    rounded = np.round(vector * 24) / 24
    return np.asarray(np.where(np.abs(vector - rounded) < 1e-9, rounded + 0.0, vector))
