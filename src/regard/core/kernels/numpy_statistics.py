"""Statistics of the weights by NumPy, tile by tile, without the matrix of weights.

Going through the blocks of keys from left to right, each query row keeps

    best    the largest score m so far, and its key
    rest    Σ exp(score - m) over all keys but that one
    fall    Σ exp(score - m) (score - m) over all keys

so that with total = 1 + rest: lse = m + log1p(rest), the largest weight is 1 / total and the
entropy is log1p(rest) - fall / total, two numbers that are not negative, where lse - E[score] would
cancel. A block that holds a better key turns the one before into one of the rest.

What each key receives takes a second pass: the scores once more, to the same bits, now that best
and total of every row are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels import numpy_tiles, threads
from regard.core.kernels.kept_scores import Largest, Wanted, weights_of
from regard.core.kernels.problem import Index, Problem
from regard.core.kernels.statistics import Asked, Found

Array = NDArray[Any]
Scores = Callable[[Problem, int, int], Array]

LOWEST = -1e5  # exp of it is 0, and so is 0 times it


def fill(problem: Problem, asked: Asked, found: Found, scores: Scores = Problem.scores) -> None:
    """Fill what is asked for. lse is NaN in rows with NaN, infinity or overflow in the scores."""
    best, share = np.empty_like(found.lse), np.empty_like(found.lse)
    columns = numpy_tiles.tile_sizes(problem.n_q, problem.n_k)[1]

    def work(where: Index) -> None:
        part = problem.part(where[:-1], where[-1])
        with np.errstate(all="ignore"):
            own = describe(part, asked.part(where), found.part(where), columns, scores)
            best[where], share[where] = own

    numpy_tiles.for_each_tile(problem, work)
    if found.received is not None:
        receive(problem, best, share, found.received, scores)


def describe(
    part: Problem, asked: Asked, found: Found, columns: int, scores: Scores
) -> tuple[Array, Array]:
    """Fill what is asked for about some rows, with keys in blocks of `columns`.

    Returns the largest score of each row and 1 / total, both 0 where a row attends to nothing.
    """
    rows = part.query.shape[:-1]
    best = np.full(rows, -np.inf, dtype=scores(part, 0, 0).dtype)
    rest, fall = np.zeros_like(best), np.zeros_like(best)
    argmax = np.full(rows, -1)
    largest = Largest(rows, found.top_keys.shape[-1], best.dtype)
    wanted = Wanted(rows, asked, best.dtype)
    for start, stop in _blocks(part, columns):
        tile = scores(part, start, stop)
        largest.take(tile, start)
        wanted.take(tile, start)
        place = tile.argmax(axis=-1)
        own = np.take_along_axis(tile, place[..., None], axis=-1)[..., 0]
        better = own > best
        argmax = np.where(better, start + place, argmax)
        # A key that is best now is none of the rest.
        left = np.where(better, -np.inf, own)
        np.put_along_axis(tile, place[..., None], left[..., None], axis=-1)
        higher = np.where(better, own, best)
        shift = np.where(np.isneginf(higher), 0, higher)
        tile -= shift[..., None]
        np.maximum(tile, LOWEST, out=tile)
        weights = np.exp(tile)
        tile *= weights
        step = np.maximum(best - shift, LOWEST)
        shrink = np.exp(step)
        fall = (fall + step * (1 + rest)) * shrink + tile.sum(axis=-1)
        rest = np.where(better, (1 + rest) * shrink, rest) + weights.sum(axis=-1)
        best = higher
    nothing = np.isneginf(best) & (rest == 0)
    best = np.where(nothing, 0, best)
    rest[~np.isfinite(best)] = np.nan
    total, log_total = 1 + rest, np.log1p(rest)
    share = np.where(nothing, 0, 1 / total)
    found.lse[...] = np.where(nothing, -np.inf, best + log_total)
    if nothing.any():  # by the rules, or because the scores are too low for their dtype?
        found.lse[nothing & part.attends_to_any(columns)] = np.nan
    found.entropy[...] = log_total - fall / total
    found.peak[...] = share
    found.argmax[...] = argmax
    largest.write(best, share, found)
    wanted.write(best, share, found)
    return best, share


def receive(
    problem: Problem, best: Array, share: Array, received: Array, scores: Scores = Problem.scores
) -> None:
    """Fill what each key receives, the weights summed over queries, (*outer, n_k).

    A task is a block of keys with all queries, in the tiles of the first pass and in their order.
    """
    rows, columns, together = numpy_tiles.tile_sizes(problem.n_q, problem.n_k)
    keys = numpy_tiles.blocks(problem.n_k, columns)
    tasks = product(numpy_tiles.outer_blocks(problem.outer, together), keys)

    def work(task: tuple[Index, tuple[int, int]]) -> None:
        outer, (start, stop) = task
        sums = np.zeros_like(received[(*outer, slice(start, stop))])
        with np.errstate(all="ignore"):
            for first, last in numpy_tiles.blocks(problem.n_q, rows):
                part, where = problem.part(outer, slice(first, last)), (*outer, slice(first, last))
                if (start, stop) in _blocks(part, columns):
                    tile = scores(part, start, stop)
                    sums += weights_of(tile, best[where], share[where]).sum(axis=-2)
        received[(*outer, slice(start, stop))] = sums

    pairs = math.prod(problem.outer) * problem.n_q * problem.n_k
    enough = pairs // numpy_tiles.WORTH_A_THREAD + 1
    threads.for_each(tasks, work, min(threads.available(), enough))


def _blocks(part: Problem, columns: int) -> list[tuple[int, int]]:
    """Return the blocks of keys that some row reaches, whole: sums do not depend on their ends."""
    first, end = (0, part.n_k) if part.key_range is None else part.key_range.span()
    blocks = numpy_tiles.blocks(part.n_k, columns)
    return [(start, stop) for start, stop in blocks if stop > first and start < end]
