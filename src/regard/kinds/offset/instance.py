"""Positions as sines and cosines, and which key a query with a given A looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import softmax
from regard.problems.positions import Float64, Positions

MOST_QUERIES = 512  # that are looked at, spread evenly over longer sequences


@dataclass(frozen=True)
class Place(Positions):
    """Positions that an answer is tried on."""

    def embedded(self, t: Float64) -> Float64:
        """The rows e^t: sines at even places, cosines at odd ones."""
        angles = np.outer(t, self.omega)
        return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(t), -1)

    @cached_property
    def wanted(self) -> NDArray[np.intp]:
        """The keys t − T of the queries that are looked at: all of them, or some of many."""
        if self.n <= MOST_QUERIES:
            return np.arange(self.n)
        return np.unique(np.linspace(0, self.n - 1, MOST_QUERIES).round().astype(np.intp))

    def scores(self, A: Float64) -> Float64:
        """The scores (key, query) of keys 0 … n − 1 for queries t with t − T in `wanted`."""
        keys = np.arange(self.n, dtype=np.float64)
        queries = self.wanted.astype(np.float64) + self.T
        with np.errstate(all="ignore"):
            return np.asarray(self.embedded(keys) @ (A @ self.embedded(queries).T))

    def own(self, scores: Float64) -> Float64:
        """The score of each query's own key, out of all of them."""
        return scores[self.wanted, np.arange(len(self.wanted))]

    def __str__(self) -> str:
        return f"d_model = {self.d_model}, n = {self.n} and T = {self.T}"


def missed(A: Float64, place: Place) -> float:
    """Return the weight that the worst query gives to other keys, as the scale grows."""
    scores = place.scores(A)
    if not np.all(np.isfinite(scores)):
        return float("nan")
    wanted = place.own(scores)
    # Sums of products with sines and cosines round by no more than this.
    with np.errstate(over="ignore"):
        blur = 1e-14 * float(np.sum(np.abs(A)))
    if not np.isfinite(blur):
        return float("nan")
    if np.any(scores > wanted + blur):
        return 1.0
    tied = np.sum(scores >= wanted - blur, axis=0)
    return float(np.max(1 - 1 / tied))


def least_factor(A: Float64, place: Place, tolerance: float) -> float:
    """Return the smallest factor with which every query gives 1 − tolerance to its key."""
    scores = place.scores(A)

    def enough(factor: float) -> bool:
        weights = softmax(factor * scores.T)
        return bool(np.min(place.own(weights.T)) >= 1 - tolerance)

    low, high = 0.0, 1.0
    while not enough(high) and high < 1e15:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
