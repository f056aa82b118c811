"""One call of a positional head, and rows of it that share their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Task = Callable[[], None]

U = 2.0**-53


class Call:
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
class Strip:
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
        """The largest δ that has a weight."""
        return self.low + len(self.weights) - 1

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
    """Take what `weigh` says of some rows, but for tails that are too small for any of them."""
    weights = weights.copy()
    budget = call.precision / 8 * float(normaliser.min())
    tails = np.cumsum(weights), np.cumsum(weights[::-1])
    left, right = (int(np.searchsorted(tail, budget, side="right")) for tail in tails)
    dropped = sum(float(tail[k - 1]) for tail, k in zip(tails, (left, right), strict=True) if k)
    if left or right:
        weights[:left] = 0
        weights[len(weights) - right :] = 0
        normaliser = sliding_sums(weights, call.n)
    kept = weights[left : len(weights) - right]
    return Strip(first, end, first - call.n + 1 + left, kept, normaliser, dropped)


def sliding_sums(weights: Float64, n: int) -> Float64:
    """Return the sums of every n neighbours among at most 2n - 1 weights, without differences."""
    sums = np.cumsum(weights[n - 1 :])
    sums[: n - 1] += np.cumsum(weights[: n - 1][::-1])[::-1][: len(sums)]
    return sums
