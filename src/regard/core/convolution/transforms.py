"""Rows by Fourier transforms, and a bound on what those round away."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.convolution.strips import Call, Float64, Strip, Task, U, Values
from regard.core.kernels import native
from regard.core.kernels.roots import quick_length, tables

Pairs = NDArray[np.complexfloating[Any, Any]]

# Error of a transform per doubling of its length, relative in the 2-norm: for radix 2, 3, 4, 5
# and 8 with twiddle factors that are products of two rounded ones (5 u, and 2.9 u to multiply).
# The kernel in C multiplies once for every two doublings, and once more between n1 and n2.
_PER_DOUBLING = 12 * U
# One step of one number, relative to a multiplication in a matrix product, as measured: by SciPy,
# and by the kernel in C.
_BY_SCIPY, _IN_C = 8, 2.5


@dataclass(frozen=True)
class Transforms:
    """How rows are convolved: in blocks of `block` keys, by transforms of at most `length`.

    Many rows take all keys at once. Few rows add up the spectra of several blocks, by
    transforms about four times as long as there are rows, and one inverse for all of them.

    Attributes:
        native: whether there is a kernel in C, which can do the former.
    """

    rows: int
    keys: int
    taps: int
    native: bool

    @property
    def whole(self) -> bool:
        """Whether all keys are taken at once."""
        return 4 * self.rows > self.keys

    @property
    def length(self) -> int:
        """How long a transform is, before it is rounded up to a quick length."""
        if self.whole:
            return self.rows + max(self.taps, self.keys)
        return 1 << max(10, (4 * self.rows - 1).bit_length())

    @property
    def block(self) -> int:
        """How many keys a transform takes."""
        return self.keys if self.whole else self.length - self.rows + 1

    @property
    def count(self) -> int:
        """How many blocks of keys there are."""
        return -(-self.keys // self.block)

    @property
    def cost(self) -> float:
        """What it costs for one column of values, in multiplications of a matrix product."""
        step = _IN_C if self.native and self.whole else _BY_SCIPY
        return step * (self.count + 1) * self.length * math.log2(2 * self.length)

    def error(self, weights: Float64) -> float:
        """Bound the rounding errors of a convolution with values of at most 1.

        The spectra of weights and values are off by L η each, in the 2-norm and relative;
        multiplying them gives 4 u more, each addition another u. An entry of the inverse
        transform is at most the product of the two norms. The inverse transform itself is
        off by L η of its result, whose norm is at most the sum of the weights times the norm
        of a block of values. Values are two columns, and a weight serves two blocks at most.
        """
        # A quick length is less than twice as long, and one more doubling is for `between` in C.
        each = math.log2(4 * self.length) * _PER_DOUBLING
        shared = 1 if self.whole else 2
        norm = math.sqrt(float((weights * weights).sum()) * 2 * self.keys * shared)
        result = shared * float(weights.sum()) * math.sqrt(2 * self.block)
        return (2 * each + (4 + self.count) * U) * norm + (each + U) * result


class _Spare:
    """Memory that was used and may be used again: what is new to the process is slow.

    A little of it is kept for the next call.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: list[NDArray[np.uint8]] = []

    @contextmanager
    def memory(self, size: int) -> Iterator[NDArray[np.uint8]]:
        """Lend an array of bytes, one of those given back where there is one."""
        try:
            memory = self.kept.pop()
        except IndexError:
            memory = np.empty(0, dtype=np.uint8)
        if len(memory) < size:
            memory = np.empty(size, dtype=np.uint8)
        yield memory
        if sum(map(len, self.kept)) + len(memory) <= self.most:
            self.kept.append(memory)


_spare = _Spare(2**25)


