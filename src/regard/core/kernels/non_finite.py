"""Let infinity and NaN into an average from the values that are attended to, and no others.

In a matrix product 0 · NaN is NaN, whatever the 0 stands for. So a product of weights and
values is taken without infinity and NaN (`cleaned`), and they are put into it for the
pairs of query and key that are attended to: infinity where it has a weight, NaN where it
is, or where the weight of an infinity has underflown to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Found:
    """Where infinity, minus infinity and NaN belong in sums over values, (..., n_q, d_v) each."""

    up: Array
    down: Array
    lost: Array

    def joined(self, other: Found | None) -> Found:
        """Return what two sets of keys bring in."""
        if other is None:
            return self
        return Found(self.up | other.up, self.down | other.down, self.lost | other.lost)

    def put_into(self, sums: Array) -> None:
        """Add them to the sums of the other values."""
        with np.errstate(invalid="ignore"):
            sums[self.up] += np.inf
            sums[self.down] -= np.inf
            sums[self.lost] = np.nan


def cleaned(value: Array) -> Array:
    """Return the values with 0 in place of infinity and NaN (the array itself if it has none)."""
    finite = np.isfinite(value)
    return value if finite.all() else np.where(finite, value, value.dtype.type(0))


def nothing_found(sums: Array) -> Found:
    """Return that no infinity and no NaN belongs into sums."""
    none = np.zeros(sums.shape, dtype=bool)
    return Found(none, none, none)


def find(attended: Array, weights: Array, value: Array) -> Found | None:
    """Return what these keys bring into weights · value, or None if nothing.

    Args:
        attended: which pairs of query and key count, (..., n_q, n_k).
        weights: (..., n_q, n_k).
        value: (..., n_k, d_v).
    """
    if np.isfinite(value).all():
        return None

    def meet(rows: Array, keys: Array) -> Array:
        return np.matmul(rows.astype(weights.dtype), keys.astype(weights.dtype)) > 0

    return Found(
        up=meet(attended, np.isposinf(value)),
        down=meet(attended, np.isneginf(value)),
        lost=meet(attended, np.isnan(value)) | meet(attended & (weights == 0), np.isinf(value)),
    )


def restore(sums: Array, attended: Array, weights: Array, value: Array) -> None:
    """Put into sums = weights · cleaned(value) what the cleaning left out."""
    found = find(attended, weights, value)
    if found is not None:
        found.put_into(sums)
