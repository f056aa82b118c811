"""One call of a positional head, and rows of it that share their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import empty
from regard.core.kernels import chosen

Float64 = NDArray[np.float64]
Values = NDArray[np.floating[Any]]  # float32 or float64
Shifts = NDArray[np.int64]
Task = Callable[[], None]

U = 2.0**-53
_SORTED = 8192  # weights; of more, sorting costs more than it gains


class Call:
    """One call: scores (2n - 1,), values (batch, n, d_v), and the results as they come in.

    Values and output are float64 or float32. Everything in between is float64.

    Attributes:
        native: whether there is a kernel in C.
        peak: (n,), the largest score of each row.
        output: (batch, n, d_v).
        error: (n,), a bound relative to the largest |value|, but for rounding to float32.
    """

    def __init__(self, scores: Float64, values: Values, precision: float) -> None:
        self.scores, self.values, self.precision = scores, values, precision
        self.n, self.width = values.shape[1], values.shape[0] * values.shape[2]
        # Every row sees δ = 0, so its scores are a stretch on either side of it.
        before = np.maximum.accumulate(scores[: self.n][::-1])[::-1]
        self.peak = np.maximum(before, np.maximum.accumulate(scores[self.n - 1 :]))
        self.native = chosen() == "native"
        self.output = empty(values.shape, values.dtype.type)
        if self.peak.min(initial=0) == -np.inf:
            self.output[:, self.peak == -np.inf] = 0  # which nothing else is done about
        self.error = np.zeros(self.n)


@dataclass(frozen=True)
class Strip:
    """Rows first ≤ t < end with weights relative to the largest score that any of them sees.

    Attributes:
        shifts: the δ that matter to any row; they rise.
        weights: of each.
        normaliser: the sum of all weights in each row, also of those that do not matter; no
            difference is taken, so it is right to 2n u.
        dropped: the sum of the weights that do not matter.
    """

    first: int
    end: int
    shifts: Shifts
    weights: Float64
    normaliser: Float64
    dropped: float

    @property
    def low(self) -> int:
        """The smallest δ that has a weight."""
        return int(self.shifts[0])

    @property
    def high(self) -> int:
        """The largest δ that has a weight."""
        return int(self.shifts[-1])

    @property
    def window(self) -> Float64:
        """The weights of δ = low, low + 1, ..., high."""
        found = np.zeros(self.high - self.low + 1)
        found[self.shifts - self.low] = self.weights
        return found

    def keys(self, n: int) -> tuple[int, int]:
        """Return the first key, of n, that has a weight in any row, and the one after the last."""
        return max(0, self.first - self.high), min(n, self.end - self.low)


@np.errstate(all="ignore")
def weigh(call: Call, first: int, end: int) -> tuple[Float64, Float64]:
    """Return the weights of all δ that rows first ≤ t < end see, and their sum in each row."""
    scores = call.scores[first : end + call.n - 1]
    weights = np.exp(scores - scores.max())
    return weights, sliding_sums(weights, call.n)


def cut_strip(call: Call, first: int, end: int, weights: Float64, normaliser: Float64) -> Strip:
    """Take what `weigh` says of some rows, but for weights that are too small for any of them."""
    kept, dropped = what_matters(weights, call.precision / 4 * float(normaliser.min()))
    return Strip(first, end, kept + (first - call.n + 1), weights[kept], normaliser, dropped)


def what_matters(weights: Float64, budget: float) -> tuple[NDArray[np.intp], float]:
    """Return the fewest weights that leave out no more than about `budget`, and what they do."""
    large = weights > budget / (2 * len(weights))
    left_out = float(weights.sum(where=~large))
    kept = np.flatnonzero(large)
    if 0 < len(kept) < _SORTED:
        order = np.sort(weights[kept])
        sums = np.cumsum(order)
        count = min(int(np.searchsorted(sums, budget / 2, side="right")), len(order) - 1)
        few = weights[kept] >= order[count]
        left_out += float(weights[kept[~few]].sum())
        kept = kept[few]
    return kept, left_out


def sliding_sums(weights: Float64, n: int) -> Float64:
    """Return the sums of every n neighbours among at most 2n - 1 weights, without differences."""
    sums = np.cumsum(weights[n - 1 :])
    sums[: n - 1] += np.cumsum(weights[: n - 1][::-1])[::-1][: len(sums)]
    return sums
