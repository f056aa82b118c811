"""Attention by NumPy, tile by tile: the kernel that works everywhere.

A tile is a block of query rows against a block of keys. Going through the key
blocks from left to right, each query row keeps three things,

    peak    the largest score so far
    total   Σ exp(score - peak)
    sums    Σ exp(score - peak) · value

and when a block raises the peak, total and sums shrink by exp(old - new). At
the end output = sums / total and lse = peak + log(total). The scores of a tile
live only as long as the tile, so memory does not grow with n_q · n_k.

Small problems go through the same code many at a time, along their outer axes.
How a problem is cut depends on n_q and n_k alone, which makes the result of
each one the same to the last bit whatever else is in the batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels import careful, threads
from regard.core.kernels.problem import Index, Problem

Array = NDArray[Any]

ROWS = 128  # query rows of a tile
COLUMNS = 512  # keys of a tile
SCORES = ROWS * COLUMNS  # scores of a tile: 256 kB in float32, at home in a second-level cache
WORTH_A_THREAD = 4 * SCORES  # starting a thread costs as much as this many scores


def attend(problem: Problem, output: Array, lse: Array | None, weights: Array | None) -> None:
    """Fill `output` (*outer, n_q, d_v) and, if given, `lse` (*outer, n_q) and `weights`."""
    columns = tile_sizes(problem.n_q, problem.n_k)[1]
    if lse is None:
        lse = np.empty(output.shape[:-1], dtype=output.dtype)
    if weights is not None:
        weights[...] = 0  # keys that no query of a tile reaches are never visited

    def work(where: Index) -> None:
        rows = where[-1]
        part = problem.part(where[:-1], rows)
        into = None if weights is None else weights[where]
        with np.errstate(all="ignore"):
            _attend_rows(part, columns, output[where], lse[where], into)
            fine = np.isfinite(output[where]).all(axis=(-2, -1))
            fine &= ~np.isnan(lse[where]).any(axis=-1)
            for one in np.argwhere(~fine):  # each by itself: the others keep their bits
                own = tuple(one)
                again = None if into is None else into[own]
                careful.attend_rows(
                    part.part(own, slice(None)), output[where][own], lse[where][own], again
                )

    for_each_tile(problem, work)


def fill_scores(problem: Problem, stage: str, scores: Array) -> None:
    """Fill `scores` (*outer, n_q, n_k) with the scores of a stage (see `Problem.scores`)."""
    columns = tile_sizes(problem.n_q, problem.n_k)[1]

    def work(where: Index) -> None:
        part = problem.part(where[:-1], where[-1])
        with np.errstate(all="ignore"):
            for start, stop in blocks(problem.n_k, columns):
                raw = part.scores(start, stop, "raw")
                lost = ~np.isfinite(raw) | careful.needed(problem)
                if lost.any():  # only these: the others keep their bits whatever is beside them
                    raw[lost] = careful.scores(part, start, stop, "raw")[lost]
                tile = part.finished(raw, start, stop, stage)
                scores[where][..., start:stop] = tile

    for_each_tile(problem, work)


def _attend_rows(
    part: Problem, columns: int, output: Array, lse: Array, weights: Array | None
) -> None:
    rows = part.query.shape[:-1]
    peak = np.full((*rows, 1), -np.inf, dtype=part.query.dtype)
    total = np.zeros_like(peak)
    sums = np.zeros((*rows, part.value.shape[-1]), dtype=part.query.dtype)
    shifts = []
    first, end = (0, part.n_k) if part.key_range is None else part.key_range.span()
    for start, stop in blocks(part.n_k, columns):
        if stop <= first or start >= end:
            continue  # a block is visited whole or not at all, so its sums never depend on end
        tile = part.scores(start, stop)
        higher = np.maximum(peak, tile.max(axis=-1, keepdims=True))
        # Where nothing was attended to yet the peak is -inf; -inf - 0 is then a weight of 0.
        shift = np.where(np.isneginf(higher), 0, higher)
        tile -= shift
        np.exp(tile, out=tile)
        shrink = np.exp(peak - shift)
        total = total * shrink + tile.sum(axis=-1, keepdims=True)
        sums = sums * shrink + np.matmul(tile, part.value[..., start:stop, :])
        peak = higher
        if weights is not None:
            weights[..., start:stop] = tile
            shifts.append((start, stop, shift))
    nothing = total == 0
    total[nothing] = 1
    np.divide(sums, total, out=output)
    lse[...] = np.where(nothing, -np.inf, peak + np.log(total))[..., 0]
    if nothing.any():  # by the rules, or because the scores are too low for their dtype?
        lse[nothing[..., 0] & part.attends_to_any(columns)] = np.nan
    for start, stop, shift in shifts:
        assert weights is not None
        weights[..., start:stop] *= np.exp(shift - np.where(nothing, 0, peak)) / total


def tile_sizes(n_q: int, n_k: int) -> tuple[int, int, int]:
    """Return how many rows, columns and problems make up a tile, from the lengths alone."""
    n_q, n_k = max(n_q, 1), max(n_k, 1)
    rows = min(n_q, ROWS)
    columns = min(n_k, max(COLUMNS, SCORES // rows))
    rows = min(n_q, max(ROWS, SCORES // columns))
    return rows, columns, max(1, SCORES // (rows * columns))


def blocks(length: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut a length into blocks of a size, the last one shorter: (start, stop) of each."""
    for start in range(0, length, size):
        yield start, min(start + size, length)


def for_each_tile(problem: Problem, work: Any) -> None:
    """Call `work` with the index of every tile's rows, in threads where that pays."""
    rows, _, together = tile_sizes(problem.n_q, problem.n_k)
    enough = math.prod(problem.outer) * problem.n_q * problem.n_k // WORTH_A_THREAD + 1
    cuts = product(outer_blocks(problem.outer, together), blocks(problem.n_q, rows))
    tasks = ((*outer, slice(start, stop)) for outer, (start, stop) in cuts)
    threads.for_each(tasks, work, min(threads.available(), enough))


def outer_blocks(outer: tuple[int, ...], together: int) -> Iterator[Index]:
    """Cut the outer axes into indices that cover about `together` problems each."""
    axis = len(outer)
    while axis > 0 and math.prod(outer[axis - 1 :]) <= together:
        axis -= 1
    whole = (slice(None),) * (len(outer) - axis)
    if axis == 0:
        yield whole
        return
    step = max(1, together // max(1, math.prod(outer[axis:])))
    for before in np.ndindex(outer[: axis - 1]):
        for start, stop in blocks(outer[axis - 1], step):
            yield (*before, slice(start, stop), *whole)
