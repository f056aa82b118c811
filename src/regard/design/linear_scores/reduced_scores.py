"""The few numbers that scores depend on, where they are few: what cells are cells of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify.claims.heads.cells import MOST_NUMBERS
from regard.design.linear_scores.family import Array, Family

__all__ = ["View", "view"]

MOST_WORK = 250_000  # numbers in a table of features


@dataclass(frozen=True)
class View:
    """Scores as products of coordinates (m, n, p) with p ≤ 3 numbers θ.

    Attributes:
        coordinates: times the scale, minus those of the first key.
        witness: how they are told to the check.
        left_out: how much of a score is not seen, per unit of length of the parameter; 0: nothing.
        back: θ ↦ the parameter, as a vector of the family.
    """

    coordinates: Array
    witness: dict[str, Any]
    left_out: float
    back: Callable[[Array], Array]


def view(family: Family) -> View | None:
    """The few numbers that scores depend on, or None if there are more than three."""
    m, n = len(family.rows), len(family.keys)

    def seen(coordinates: Array) -> Array:
        return family.scale * (coordinates - coordinates[:, :1])

    if m == 1 and len(family.rows[0]) > 1 and family.keys.shape[1] <= MOST_NUMBERS:
        # One row: B x is any vector.
        basis = np.kron(np.eye(family.keys.shape[1]), family.rows[0][:, None])
        lifted = view(Family(family.keys, np.ones((1, 1)), family.scale))
        if lifted is not None and lifted.witness["basis"] is None:
            witness = {"basis": basis, "coordinates": family.keys}
            of_row = np.linalg.pinv(basis.T)
            return View(lifted.coordinates, witness, 0.0, lambda theta: of_row @ theta)
    if m * n * family.size > MOST_WORK:
        return None
    flat = family.features(np.arange(m * n)) / family.scale
    apart = (flat.reshape(m, n, -1) - flat.reshape(m, n, -1)[:, :1]).reshape(m * n, -1)
    _, sizes, right = np.linalg.svd(apart, full_matrices=False)
    rank = max(1, int(np.sum(sizes > 1e-12 * max(float(sizes[0]), 1e-300))))
    if rank > MOST_NUMBERS:
        return None
    if rank == family.size:
        return View(seen(flat.reshape(m, n, -1)), {"basis": None}, 0.0, lambda theta: theta)
    found, left_out = _columns(apart, rank), 0.0
    table = right[:rank].T if found is None else found[0]
    coordinates = flat @ table if found is None else flat[:, found[1]]
    if found is None:
        rest = np.linalg.norm(flat - coordinates @ table.T, axis=1)
        left_out = 4 * abs(family.scale) * (float(np.max(rest)) + 1e-16 * float(np.max(sizes)))
    inverse = np.linalg.pinv(table.T)
    return View(
        seen(coordinates.reshape(m, n, -1)),
        {"basis": table, "coordinates": coordinates},
        left_out,
        lambda theta: inverse @ theta,
    )


def _columns(features: Array, rank: int) -> tuple[Array, list[int]] | None:
    """Columns of which all others are multiples without rounding, and the multiples."""
    chosen: list[int] = []
    left = features.copy()
    for _ in range(rank):
        chosen.append(int(np.argmax(np.linalg.norm(left, axis=0))))
        used = features[:, chosen]
        left = features - used @ np.linalg.lstsq(used, features, rcond=None)[0]
    used = features[:, chosen]
    basis = np.round(np.linalg.lstsq(used, features, rcond=None)[0], 12).T
    return (basis, chosen) if np.array_equal(used @ basis.T, features) else None
