"""Attention done again, slowly and safely, where the fast way gave infinity or NaN.

That happens for reasons which the fast way cannot tell apart: infinity or NaN was
attended to, and then it belongs in the result; it sits in a key or value that is not
attended to, where 0 · NaN let it through; q·k overflowed before it was scaled; or a sum
of large values overflowed before it was divided.

Scores are computed in float64 without overflow on the way, and in two passes over the keys:
one for the peak and the total of each row, one that adds shares of values, each divided
before it is added. Blocks of keys come and go, so memory does not grow with their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels import non_finite, threads
from regard.core.kernels.problem import Index, Problem

Array = NDArray[Any]

SCORES = 1 << 15  # of a block: 256 kB in float64, a handful of times
ROWS = 128  # that are done at a time where all have to be


def attend(
    problem: Problem,
    output: Array,
    lse: Array | None,
    weights: Array | None,
    tasks: Iterable[Index] | None = None,
) -> None:
    """Fill `output`, `lse` and `weights`, or the parts of them that tasks name.

    Each task is an index into the outer axes, and then a slice of queries. Threads share the
    tasks, with BLAS held to one thread, so that the bits do not depend on how many there are.
    """

    def work(where: Index) -> None:
        attend_rows(
            problem.part(where[:-1], where[-1]),
            output[where],
            None if lse is None else lse[where],
            None if weights is None else weights[where],
        )

    wanted = list(_all_rows(problem) if tasks is None else tasks)
    threads.for_each(wanted, work, min(threads.available(), len(wanted)))


def attend_rows(part: Problem, output: Array, lse: Array | None, weights: Array | None) -> None:
    """Do some rows of one problem: query (n_q, d_k), key (n_k, d_k), value (n_k, d_v)."""
    with np.errstate(all="ignore"):
        peak, total = _peak_and_total(part)
        nothing = np.isneginf(peak)
        if lse is not None:
            lse[...] = np.where(nothing, -np.inf, peak + np.log(total))[..., 0]
        if weights is not None:
            weights[...] = 0  # keys that no query of a block reaches are not visited
        sums = np.zeros(output.shape)
        found = non_finite.nothing_found(sums)
        for start, stop in _blocks(part):
            tile = scores(part, start, stop)
            attended = ~np.isneginf(tile)
            shares = np.where(attended, np.exp(tile - peak) / total, 0)
            value = part.value[start:stop].astype(np.float64)
            sums += np.matmul(shares, non_finite.cleaned(value))
            found = found.joined(non_finite.find(attended, shares, value))
            if weights is not None:
                weights[..., start:stop] = shares
        found.put_into(sums)
        output[...] = sums


def scores(part: Problem, start: int, stop: int, stage: str = "masked") -> Array:
    """Return what `Problem.scores` does, as float64, without overflow before the end.

    Where q·k overflows before it is scaled, queries and keys are divided by powers of two,
    which the score is multiplied by last.
    """
    query = part.query.astype(np.float64)
    key = part.key[..., start:stop, :].astype(np.float64)
    products: Array = np.matmul(query, key.swapaxes(-1, -2))
    raw = products * part.scale
    lost = ~np.isfinite(products)
    if lost.any():
        query, query_power = near_one(query)
        key, key_power = near_one(key)
        fraction, power = math.frexp(part.scale)
        products = np.matmul(query, key.swapaxes(-1, -2)) * fraction
        powers = query_power[..., :, None] + key_power[..., None, :] + power
        raw[lost] = np.ldexp(products, powers)[lost]
    return part.finished(raw, start, stop, stage)


def near_one(rows: Array) -> tuple[Array, Array]:
    """Return rows / 2**p, finite entries of at most 1 in size, and p, one for each row."""
    largest = np.abs(non_finite.cleaned(rows)).max(axis=-1, initial=0)
    power = np.frexp(largest)[1]
    return np.ldexp(rows, -power[..., None]), power


def needed(problem: Problem) -> bool:
    """Whether the fast ways cannot do it: where q·k overflows to -inf, its score still counts.

    With any larger scale such a score is below -2**nmant, and the weight is 0 beside a score that
    is not as low; rows in which all are as low come out as rows that attend to nothing, which the
    fast ways notice.
    """
    kind = np.finfo(problem.query.dtype)
    return 0 < abs(problem.scale) * float(kind.max) < 2.0**kind.nmant


def _peak_and_total(part: Problem) -> tuple[Array, Array]:
    """Return the largest score m of each row and Σ exp(score - m), both (n_q, 1).

    Where nothing is attended to they are -inf and 1; a NaN or +inf among the scores gives NaN.
    """
    peak = np.full((part.n_q, 1), -np.inf)
    total = np.zeros_like(peak)
    for start, stop in _blocks(part):
        tile = scores(part, start, stop)
        higher = np.maximum(peak, tile.max(axis=-1, keepdims=True))
        shift = np.where(np.isneginf(higher), 0, higher)
        terms = np.exp(tile - shift).sum(axis=-1, keepdims=True)
        total = total * np.exp(peak - shift) + terms
        peak = higher
    return peak, np.where(np.isneginf(peak), 1, total)


def _blocks(part: Problem) -> Iterator[tuple[int, int]]:
    size = max(1, SCORES // max(1, part.n_q))
    first, end = (0, part.n_k) if part.key_range is None else part.key_range.span()
    for start in range(0, part.n_k, size):
        stop = min(start + size, part.n_k)
        if start < end and stop > first:  # whole or not at all: the sums do not depend on the end
            yield start, stop


def _all_rows(problem: Problem) -> Iterator[Index]:
    for outer in np.ndindex(problem.outer):
        for start in range(0, problem.n_q, ROWS):
            yield (*outer, slice(start, min(start + ROWS, problem.n_q)))
