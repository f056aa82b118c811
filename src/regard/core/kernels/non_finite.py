"""Let infinity and NaN into an average from the values that are attended to, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def cleaned(value: Array) -> Array:
    """Return the values with 0 in place of infinity and NaN (the array itself if it has none)."""
    finite = np.isfinite(value)
    return value if finite.all() else np.where(finite, value, value.dtype.type(0))


def restore(sums: Array, attended: Array, weights: Array, value: Array) -> None:
    """Put into sums = weights · cleaned(value) what the cleaning left out.

    In a matrix product 0 · NaN is NaN, whatever the 0 stands for. So the product is
    taken without infinity and NaN, and they are added here for the pairs in
    `attended` (..., n_q, n_k): infinity times its weight, and NaN where that weight
    has underflown to 0.
    """
    if np.isfinite(value).all():
        return

    def meet(rows: Array, keys: Array) -> Array:
        return np.matmul(rows.astype(sums.dtype), keys.astype(sums.dtype)) > 0

    up = meet(attended, np.isposinf(value))
    down = meet(attended, np.isneginf(value))
    lost = meet(attended, np.isnan(value)) | meet(attended & (weights == 0), np.isinf(value))
    with np.errstate(invalid="ignore"):
        sums[up] += np.inf
        sums[down] -= np.inf
        sums[lost] = np.nan
