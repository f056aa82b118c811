"""Geometry of points in the plane, for pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def hull(points: NDArray[np.float64]) -> list[int] | None:
    """Return the corners of the convex hull, counterclockwise; None unless points are in the plane.

    Args:
        points: (n, 2). Equal points count once, points on an edge are no corners.

    >>> hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0], [1.0, 0.0]]))
    [0, 1, 3]
    """
    if points.ndim != 2 or points.shape[1] != 2:
        return None
    order = [int(i) for i in np.lexsort((points[:, 1], points[:, 0]))]
    order = [
        i for i, before in zip(order, [-1, *order[:-1]], strict=True)
        if before < 0 or (points[i] != points[before]).any()
    ]  # fmt: skip
    if len(order) < 3:
        return order
    return _chain(points, order)[:-1] + _chain(points, order[::-1])[:-1]


def _chain(points: NDArray[np.float64], order: list[int]) -> list[int]:
    """The corners that turn left, from the first point to the last."""
    chain: list[int] = []
    for i in order:
        while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[i]) <= 0:
            chain.pop()
        chain.append(i)
    return chain


def _turn(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> float:
    first, second = b - a, c - a
    return float(first[0] * second[1] - first[1] * second[0])
