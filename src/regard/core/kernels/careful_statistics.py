"""Statistics done again, slowly and safely, for rows where the fast way met NaN or infinity.

Scores come from :func:`careful.scores`, in float64 and without overflow before they are scaled.
A row that does attend to NaN or to +inf has no weights: all its numbers are NaN, but for the
weights of keys that it does not attend to, and its keys are -1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels import careful, numpy_statistics, numpy_tiles, threads
from regard.core.kernels.problem import Index, Problem
from regard.core.kernels.statistics import Asked, Found

Array = NDArray[Any]

ROWS = 128  # that are done at a time


def redo(problem: Problem, asked: Asked, found: Found, *, everything: bool = False) -> None:
    """Do the rows whose lse is NaN again, or all, and what keys receive where there are some."""
    again = np.full(found.lse.shape, True) if everything else np.isnan(found.lse)
    if not again.any():
        return
    tasks = [task for outer in np.argwhere(again.any(axis=-1)) for task in _rows(again, outer)]
    threads.for_each(
        tasks,
        lambda where: _describe(problem, asked, found, where),
        min(threads.available(), len(tasks)),
    )
    if found.received is not None:
        for outer in np.argwhere(again.any(axis=-1)):
            _receive(problem, asked, found.received, tuple(map(int, outer)))


def _rows(again: Array, outer: Array) -> list[Index]:
    """Return indices of the rows of one problem that are done again, some at a time."""
    where = tuple(map(int, outer))
    rows = np.flatnonzero(again[where])
    return [(*where, rows[i : i + ROWS]) for i in range(0, rows.size, ROWS)]


def _describe(problem: Problem, asked: Asked, found: Found, where: Index) -> None:
    part = problem.part(where[:-1], where[-1])
    own = found.part(where)  # copies: the rows are listed one by one
    columns = numpy_tiles.tile_sizes(part.n_q, part.n_k)[1]
    with np.errstate(all="ignore"):
        best, share = numpy_statistics.describe(
            part, asked.part(where), own, columns, careful.scores
        )
        # -inf as the score of a key that may be attended to is a score: it is not attended to.
        own.lse[(share == 0) & (best == 0)] = -np.inf
    lost = np.isnan(own.lse)
    for numbers in (own.entropy, own.peak, own.top_weights):
        numbers[lost] = np.nan
    for keys in (own.argmax, own.top_keys):
        keys[lost] = -1
    found.put(where, own)


def _receive(problem: Problem, asked: Asked, received: Array, outer: Index) -> None:
    """Fill what each key of one problem receives, from careful scores alone."""
    part = problem.part(outer, slice(None))
    none = Asked(asked.offsets[:0], asked.columns[:0], asked.position[outer])
    per_query, wide = [np.empty(part.n_q) for _ in range(4)], np.empty(part.n_k)
    own = Found(*per_query, *[np.empty((part.n_q, 0)) for _ in range(4)])
    own = replace(own, received=wide)
    numpy_statistics.fill(part, none, own, careful.scores)
    received[outer] = wide
