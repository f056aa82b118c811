"""T5's positions: a number for each head and bucket of distances, added to scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.model import Array, Model
from regard.shapes import show

__all__ = ["buckets", "relative_bias"]


def buckets(n: int, count: int, last: int, two_sided: bool) -> NDArray[np.intp]:
    """Return the bucket of query t and key τ, (n, n).

    Distances below half of a side's buckets have one each; the rest share the others evenly on a
    logarithmic scale up to `last`. Two-sided, keys ahead have the second half of the buckets.

    Example:
        >>> buckets(4, 32, 128, True).tolist()
        [[0, 17, 18, 19], [1, 0, 17, 18], [2, 1, 0, 17], [3, 2, 1, 0]]
    """
    t = np.arange(n)
    back = t[:, None] - t[None, :]  # query minus key
    ahead = np.zeros_like(back)
    if two_sided:
        count //= 2
        ahead = np.where(back < 0, count, 0)
        back = np.abs(back)
    else:
        back = np.maximum(back, 0)
    exact = count // 2
    far = exact + np.floor(
        np.log(np.maximum(back, 1) / exact) / np.log(last / exact) * (count - exact) + 1e-9
    ).astype(np.intp)
    return np.asarray(ahead + np.where(back < exact, back, np.minimum(far, count - 1)))


def relative_bias(model: Model, n: int) -> Array | None:
    """Return what is added to the scores, (n_heads, n, n), or None if nothing is."""
    a = model.architecture
    if a.positions != "relative":
        return None
    table = model.read("relative_bias")
    count, last = a.buckets
    if table is None or table.shape != (count, a.n_heads):
        got = "none" if table is None else show(table.shape)
        raise InvalidModel(
            f"{model.tensors.source}: the table of relative positions must be "
            f"({count}, {a.n_heads}). Got {got}."
        )
    return np.ascontiguousarray(table[buckets(n, count, last, not a.is_causal)].transpose(2, 0, 1))
