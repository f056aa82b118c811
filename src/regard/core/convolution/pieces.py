"""Which rows are computed in which way: the cheapest that reaches the precision asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from regard.core.convolution.direct import direct, direct_cost
from regard.core.convolution.strips import Call, Float64, Strip, Task, U, cut_strip, weigh
from regard.core.convolution.taps import TILE, taps, taps_cost
from regard.core.convolution.transforms import Transforms, transform
from regard.core.convolution.window import window

_WIDEST = 2048  # windows: the shared matrix of a wider one would not stay in the cache
_ROW = 16  # a row that is read and written, in multiplications per column
_FAINTEST = 2.0**-5  # share of all weights below which a row has a stretch of its own


def cut_rows(call: Call) -> Iterator[Iterator[Task]]:
    """Cut the rows into pieces that are computed in one way each, and say how.

    The largest score of a row first falls and then rises with t. So the rows that can
    share weights with the highest score in sight are some of the first and some of the
    last; what is left in between is looked at again, by itself.
    """
    first, end, n = 0, call.n, call.n
    while first < end:
        plan = Transforms(end - first, n, n + end - first - 1, call.native)
        if direct_cost(call, first, end) <= plan.cost * call.width:
            yield direct(call, first, end)
            return
        if not np.isfinite(call.peak[first:end]).any():
            return
        weights, normaliser = weigh(call, first, end)
        total = float(weights.sum())
        floor = _FAINTEST * total
        rounding = 2 * plan.error(weights) / call.precision
        if rounding < total / 2:  # otherwise transforms will not do for any row
            floor = max(floor, rounding)
        faint = np.flatnonzero(normaliser < floor)
        if len(faint) == 0:
            yield _shared(call, cut_strip(call, first, end, weights, normaliser))
            return
        left, right = int(faint[0]), end - first - 1 - int(faint[-1])
        if left + right < max(TILE, (end - first) // 64):
            if call.peak[first] >= call.peak[end - 1]:
                count = _steep(call.peak[first:end])
                yield direct(call, first, first + count)
                first += count
            else:
                count = _steep(call.peak[first:end][::-1])
                yield direct(call, end - count, end)
                end -= count
            continue
        if left:
            some = weights[: left + n - 1], normaliser[:left]
            yield _shared(call, cut_strip(call, first, first + left, *some))
        if right:
            some = weights[len(weights) - right - n + 1 :], normaliser[len(normaliser) - right :]
            yield _shared(call, cut_strip(call, end - right, end, *some))
        first, end = first + left, end - right


def _steep(peak: Float64) -> int:
    """Return how many rows not to look for common ground in: a sixteenth, or while peaks fall."""
    count = min(len(peak), max(TILE, len(peak) // 16))
    while count < len(peak) and peak[count] > peak[min(count + TILE, len(peak)) - 1] + 3:
        count = min(count + TILE, len(peak))
    return count


def _shared(call: Call, strip: Strip) -> Iterator[Task]:
    """Compute rows that share their weights, in the cheapest way."""
    first, end, n = strip.first, strip.end, call.n
    rows, h = end - first, strip.high - strip.low + 1
    key, after = strip.keys(n)
    plan = Transforms(rows, after - key, h, call.native)
    rounding = plan.error(strip.weights)
    fits = rounding <= call.precision / 2 * float(strip.normaliser.min())
    block = min(max(h // 2, 16), 256)
    costs = {
        taps: taps_cost(call, first, end, strip.shifts),
        window: rows * (h + block + _ROW) * call.width if h <= _WIDEST else math.inf,
        transform: plan.cost * call.width if fits else math.inf,
    }
    way = min(costs, key=lambda one: costs[one])
    if direct_cost(call, first, end) < costs[way]:
        return direct(call, first, end)
    error = 2 * strip.dropped + 2 * n * U * strip.normaliser
    error += rounding if way is transform else (h + 6) * U * strip.normaliser
    weighing = 2 * U * (np.log(n / strip.normaliser) + 6)
    call.error[first:end] = error / strip.normaliser + weighing
    return way(call, strip)
