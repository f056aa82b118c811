"""Rows by themselves, each relative to its own largest score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from regard.core.convolution.strips import Call, Task, U, sliding_sums

ROWS = 64  # of a tile
_KEYS = 2048
_SPREAD = 600.0  # between its rows' largest scores: e^-600, and what matters beside it, is a float
# Relative to a multiplication in a matrix product, as measured: one exponential, and one row.
_EXPONENTIAL, _ROW = 64, 100_000


def direct_cost(call: Call, rows: int, keys: int) -> float:
    """Return what so many rows cost from so many keys each, in multiplications."""
    return float(rows * (keys * (call.width + _EXPONENTIAL) + _ROW))


def direct(call: Call, first: int, end: int) -> Iterator[Task]:
    """Compute rows one tile at a time, each row relative to its own largest score."""
    for start in range(first, end, ROWS):
        yield partial(_tile, call, start, min(start + ROWS, end))


def _tile(call: Call, start: int, stop: int) -> None:
    """Compute a few rows from the keys that matter to any of them."""
    n, peak = call.n, call.peak[start:stop]
    if peak.min() < peak.max() - _SPREAD and stop - start > 1:
        half = (start + stop) // 2
        _tile(call, start, half)
        _tile(call, half, stop)
        return
    top, bottom = float(peak.max()), float(peak.min())
    if top == -math.inf:
        return
    scores = call.scores[start : stop + n - 1]
    # First what is so far below every peak that all of it together does not matter.
    deepest = math.ceil(math.log(8 * n / call.precision))
    near = np.flatnonzero(scores >= bottom - deepest)
    far = min(n, len(scores) - len(near)) * math.exp(bottom - top - deepest)
    weights = np.zeros(len(scores))
    weights[near] = np.exp(scores[near] - top)
    sums = sliding_sums(weights, n)
    # Then the rest by its depth below the peaks, and the depth from which it is left out as well.
    depth = np.maximum(bottom - scores[near], 0).astype(np.intp)
    tails = np.cumsum(np.bincount(depth, weights[near], deepest + 2)[::-1])[::-1]
    cut = int(np.count_nonzero(tails > call.precision / 2 * sums.min()))
    shifts = near[depth < cut]
    rows, step = stop - start, weights.itemsize
    table = as_strided(weights[n - 1 :], (rows, n), (step, -step))  # a row of it per row, by key
    output = np.zeros((call.values.shape[0], rows, call.values.shape[2]))
    count = 0
    # Keys between shifts that are closer than this are due in some row, or not worth a gap.
    for run in np.split(shifts, np.flatnonzero(np.diff(shifts) >= 2 * rows) + 1):
        low, high = int(run[0]) - n + 1, int(run[-1]) - n + 1  # less `start`
        after = min(n, rows - low)
        for key in range(max(0, -high), after, _KEYS):
            last = min(key + _KEYS, after)
            output += table[:, key:last].copy() @ call.values[:, key:last]
            count += last - key
    call.output[:, start:stop] = output / sums[:, None]
    weighing = 2 * U * (math.log(n) + top - bottom + 6)
    call.error[start:stop] = (tails[cut] + 2 * far) / sums + weighing + (n + count + 3) * U
