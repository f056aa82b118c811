"""How far back a head looks by position alone, how wide, and how sharply."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMULAS", "KernelReading", "read_kernel"]

Array = NDArray[Any]

FORMULAS = {
    "T": "the shift δ = t − τ (query minus key) with the largest f(δ), where f(δ) is the mean over "
    "t of log w(t, t − δ), w the weights by position alone in a window of n positions (the mean "
    "token in every place; for rotary and relative positions, mean scores over drawn tokens); "
    "shifts up to 3n/4, and of equals the one nearest 0",
    "B": "around T, without a break, B + 1 shifts have f(δ) ≥ f(T) − log 2: at least half of the "
    "weight at T",
    "mass": "the share of T in the kernel: exp f(T) / Σ_δ exp f(δ) over the shifts that are looked "
    "at",
    "mean_weight": "the mean over t of w(t, t − T), rows t with 0 ≤ t − T < n; labels rest on it",
    "rows_at_T": "the share of those rows whose largest weight is at t − T",
    "toeplitz_share": "the share of the variance of log w, over all t and τ, that f explains",
    "at_edge": "f is largest at the last shift that is looked at: T may lie beyond the window",
}

FLOOR = -60.0  # of a log weight: less is nothing, and would drown the mean of a diagonal
SAME = 1e-9  # log weights as close as this are equal


@dataclass(frozen=True, eq=False)
class KernelNumbers:
    """T, B and how far they tell what a head does; see `FORMULAS`."""

    T: int
    B: int
    mass: float
    mean_weight: float
    rows_at_T: float
    toeplitz_share: float
    at_edge: bool

    def numbers(self) -> dict[str, Any]:
        """Return these numbers by name."""
        return {one.name: getattr(self, one.name) for one in fields(KernelNumbers)}


@dataclass(frozen=True, eq=False)
class KernelReading(KernelNumbers):
    """The numbers of a kernel and the kernel itself.

    `values` are f of −(n−1), …, n−1, NaN where nothing is seen.
    """

    values: Array


def read_kernel(log_weights: Array, causal: bool) -> KernelReading:
    """Read one head's kernel off its log weights (n, n), rows queries.

    Example:
        Each row puts all its weight on the key before it, and the first one on itself:

        >>> import numpy as np
        >>> weights = np.eye(8, k=-1)
        >>> weights[0, 0] = 1
        >>> read = read_kernel(np.log(weights + 1e-9), causal=False)
        >>> read.T, read.B, round(read.mass, 6), read.rows_at_T
        (1, 0, 1.0, 1.0)
    """
    n = len(log_weights)
    values, left, spread = _diagonal_means(np.maximum(log_weights, FLOOR), causal)
    most = (3 * n) // 4
    shifts = np.arange(0 if causal else -most, most + 1)
    f = values[shifts + n - 1]
    best = shifts[f >= f.max() - SAME]
    T = int(best[np.argmin(np.abs(best))])
    rows = np.arange(max(T, 0), min(n, n + T))
    hits = log_weights[rows].argmax(axis=1) == rows - T
    high = f >= values[T + n - 1] - math.log(2) - SAME
    at = T - int(shifts[0])
    before, after = high[:at][::-1], high[at + 1 :]
    return KernelReading(
        T=T,
        B=_until_low(before) + _until_low(after),
        mass=float(1 / np.exp(f - values[T + n - 1]).sum()),
        mean_weight=float(np.exp(log_weights[rows, rows - T]).mean()),
        rows_at_T=float(hits.mean()),
        toeplitz_share=max(0.0, 1 - left / spread) if spread > 0 else 0.0,
        at_edge=abs(T) == most,
        values=values,
    )


def _diagonal_means(logs: Array, causal: bool) -> tuple[Array, float, float]:
    """Return f, and the sums of squares that it leaves and that there are about the mean."""
    n = len(logs)
    t = np.arange(n)
    shift = t[:, None] - t[None, :] + n - 1
    seen = shift >= n - 1 if causal else np.ones((n, n), dtype=bool)
    where, x = shift[seen], logs[seen]
    counts = np.bincount(where, minlength=2 * n - 1)
    sums = np.bincount(where, weights=x, minlength=2 * n - 1)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return values, float(np.sum((x - values[where]) ** 2)), float(np.sum((x - x.mean()) ** 2))


def _until_low(high: Array) -> int:
    """Return how many come before the first that is not high."""
    return len(high) if high.all() else int(np.argmin(high))
