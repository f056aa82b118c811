"""Scores that are kept while tiles of keys come and go, and become weights at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels.statistics import Asked, Found

Array = NDArray[Any]

BY_SEARCH = 16  # so many of the largest are found one after the other; more, by sorting


class Largest:
    """The `top` largest scores of each row and their keys, the lower key first among equals."""

    def __init__(self, rows: tuple[int, ...], top: int, kind: Any) -> None:
        self.scores = np.full((*rows, top), -np.inf, dtype=kind)
        self.keys = np.full((*rows, top), -1)

    def take(self, tile: Array, start: int) -> None:
        """Take in the scores of the keys from `start` on, which come after those before."""
        top = self.keys.shape[-1]
        if not top:
            return
        place, own = _largest_of(tile, min(top, tile.shape[-1]))
        scores = np.concatenate([self.scores, own], axis=-1)
        keys = np.concatenate([self.keys, start + place], axis=-1)
        order = np.argsort(-scores, axis=-1, kind="stable")[..., :top]
        self.scores = np.take_along_axis(scores, order, axis=-1)
        self.keys = np.take_along_axis(keys, order, axis=-1)

    def write(self, best: Array, share: Array, found: Found) -> None:
        """Write the weights and the keys, 0 and -1 where a row attends to fewer."""
        found.top_weights[...] = weights_of(self.scores, best, share)
        found.top_keys[...] = np.where(np.isneginf(self.scores), -1, self.keys)


class Wanted:
    """The scores at the offsets and in the columns that are asked for, -inf where there is none."""

    def __init__(self, rows: tuple[int, ...], asked: Asked, kind: Any) -> None:
        self.asked = asked
        self.at_offsets = np.full((*rows, asked.offsets.size), -np.inf, dtype=kind)
        self.in_columns = np.full((*rows, asked.columns.size), -np.inf, dtype=kind)

    def take(self, tile: Array, start: int) -> None:
        """Take in the scores of the keys from `start` on."""
        width = tile.shape[-1]
        place = self.asked.columns - start
        here = (place >= 0) & (place < width)
        self.in_columns[..., here] = tile[..., place[here]]
        if self.asked.offsets.size:
            place = self.asked.position[..., None] - self.asked.offsets - start
            here = (place >= 0) & (place < width)
            scores = np.take_along_axis(tile, np.where(here, place, 0), axis=-1)
            np.copyto(self.at_offsets, scores, where=here)

    def write(self, best: Array, share: Array, found: Found) -> None:
        """Turn the scores that were kept into weights, and write them into what was asked for."""
        found.offset_mass[...] = weights_of(self.at_offsets, best, share)
        found.column_mass[...] = weights_of(self.in_columns, best, share)


def weights_of(scores: Array, best: Array, share: Array) -> Array:
    """Return exp(score - best) · share, and 0 for -inf: also beside NaN, for it does not count."""
    weights: Array = np.exp(scores - best[..., None])
    weights *= share[..., None]
    if np.isnan(share).any():
        weights[np.isneginf(scores)] = 0
    return weights


def _largest_of(tile: Array, count: int) -> tuple[Array, Array]:
    """Return the places of the largest entries of each row, the first of equals first, and them.

    Where all that is left is -inf a place may come again, with -inf.
    """
    if count > BY_SEARCH:
        order = np.argsort(-tile, axis=-1, kind="stable")[..., :count]
        return order, np.take_along_axis(tile, order, axis=-1)
    left = tile.copy()
    places, entries = [], []
    for _ in range(count):
        places.append(left.argmax(axis=-1, keepdims=True))
        entries.append(np.take_along_axis(left, places[-1], axis=-1))
        np.put_along_axis(left, places[-1], -np.inf, axis=-1)
    return np.concatenate(places, axis=-1), np.concatenate(entries, axis=-1)