def transform(call: Call, strip: Strip) -> Iterator[Task]:
    """Convolve by Fourier transforms."""
    key, after = strip.keys(call.n)
    taps = strip.high - strip.low + 1
    plan = Transforms(strip.end - strip.first, after - key, taps, call.native)
    if not plan.whole:
        return _by_scipy(call, strip, plan, plan.block - 1, plan.length)
    # Row `first` is entry `begin` of the convolution. What is longer than the transforms wraps
    # around, and may reach up to there only.
    begin = strip.first - strip.low - key
    least = max(taps + plan.keys - 1 - begin, begin + plan.rows, taps, plan.keys)
    if call.native:
        return _in_c(call, strip, begin, quick_length(least))
    from scipy.fft import next_fast_len

    # Of 2, 3 and 5 alone, which `_PER_DOUBLING` is about.
    return _by_scipy(call, strip, plan, begin, int(next_fast_len(least, real=True)))


def _in_c(call: Call, strip: Strip, begin: int, length: int) -> Iterator[Task]:
    """Convolve by the kernel in C, some columns at a time."""
    from scipy.fft import rfft

    plan = tables(length)
    half = rfft(strip.window, length)
    half /= length
    spectrum = plan.sort(np.concatenate([half, half[1 : (length + 1) // 2][::-1].conj()]))
    factor = 1 / strip.normaliser
    key, after = strip.keys(call.n)
    step, size = native.scratch_for(plan)

    def convolve(values: Values, output: Values) -> None:
        with _spare.memory(size) as scratch:
            native.convolve(plan, spectrum, factor, begin, scratch, values, output)

    for values, output in zip(call.values, call.output, strict=True):
        for c in range(0, call.values.shape[2], step):
            some = slice(c, c + step)
            yield partial(convolve, values[key:after, some], output[strip.first : strip.end, some])


def _by_scipy(
    call: Call, strip: Strip, plan: Transforms, begin: int, length: int
) -> Iterator[Task]:
    """Convolve by SciPy, two columns of values as one of complex numbers."""
    from scipy.fft import fft, ifft

    weights, rows = strip.window, plan.rows
    key, after = strip.keys(call.n)
    taps = len(weights) if plan.whole else length
    starts = range(key, after, plan.block)
    kernels = np.zeros((plan.count, length), dtype=np.complex128)
    for kernel, start in zip(kernels, starts, strict=True):
        skip = strip.first - begin - start - strip.low  # of the weights, the first that is used
        some = weights[max(0, skip) : max(0, skip + taps)]
        kernel[max(0, -skip) : max(0, -skip) + len(some)] = some
    kernels = fft(kernels, overwrite_x=True)
    two_columns = np.result_type(call.values, 1j)
    columns_of = call.values.shape[2] // 2
    groups = max(2, -(-columns_of * length // 2 ** (20 if plan.whole else 16)))
    pairs = max(1, -(-columns_of // groups))
    size = pairs * length * kernels.itemsize
    tile = 256  # rows transposed at a time, within the cache

    def columns(values: Pairs, output: Pairs, memory: NDArray[np.uint8]) -> None:
        scratch = memory[:size].view(np.complex128).reshape(pairs, length)
        spectrum: NDArray[np.complex128] | None = None
        for kernel, start in zip(kernels, starts, strict=True):
            x, some = scratch[: values.shape[1]], values[start : min(start + plan.block, after)]
            for r in range(0, len(some), tile):
                x[:, r : min(r + tile, len(some))] = some[r : r + tile].T
            x[:, len(some) :] = 0
            x = fft(x, overwrite_x=True)
            x *= kernel
            if spectrum is None:
                spectrum = x if plan.whole else x.copy()
            else:
                spectrum += x
        x = ifft(spectrum, overwrite_x=True)
        for r in range(0, rows, tile):
            part = slice(r, min(r + tile, rows))
            sums = x[:, begin : begin + rows][:, part].T
            output[strip.first : strip.end][part] = sums / strip.normaliser[part, None]

    def convolve(values: Pairs, output: Pairs) -> None:
        with _spare.memory(size) as memory:
            columns(values, output, memory)

    for values, output in zip(call.values, call.output, strict=True):
        pairwise = values.view(two_columns), output.view(two_columns)
        for c in range(0, pairwise[0].shape[1], pairs):
            yield partial(convolve, *(x[:, c : c + pairs] for x in pairwise))
