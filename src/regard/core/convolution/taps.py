"""Rows as sums over a few shifts, each with one weight for all rows.

Where a head is sharp, or looks for what is not there, a few of its shifts hold all the
weight but a part too small to matter: some are neighbours, others lie far apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from regard.core.convolution.strips import Call, Float64, Shifts, Strip, Task
from regard.core.kernels import native

TILE = 63  # rows of a tile, as in the kernel in C
_KEYS = 2048  # of a matrix product
# Relative to a multiplication in a large matrix product, as measured. With the kernel in C: one of
# a few shifts, what a gap between them adds to it, and a whole row that is read and written.
# Without: a small matrix product.
_ONE, _GAP, _ROW = 1.7, 3, 16
_PRODUCT = 500_000
_AT_ONCE = 2**30  # multiplications of a task at most, so that an interrupt does not wait long


def taps_cost(call: Call, rows: int, shifts: Shifts) -> float:
    """Return what so many rows cost from these shifts, in multiplications."""
    apart = np.diff(shifts)
    if call.native:
        gaps = np.count_nonzero(apart > 4)
        return rows * call.width * (_ONE * (len(shifts) + _GAP * gaps) + _ROW)
    wide = apart[apart >= 2 * TILE]
    runs = len(wide) + 1
    keys = int(shifts[-1] - shifts[0]) - int(wide.sum()) + TILE * runs
    return rows * call.width * keys + math.ceil(rows / TILE) * runs * _PRODUCT


def taps(call: Call, strip: Strip) -> Iterator[Task]:
    """Sum over the shifts of a strip, some rows at a time."""
    most = _AT_ONCE // (TILE * (len(strip.shifts) + 1) * (call.width + 1))
    step = TILE * max(1, min(16, most)) if call.native else TILE
    for start in range(strip.first, strip.end, step):
        stop = min(start + step, strip.end)
        sums = strip.normaliser[start - strip.first : stop - strip.first]
        yield partial(add_up, call, start, stop, strip.shifts, strip.weights, sums)


def add_up(
    call: Call, start: int, stop: int, shifts: Shifts, weights: Float64, sums: Float64
) -> None:
    """Fill rows start ≤ t < stop with Σ_j weights[j] values[t - shifts[j]] / sums[t]."""
    factor = np.divide(1, sums, out=np.zeros_like(sums), where=sums > 0)
    for values, output in zip(call.values, call.output[:, start:stop], strict=True):
        if call.native:
            native.taps(shifts, weights, factor, start, values, output)
        else:
            _multiply(start, shifts, weights, factor, values, output)


def _multiply(
    start: int, shifts: Shifts, weights: Float64, factor: Float64, values: Float64, output: Float64
) -> None:
    """Do the same by matrix products, one for shifts that are close together."""
    n, rows = len(values), len(output)
    output[:] = 0
    # Keys between shifts that are closer than this are due in some row, or not worth a gap.
    cuts = np.flatnonzero(np.diff(shifts) >= 2 * TILE) + 1
    for run, some in zip(np.split(shifts, cuts), np.split(weights, cuts), strict=True):
        low, high = int(run[0]), int(run[-1])
        padded = np.zeros(high - low + 2 * rows - 1)
        padded[run - low + rows - 1] = some
        step = padded.itemsize
        # Entry (r, k) is the weight of shift high + r - k: row r, and the keys that it may need.
        table = as_strided(
            padded[high - low + rows - 1 :], (rows, high - low + rows), (step, -step)
        )
        key = start - high  # of the first column
        for begin in range(max(0, -key), min(table.shape[1], n - key), _KEYS):
            end = min(begin + _KEYS, table.shape[1], n - key)
            output += table[:, begin:end].copy() @ values[key + begin : key + end]
    output *= factor[:, None]
