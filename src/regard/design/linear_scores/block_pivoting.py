"""A first guess at the nearest point of a hull for many points in very many dimensions.

Wolfe's algorithm adds one point at a time and factors anew; where thousands of points carry the
nearest one that takes hours. Here all points take part at once: min ½ z'Gz − Σ z, z ≥ 0, with G the
products of the points, has the nearest point as Σ z_i y_i / Σ z_i. Block principal pivoting solves
G z = 1 on a set, drops all z below 0, adds all points that score too low, and goes on while the
number of these falls. What comes out is only where Wolfe's algorithm begins: that decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGE", "block_pivoting"]

LARGE = 512  # dimensions from which on it pays
MOST_ROUNDS = 30
SLACK = 1e-12  # of a score: less is rounding


def block_pivoting(
    points: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Indices and weights > 0 of points (m, d) whose average is near the nearest; None: no guess.

    The points have to be linearly independent, so m ≤ d.
    """
    m = len(points)
    if m > points.shape[1]:
        return None
    products = points @ points.T
    used, fewest, patience = np.ones(m, dtype=bool), m + 1, 3
    for _ in range(MOST_ROUNDS):
        at = np.flatnonzero(used)
        try:
            part = products if len(at) == m else products[np.ix_(at, at)]
            weights = np.linalg.solve(part, np.ones(len(at)))
        except np.linalg.LinAlgError:
            return None
        if not np.all(np.isfinite(weights)):
            return None
        scores = products[:, at] @ weights
        wrong = np.zeros(m, dtype=bool)
        wrong[at] = weights <= 0
        wrong |= ~used & (scores < 1 - SLACK)
        count = int(np.sum(wrong))
        if count == 0:
            return at, weights / np.sum(weights)
        if count < fewest:
            fewest, patience = count, 3
        elif patience > 0:
            patience -= 1
        else:  # one at a time cannot go round in circles
            last = int(np.flatnonzero(wrong)[-1])
            wrong = np.arange(m) == last
        used ^= wrong
        if not np.any(used):
            return None
    return None
