"""Which keys each query may attend to.

Causal order, windows and key lengths all say the same kind of thing: query i
may attend to keys j with first_i ≤ j < end_i. They are therefore kept as two
whole numbers per query and never as a table of pairs. Only a mask given by the
caller is a table, and that one is the caller's own memory, viewed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import take
from regard.errors import ParameterError
from regard.shapes import boolean, per_batch, window_sides

Array = NDArray[Any]


@dataclass(frozen=True)
class KeyRange:
    """The keys first ≤ j < end that each query may attend to.

    Attributes:
        first: int64, one per query, any number of axes before that.
        end: likewise.
    """

    first: Array
    end: Array

    def at(self, index: tuple[Any, ...]) -> KeyRange:
        """Return the range of some of the queries."""
        return KeyRange(self.first[index], self.end[index])

    def span(self) -> tuple[int, int]:
        """Return the smallest range of keys that holds the ranges of all these queries."""
        some = self.first < self.end
        if not some.any():
            return 0, 0
        return int(self.first[some].min()), int(self.end[some].max())

    def excluded(self, start: int, stop: int) -> Array | None:
        """Return which of the keys start ≤ j < stop are outside for each query (None: not one)."""
        if (self.first <= start).all() and (self.end >= stop).all():
            return None
        key = np.arange(start, stop)
        return (key < self.first[..., None]) | (key >= self.end[..., None])


def key_range(
    function: str,
    batch: tuple[int, ...],
    n_q: int,
    n_k: int,
    *,
    is_causal: object,
    causal_offset: object,
    window: object,
    key_lengths: object,
) -> KeyRange | None:
    """Turn causal order, window and key lengths into a range of keys with axes (*batch, n_q).

    Returns None where every query may attend to every key. Axes of `batch` along
    which nothing varies have length 1.
    """
    if is_causal is False and type(causal_offset) is int and window is None and key_lengths is None:
        return None  # the usual case, and quick to see
    causal = boolean(function, "is_causal", is_causal)
    left, right = window_sides(function, window)
    offset = _whole_numbers(function, "causal_offset", causal_offset, batch)
    if not causal and left is None and right is None and key_lengths is None:
        return None
    centre = positions(function, batch, n_q, offset)
    far = n_q + n_k + int(np.abs(offset).max(initial=0))  # a side this wide has no effect
    first = np.zeros_like(centre) if left is None else centre - min(left, far)
    end = np.full_like(centre, n_k) if right is None else centre + min(right, far) + 1
    if causal:
        end = np.minimum(end, centre + 1)
    if key_lengths is not None:
        lengths = _whole_numbers(function, "key_lengths", key_lengths, batch)
        if (lengths < 0).any() or (lengths > n_k).any():
            low, high = int(lengths.min()), int(lengths.max())
            got = key_lengths if isinstance(key_lengths, int) else f"{low} to {high}"
            raise ParameterError(
                f"{function}: key_lengths must lie between 0 and n_k = {n_k}. "
                f"Got {low if low == high and got != key_lengths else got}."
            )
        end = np.minimum(end, lengths[..., None])
    first, end = np.broadcast_arrays(np.clip(first, 0, n_k), np.clip(end, 0, n_k))
    return KeyRange(first, end)


def positions(function: str, batch: tuple[int, ...], n_q: int, causal_offset: object) -> Array:
    """Return the position of each query among the keys, i + causal_offset, axes (*batch, n_q).

    Axes of `batch` along which it does not vary have length 1.
    """
    offset = _whole_numbers(function, "causal_offset", causal_offset, batch)
    centre: Array = offset[..., None] + np.arange(n_q)
    return centre.reshape((1,) * (len(batch) + 1 - centre.ndim) + centre.shape)


def _whole_numbers(function: str, name: str, value: object, batch: tuple[int, ...]) -> Array:
    if isinstance(value, int) and not isinstance(value, bool):
        value = max(-(2**61), min(value, 2**61))  # beyond every length, within int64
    return per_batch(function, name, take(function, name, value).array, batch)
