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

from regard.core.convolution.strips import Call, Float64, Shifts, Strip, Task, Values
from regard.core.kernels import native
from regard.core.kernels.threads import available

TILE = 64  # rows at a time
_KEYS = 2048  # of a matrix product
# Relative to a multiplication in a large matrix product, as measured. With the kernel in C: one
# shift, and a row that is read and written. Without: a small matrix product.
_ONE, _ROW = 2.2, 24
_PRODUCT = 500_000
_AT_ONCE = 2**30  # multiplications of a task at most, so that an interrupt does not wait long


def taps_cost(call: Call, first: int, end: int, shifts: Shifts) -> float:
    """Return what rows first ≤ t < end cost from these shifts, in multiplications."""
    rows = end - first
    if call.native:
        # Not every row sees every shift.
        seen = np.minimum(end, call.n + shifts) - np.maximum(first, shifts)
        return call.width * (_ONE * float(np.maximum(seen, 0).sum()) + _ROW * rows)
    apart = np.diff(shifts)
    wide = apart[apart >= 2 * TILE]
    runs = len(wide) + 1
    keys = int(shifts[-1] - shifts[0]) - int(wide.sum()) + TILE * runs
    return rows * call.width * keys + math.ceil(rows / TILE) * runs * _PRODUCT


def taps(call: Call, strip: Strip) -> Iterator[Task]:
    """Sum over the shifts of a strip, some rows at a time."""
    step = TILE
    if call.native:
        # Threads that come back for more every moment get in each other's way.
        most = _AT_ONCE // (TILE * (len(strip.shifts) + 1) * (call.width + 1))
        fair = (strip.end - strip.first) // (4 * TILE * available())
        step *= max(1, min(most, max(16, fair)))
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
    start: int, shifts: Shifts, weights: Float64, factor: Float64, values: Values, output: Values
) -> None:
    """Do the same by matrix products, one for shifts that are close together."""
    n, rows = len(values), len(output)
    sums = np.zeros(output.shape)
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
            sums += table[:, begin:end].copy() @ values[key + begin : key + end].astype(np.float64)
    output[:] = sums * factor[:, None]
