"""A pattern as a limit: B = B_1 + C · B_0 with C → ∞.

For each row i with wanted keys S_i,

    B_1  gives the wanted keys of a row scores that differ as the logarithms of their wanted
    weights; B_0  scores the wanted keys of a row alike, and every other key lower by at least
    `margin`.

Then the weights inside S_i are right for every C, and what leaks to the other keys of row i is

    r / (1 − r) = Σ_{j ∉ S_i} exp(s_1j − κ_i − C δ_ij),    δ_ij ≥ margin > 0,

which falls to 0. B_0 of unit length with the widest margin is the direction of the point nearest
to the origin in the hull of the differences (wanted − other), after the directions in which the
wanted keys of a row differ have been projected out. If that point is the origin itself, no B_0
exists, and the weights of that point say why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.design.linear_scores.family import Array, Family, Pattern
from regard.design.linear_scores.min_norm_point import Nearest, PointSet, nearest_point

__all__ = ["Face", "fit_inside", "widest"]


@dataclass(frozen=True)
class Face:
    """What is known of the limit.

    Attributes:
        inside: B_1 as a vector.
        direction: B_0, a unit vector, or None where every key is wanted or none separates.
        margin: the least score difference that B_0 gives, at scale 1 (0 if there is none).
        nearest: the nearest point, whose weights bound the margin from above; None where no key is
            left over.
    """

    inside: Array
    direction: Array | None
    margin: float
    nearest: Nearest | None


def fit_inside(family: Family, pattern: Pattern, cutoff: float) -> tuple[Array, Array]:
    """B_1, and an orthonormal basis (rows) of the directions in which wanted keys of a row differ.

    Args:
        cutoff: singular values below this share of the largest count as zero.
    """
    edges, wanted = [], []
    for row, (indices, weights) in enumerate(zip(pattern.indices, pattern.weights, strict=True)):
        if len(indices) > 1:
            features = family.features(row * len(family.keys) + indices)
            edges.append(features[1:] - features[0])
            wanted.append(np.log(weights[1:]) - np.log(weights[0]))
    if not edges:
        return np.zeros(family.size), np.zeros((0, family.size))
    left, sizes, right = np.linalg.svd(np.concatenate(edges), full_matrices=False)
    kept = sizes > cutoff * sizes[0] if sizes[0] > 0 else np.zeros(len(sizes), dtype=bool)
    components = left[:, kept].T @ np.concatenate(wanted)
    return right[kept].T @ (components / sizes[kept]), right[kept]


def widest(
    family: Family,
    pattern: Pattern,
    cutoff: float = 1e-10,
    tick: Callable[[float, float], None] = lambda lower, upper: None,
) -> Face:
    """Find B_1 and the B_0 of widest margin."""
    inside, basis = fit_inside(family, pattern, cutoff)
    if all(len(indices) == len(family.keys) for indices in pattern.indices):
        return Face(inside, None, 0.0, None)
    points = _differences(family, pattern, basis)
    start = family.moment(pattern.table(len(family.keys)) - 1 / len(family.keys))
    start = start - basis.T @ (basis @ start)
    nearest = nearest_point(points, start=start if np.any(start) else None, tick=tick)
    margin = nearest.lower / abs(family.scale)
    if margin <= 0:
        return Face(inside, None, 0.0, nearest)
    direction = nearest.point / nearest.upper
    for _ in range(2):  # a short point carries the rounding of the long ones it was made of
        direction -= basis.T @ (basis @ direction)
    return Face(inside, direction, margin, nearest)


def _differences(family: Family, pattern: Pattern, basis: Array) -> PointSet:
    """The vectors (first wanted key − other key) of every row, outside the span of `basis`."""
    keys = len(family.keys)
    first = np.array([indices[0] for indices in pattern.indices])
    offsets = np.arange(len(first)) * keys

    def along(w: Array) -> Array:
        scores = family.scores(w)
        heights = scores[np.arange(len(first)), first]
        np.subtract(heights[:, None], scores, out=scores)
        for row, indices in enumerate(pattern.indices):
            scores[row, indices] = np.inf
        return scores.ravel()

    def rows(pairs: NDArray[np.intp]) -> Array:
        i = pairs // keys
        vectors = family.features(offsets[i] + first[i]) - family.features(pairs)
        return vectors - (vectors @ basis.T) @ basis

    return PointSet(len(first) * keys, along, rows)
