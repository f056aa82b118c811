"""Rows by themselves, each relative to its own largest score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from regard.core.convolution.strips import Call, Float64, Shifts, Task, U, what_matters
from regard.core.convolution.taps import TILE, add_up, taps_cost

_SPREAD = 600.0  # between its rows' largest scores: e^-600, and what matters beside it, is a float
_SAMPLE = 8
# Relative to a multiplication in a matrix product, as measured: to look at one score, and a tile.
_SCORE, _START = 60, 4_000_000


def direct_cost(call: Call, first: int, end: int) -> float:
    """Return about what rows first ≤ t < end cost, in multiplications."""
    n, tile = call.n, min(TILE, end - first)
    tiles = math.ceil((end - first) / tile)
    cost = tiles * (n * _SCORE + _START)
    starts = np.linspace(first, end - tile, min(_SAMPLE, tiles)).astype(int)
    for t in starts.tolist():
        near = np.flatnonzero(call.scores[t : t + n] >= call.peak[t] - _depth(call)) + (t - n + 1)
        cost += taps_cost(call, t, t + tile, near) * tiles / len(starts)
    return cost


def direct(call: Call, first: int, end: int) -> Iterator[Task]:
    """Compute rows one tile at a time, each row relative to its own largest score."""
    for start in range(first, end, TILE):
        yield partial(_tile, call, start, min(start + TILE, end))


def _depth(call: Call) -> int:
    """Return how far below its largest score a row has nothing that matters, all together."""
    return math.ceil(math.log(8 * call.n / call.precision))


def _tile(call: Call, start: int, stop: int) -> None:
    """Compute a few rows from the shifts that matter to any of them."""
    n, peak = call.n, call.peak[start:stop]
    top, bottom = float(peak.max()), float(peak.min())
    if bottom < top - _SPREAD and stop - start > 1:
        half = (start + stop) // 2
        _tile(call, start, half)
        _tile(call, half, stop)
        return
    if top == -math.inf:
        return
    scores = call.scores[start : stop + n - 1]
    # First what is so far below every peak that all of it together does not matter.
    near = np.flatnonzero(scores >= bottom - _depth(call))
    far = min(n, len(scores) - len(near)) * math.exp(bottom - top - _depth(call))
    shifts, weights = near + (start - n + 1), np.exp(scores[near] - top)
    sums = _sums(shifts, weights, start, stop, n)
    # Then what is small beside the rest, in every row. The sums still have it.
    kept, small = what_matters(weights, call.precision / 2 * float(sums.min()))
    add_up(call, start, stop, shifts[kept], weights[kept], sums)
    weighing = 2 * U * (math.log(n) + top - bottom + 6)
    adding = (len(near) + len(kept) + 6) * U
    call.error[start:stop] = (small + 2 * far) / sums + weighing + adding


def _sums(shifts: Shifts, weights: Float64, start: int, stop: int, n: int) -> Float64:
    """Return the sum of the weights that each row sees, t - n < shift ≤ t, without differences."""
    rows, middle = np.arange(start, stop), int(np.searchsorted(shifts, start, side="right"))
    before = np.append(np.cumsum(weights[:middle][::-1])[::-1], 0)
    after = np.append(0, np.cumsum(weights[middle:]))
    unseen = np.searchsorted(shifts[:middle], rows - n, side="right")
    seen: Float64 = before[unseen] + after[np.searchsorted(shifts[middle:], rows, side="right")]
    return seen
