"""Heads that look at positions alone: a normalised convolution, with a bound on every row's error.

Scores that depend on δ = t - τ only make the numerator of a softmax a convolution of the
values with w(δ) = exp(score), and its normaliser a sliding sum. Three ways to compute
rows, and each row is computed in the cheapest that reaches the precision asked for:

- a short window: blocks of rows times one small matrix that all of them share;
- Fourier transforms: their rounding errors are as large as the largest weights anywhere,
  so only for rows whose own normaliser is not much smaller than that;
- directly, each row relative to its own largest score: for the others, such as rows whose
  window lies before the first key. Scores too low to matter are left out.

Bounds are of the worst case, to first order in the unit roundoff u = 2⁻⁵³ with a percent
added for the rest. The weights are exp(score - peak): taking the difference and the
exponential gives each a relative error of (x + 4) u, x = peak - score, and the mean of x
under the softmax is at most ln n - ln Z, because its entropy, at most ln n, is that mean
plus ln Z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from regard.arrays import give, numbers
from regard.core.kernels.threads import available, share
from regard.errors import ParameterError, ShapeError
from regard.shapes import at_least, real, show

Float64 = NDArray[np.float64]
Task = Callable[[], None]

_U = 2.0**-53
# Error of a transform per doubling of its length, relative in the 2-norm: for radix 2, 3, 4, 5
# and 8 with twiddle factors that are products of two rounded ones (5 u, and 2.9 u to multiply).
_PER_DOUBLING = 12 * _U
# Relative to a multiplication in a matrix product, as measured: one step of one number through
# a transform, one exponential, and what a row costs that is computed directly.
_TRANSFORM, _EXPONENTIAL, _ROW = 8, 64, 100_000
_WIDEST = 2048  # windows: the shared matrix of a wider one would not stay in the cache
_ROWS, _KEYS = 64, 2048  # of a tile that is computed directly
_SPREAD = 600.0  # between its rows' largest scores: e^-600, and what matters beside it, is a float
_FAINTEST = 2.0**-20  # share of all weights below which a row has a stretch of its own


def positional_attention(
    scores: Any, values: Any, *, precision: float = 1e-9
) -> tuple[Any, Float64]:
    """Apply a head whose scores depend on t - τ alone, in far fewer than n² steps.

    Row t of the output is Σ_τ softmax_τ(scores[t - τ + n - 1]) values[τ].

    Args:
        scores: (2n - 1,), the scores of δ = t - τ = -(n - 1), ..., n - 1, scaled. -inf is
            never attended to; a row with nothing to attend to gives zero.
        values: (..., n, d_v), finite.
        precision: the error to aim for, relative to the largest |value|. Between 0 and 1;
            what cannot be reached by a fast way is computed directly.

    Returns:
        The output, float64 of the shape and the library of the values, and a bound
        (..., n) that no entry of row t is further from the exact output than.

    Example:
        >>> from regard.core.convolution import positional_attention
        >>> output, bound = positional_attention([0, 0, 40], [[1.0], [3.0]])  # one step back
        >>> output.round(9).tolist(), bool(bound.max() < 1e-8)
        ([[2.0], [1.0]], True)
    """
    s, v, library = _arguments(scores, values)
    precision = real("positional_attention", "precision", precision, positive=True)
    if precision >= 1:
        raise ParameterError(
            f"positional_attention: precision must lie between 0 and 1. Got {precision}."
        )
    shape = v.shape
    v = v.reshape(math.prod(shape[:-2]), *shape[-2:])
    size = np.maximum(v.max(axis=(1, 2), initial=0), -v.min(axis=(1, 2), initial=0))
    if not np.isfinite(size).all():
        raise ParameterError("positional_attention: values must be finite. Got infinity or NaN.")
    # Sums of huge values overflow and products of tiny ones vanish: bring them near 1.
    power = np.where((size > 1e-100) & (size < 1e100), 0, np.frexp(size)[1])
    scaled = bool(power.any())
    if scaled:
        v = np.ldexp(v, -power[:, None, None])
    if shape[-1] % 2:  # Fourier transforms take columns in pairs
        v = np.pad(v, ((0, 0), (0, 0), (0, 1)))
    head = _Head(s, np.ascontiguousarray(v), precision)
    with np.errstate(all="ignore"):
        # One thread can look for the next piece while the others compute the last.
        share((task for piece in _pieces(head) for task in piece), _run, available())
        output, bound = head.output[..., : shape[-1]], 1.01 * head.error * size[:, None]
        if scaled:  # rounding must not carry an average past the largest float
            limit = np.ldexp(size, -power)[:, None, None]
            output = np.ldexp(np.clip(output, -limit, limit), power[:, None, None])
            bound += np.where(size > 0, 5e-324, 0)[:, None]
    output = np.ascontiguousarray(output).reshape(shape)
    return give(output, library, "float64"), bound.reshape(shape[:-1])


@np.errstate(all="ignore")  # each thread has a setting of its own
def _run(task: Task) -> None:
    task()


def _arguments(scores: Any, values: Any) -> tuple[Float64, Float64, str]:
    """Return scores and values as float64, and the library of the values."""
    name = "positional_attention"
    taken = numbers(name, "values", values)
    at_least(name, "values", taken.array, "(..., n, d_v)")
    s = numbers(name, "scores", scores).array.astype(np.float64)
    n = taken.array.shape[-2]
    if n == 0 or s.shape != (2 * n - 1,):
        raise ShapeError(
            f"{name}: scores must hold one number per shift, (2n - 1,) for values (..., n, d_v) "
            f"with n ≥ 1. Got scores {show(s.shape)}, values {show(taken.array.shape)}."
        )
    if not (s < np.inf).all():
        raise ParameterError(f"{name}: scores must be finite or -inf. Got infinity or NaN.")
    return s, taken.array.astype(np.float64, copy=False), taken.library


class _Head:
    """One call: scores (2n - 1,), values (batch, n, d_v), and the results as they come in.

    Attributes:
        peak: (n,), the largest score of each row.
        output: (batch, n, d_v).
        error: (n,), a bound relative to the largest |value|.
    """

    def __init__(self, scores: Float64, values: Float64, precision: float) -> None:
        self.scores, self.values, self.precision = scores, values, precision
        self.n, self.width = values.shape[1], values.shape[0] * values.shape[2]
        # Every row sees δ = 0, so its scores are a stretch on either side of it.
        before = np.maximum.accumulate(scores[: self.n][::-1])[::-1]
        self.peak = np.maximum(before, np.maximum.accumulate(scores[self.n - 1 :]))
        self.output = np.zeros(values.shape)
        self.error = np.zeros(self.n)


@dataclass(frozen=True)
class _Strip:
    """Rows first ≤ t < end with weights relative to the largest score that any of them sees.

    Attributes:
        low: the smallest δ that has a weight.
        weights: of δ = low, low + 1, ...
        normaliser: their sum in each row; no difference is taken, so it is right to len(weights) u.
        dropped: the sum of the weights that were left out.
    """

    first: int
    end: int
    low: int
    weights: Float64
    normaliser: Float64
    dropped: float

    @property
    def high(self) -> int:
        return self.low + len(self.weights) - 1

    def keys(self, n: int) -> tuple[int, int]:
        """Return the first key, of n, that has a weight in any row, and the one after the last."""
        return max(0, self.first - self.high), min(n, self.end - self.low)


@np.errstate(all="ignore")
def _weigh(head: _Head, first: int, end: int) -> tuple[Float64, Float64]:
    """Return the weights of all δ that rows first ≤ t < end see, and their sum in each row."""
    scores = head.scores[first : end + head.n - 1]
    weights = np.exp(scores - scores.max())
    return weights, _sums(weights, head.n)


def _strip(head: _Head, first: int, end: int, weights: Float64, normaliser: Float64) -> _Strip:
    """Take what `_weigh` says of some rows, but for tails that are too small for any of them."""
    weights = weights.copy()
    budget = head.precision / 8 * float(normaliser.min())
    tails = np.cumsum(weights), np.cumsum(weights[::-1])
    left, right = (int(np.searchsorted(tail, budget, side="right")) for tail in tails)
    dropped = sum(float(tail[k - 1]) for tail, k in zip(tails, (left, right), strict=True) if k)
    if left or right:
        weights[:left] = 0
        weights[len(weights) - right :] = 0
        normaliser = _sums(weights, head.n)
    kept = weights[left : len(weights) - right]
    return _Strip(first, end, first - head.n + 1 + left, kept, normaliser, dropped)


def _sums(weights: Float64, n: int) -> Float64:
    """Return the sums of every n neighbours among at most 2n - 1 weights, without differences."""
    sums = np.cumsum(weights[n - 1 :])
    sums[: n - 1] += np.cumsum(weights[: n - 1][::-1])[::-1][: len(sums)]
    return sums


def _pieces(head: _Head) -> Iterator[Iterator[Task]]:
    """Cut the rows into pieces that are computed in one way each, and say how.

    The largest score of a row first falls and then rises with t. So the rows that can
    share weights with the highest score in sight are some of the first and some of the
    last; what is left in between is looked at again, by itself.
    """
    first, end, n = 0, head.n, head.n
    while first < end:
        plan = _Transforms(end - first, n, n + end - first - 1)
        if _direct_cost(head, end - first, n) <= plan.cost * head.width:
            yield _direct(head, first, end)
            return
        if not np.isfinite(head.peak[first:end]).any():
            return
        weights, normaliser = _weigh(head, first, end)
        total = float(weights.sum())
        floor = _FAINTEST * total
        rounding = 2 * plan.error(weights) / head.precision
        if rounding < total / 2:  # otherwise transforms will not do for any row
            floor = max(floor, rounding)
        faint = np.flatnonzero(normaliser < floor)
        if len(faint) == 0:
            yield _shared(head, _strip(head, first, end, weights, normaliser))
            return
        left, right = int(faint[0]), end - first - 1 - int(faint[-1])
        if left + right < max(_ROWS, (end - first) // 64):
            if head.peak[first] >= head.peak[end - 1]:
                count = _steep(head.peak[first:end])
                yield _direct(head, first, first + count)
                first += count
            else:
                count = _steep(head.peak[first:end][::-1])
                yield _direct(head, end - count, end)
                end -= count
            continue
        if left:
            some = weights[: left + n - 1], normaliser[:left]
            yield _shared(head, _strip(head, first, first + left, *some))
        if right:
            some = weights[len(weights) - right - n + 1 :], normaliser[len(normaliser) - right :]
            yield _shared(head, _strip(head, end - right, end, *some))
        first, end = first + left, end - right


def _steep(peak: Float64) -> int:
    """Return how many rows not to look for common ground in: a sixteenth, or while peaks fall."""
    count = min(len(peak), max(_ROWS, len(peak) // 16))
    while count < len(peak) and peak[count] > peak[min(count + _ROWS, len(peak)) - 1] + 3:
        count = min(count + _ROWS, len(peak))
    return count


def _shared(head: _Head, strip: _Strip) -> Iterator[Task]:
    """Compute rows that share their weights, in the cheapest way."""
    first, end = strip.first, strip.end
    n, rows, h = head.n, end - first, len(strip.weights)
    key, after = strip.keys(n)
    plan = _Transforms(rows, after - key, h)
    rounding = plan.error(strip.weights)
    fits = rounding <= head.precision / 2 * float(strip.normaliser.min())
    block = min(max(h // 2, 16), 256)
    costs = {
        _window: rows * (h + block) * head.width if h <= _WIDEST else math.inf,
        _transform: plan.cost * head.width if fits else math.inf,
    }
    way = min(costs, key=lambda one: costs[one])
    matter = np.count_nonzero(strip.weights * n > head.precision / 8 * strip.normaliser.min())
    if _direct_cost(head, rows, min(h, n, 6 * matter)) < costs[way]:
        return _direct(head, first, end)
    error = 2 * strip.dropped + h * _U * strip.normaliser
    error += rounding if way is _transform else (h + 3) * _U * strip.normaliser
    weighing = 2 * _U * (np.log(n / strip.normaliser) + 6)
    head.error[first:end] = error / strip.normaliser + weighing
    return way(head, strip)


def _window(head: _Head, strip: _Strip) -> Iterator[Task]:
    """Multiply blocks of values with one small matrix that holds the window in every row."""
    n, h = head.n, len(strip.weights)
    block = min(max(h // 2, 16), 256)
    padded = np.pad(strip.weights, block - 1)
    step = padded.itemsize
    # Entry (i, j) is the weight of δ = high + i - j: row i of a block, key j of those it needs.
    matrix = as_strided(padded[block + h - 2 :], (block, block + h - 1), (step, -step)).copy()
    inner = matrix / strip.normaliser.max()  # rows that have the whole window before them
    many = max(1, 2**16 // (block * max(1, head.values.shape[2])))

    def edge(start: int, stop: int) -> None:
        key, after = max(0, start - strip.high), min(n, stop - strip.low)
        offset = key - (start - strip.high)
        part = matrix[: stop - start, offset : offset + after - key]
        sums = strip.normaliser[start - strip.first : stop - strip.first, None]
        head.output[:, start:stop] = part @ head.values[:, key:after] / sums

    def blocks(start: int, count: int) -> None:
        for values, output in zip(head.values, head.output, strict=True):
            key, (along, across) = start - strip.high, values.strides
            keys = as_strided(
                values[key:],
                (count, block + h - 1, values.shape[1]),
                (block * along, along, across),
            )
            rows = output[start : start + count * block]
            np.matmul(inner, keys, out=rows.reshape(count, block, rows.shape[1]))

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


@dataclass(frozen=True)
class _Transforms:
    """How rows are convolved: in blocks of `block` keys, by transforms of at most `length`.

    Many rows take all keys at once. Few rows add up the spectra of several blocks, by
    transforms about four times as long as there are rows, and one inverse for all of them.
    """

    rows: int
    keys: int
    taps: int

    @property
    def whole(self) -> bool:
        return 4 * self.rows > self.keys

    @property
    def length(self) -> int:
        if self.whole:
            return self.rows + max(self.taps, self.keys)
        return 1 << max(10, (4 * self.rows - 1).bit_length())

    @property
    def block(self) -> int:
        return self.keys if self.whole else self.length - self.rows + 1

    @property
    def count(self) -> int:
        return -(-self.keys // self.block)

    @property
    def cost(self) -> float:
        return _TRANSFORM * (self.count + 1) * self.length * math.log2(2 * self.length)

    def error(self, weights: Float64) -> float:
        """Bound the rounding errors of a convolution with values of at most 1.

        The spectra of weights and values are off by L η each, in the 2-norm and relative;
        multiplying them gives 3 u more, each addition another u. An entry of the inverse
        transform is at most the product of the two norms. The inverse transform itself is
        off by L η of its result, whose norm is at most the sum of the weights times the norm
        of a block of values. Values are two columns, and a weight serves two blocks at most.
        """
        each = math.log2(4 * self.length) * _PER_DOUBLING  # `_length` adds less than a doubling
        shared = 1 if self.whole else 2
        norm = math.sqrt(float((weights * weights).sum()) * 2 * self.keys * shared)
        result = shared * float(weights.sum()) * math.sqrt(2 * self.block)
        return (2 * each + (3 + self.count) * _U) * norm + (each + _U) * result


def _length(least: int) -> int:
    """Return a length of 2, 3 and 5 alone, which `_PER_DOUBLING` is about."""
    from scipy.fft import next_fast_len

    return int(next_fast_len(least, real=True))


def _transform(head: _Head, strip: _Strip) -> Iterator[Task]:
    """Convolve by Fourier transforms, two columns of values as one of complex numbers."""
    from scipy.fft import fft, ifft

    h, rows = len(strip.weights), strip.end - strip.first
    key, after = strip.keys(head.n)
    plan = _Transforms(rows, after - key, h)
    # Row `first` is entry `begin` of each convolution. What is longer than `length` wraps
    # around, and may reach up to there only.
    if plan.whole:
        begin, taps = strip.first - strip.low - key, h
        length = _length(max(h + plan.keys - 1 - begin, begin + rows, h, plan.keys))
    else:
        begin, taps, length = plan.block - 1, plan.length, plan.length
    starts = range(key, after, plan.block)
    kernels = np.zeros((plan.count, length), dtype=np.complex128)
    for kernel, start in zip(kernels, starts, strict=True):
        skip = strip.first - begin - start - strip.low  # of the weights, the first that is used
        some = strip.weights[max(0, skip) : max(0, skip + taps)]
        kernel[max(0, -skip) : max(0, -skip) + len(some)] = some
    kernels = fft(kernels, overwrite_x=True)
    columns_of = head.values.shape[2] // 2
    groups = max(2, -(-columns_of * length // 2 ** (20 if plan.whole else 16)))
    pairs = max(1, -(-columns_of // groups))
    spare: list[NDArray[np.complex128]] = []  # memory that is new to the process is slow
    tile = 256  # rows transposed at a time, within the cache

    def columns(values: NDArray[np.complex128], output: NDArray[np.complex128]) -> None:
        scratch = spare.pop() if spare else np.empty((pairs, length), dtype=np.complex128)
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
            out = output[strip.first : strip.end][part]
            out[:] = x[:, begin : begin + rows][:, part].T
            parts = out.view(np.float64)
            parts /= strip.normaliser[part, None]
        spare.append(scratch)

    for values, output in zip(head.values, head.output, strict=True):
        pairwise = values.view(np.complex128), output.view(np.complex128)
        for c in range(0, pairwise[0].shape[1], pairs):
            yield partial(columns, *(x[:, c : c + pairs] for x in pairwise))


def _direct_cost(head: _Head, rows: int, keys: int) -> float:
    return float(rows * (keys * (head.width + _EXPONENTIAL) + _ROW))


def _direct(head: _Head, first: int, end: int) -> Iterator[Task]:
    """Compute rows one tile at a time, each row relative to its own largest score."""
    for start in range(first, end, _ROWS):
        yield partial(_tile, head, start, min(start + _ROWS, end))


def _tile(head: _Head, start: int, stop: int) -> None:
    """Compute a few rows from the keys that matter to any of them."""
    n, peak = head.n, head.peak[start:stop]
    if peak.min() < peak.max() - _SPREAD and stop - start > 1:
        half = (start + stop) // 2
        _tile(head, start, half)
        _tile(head, half, stop)
        return
    top, bottom = float(peak.max()), float(peak.min())
    if top == -math.inf:
        return
    scores = head.scores[start : stop + n - 1]
    # First what is so far below every peak that all of it together does not matter.
    deepest = math.ceil(math.log(8 * n / head.precision))
    near = np.flatnonzero(scores >= bottom - deepest)
    far = min(n, len(scores) - len(near)) * math.exp(bottom - top - deepest)
    weights = np.zeros(len(scores))
    weights[near] = np.exp(scores[near] - top)
    sums = _sums(weights, n)
    # Then the rest by its depth below the peaks, and the depth from which it is left out as well.
    depth = np.maximum(bottom - scores[near], 0).astype(np.intp)
    tails = np.cumsum(np.bincount(depth, weights[near], deepest + 2)[::-1])[::-1]
    cut = int(np.count_nonzero(tails > head.precision / 2 * sums.min()))
    shifts = near[depth < cut]
    rows, step = stop - start, weights.itemsize
    table = as_strided(weights[n - 1 :], (rows, n), (step, -step))  # a row of it per row, by key
    output = np.zeros((head.values.shape[0], rows, head.values.shape[2]))
    count = 0
    # Keys between shifts that are closer than this are due in some row, or not worth a gap.
    for run in np.split(shifts, np.flatnonzero(np.diff(shifts) >= 2 * rows) + 1):
        low, high = int(run[0]) - n + 1, int(run[-1]) - n + 1  # less `start`
        after = min(n, rows - low)
        for key in range(max(0, -high), after, _KEYS):
            last = min(key + _KEYS, after)
            output += table[:, key:last].copy() @ head.values[:, key:last]
            count += last - key
    head.output[:, start:stop] = output / sums[:, None]
    weighing = 2 * _U * (math.log(n) + top - bottom + 6)
    head.error[start:stop] = (tails[cut] + 2 * far) / sums + weighing + (n + count + 3) * _U
