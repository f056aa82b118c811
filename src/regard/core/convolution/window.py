"""Rows whose weights are a short window: blocks of values times one small matrix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from regard.core.convolution.strips import Call, Strip, Task


def window(call: Call, strip: Strip) -> Iterator[Task]:
    """Multiply blocks of values with one small matrix that holds the window in every row."""
    weights = strip.window
    n, h = call.n, len(weights)
    block = min(max(h // 2, 16), 256)
    padded = np.pad(weights, block - 1)
    step = padded.itemsize
    # Entry (i, j) is the weight of δ = high + i - j: row i of a block, key j of those it needs.
    matrix = as_strided(padded[block + h - 2 :], (block, block + h - 1), (step, -step)).copy()
    inner = matrix / strip.normaliser.max()  # rows that have the whole window before them
    many = max(1, 2**16 // (block * max(1, call.values.shape[2])))

    def edge(start: int, stop: int) -> None:
        key, after = max(0, start - strip.high), min(n, stop - strip.low)
        offset = key - (start - strip.high)
        part = matrix[: stop - start, offset : offset + after - key]
        sums = strip.normaliser[start - strip.first : stop - strip.first, None]
        values = call.values[:, key:after].astype(np.float64, copy=False)
        call.output[:, start:stop] = part @ values / sums

    def blocks(start: int, count: int) -> None:
        key, last = start - strip.high, start + count * block
        for values, output in zip(call.values, call.output, strict=True):
            some = values[key : last - strip.low].astype(np.float64, copy=False)
            along, across = some.strides
            keys = as_strided(
                some, (count, block + h - 1, some.shape[1]), (block * along, along, across)
            )
            rows = output[start:last].reshape(count, block, some.shape[1])
            if rows.dtype == np.float64:
                np.matmul(inner, keys, out=rows)
            else:
                rows[:] = inner @ keys

    start = strip.first
    while start < strip.end:
        # Whole blocks whose keys all exist: the last one ends by `strip.end` and n + low.
        count = min(many, (min(strip.end, n + strip.low) - start) // block)
        if start >= strip.high and count > 0:
            yield partial(blocks, start, count)
            start += count * block
        else:
            stop = min(start + block, strip.end)
            yield partial(edge, start, stop)
            start = stop
