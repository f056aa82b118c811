"""Scores that are linear in what is designed: s_ij = y_j·B x_i for rows x_i and keys y_j.

Both designs are this one family. A single query is B itself, with one row x = (1): s_j = k_j·q. A
head has its tokens as rows and keys and B = A: s_ij = x_j·A x_i. So the questions "which B gives
these weights", "how far can they be reached" and "why not" are answered once, for the family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels.threads import available, for_each

__all__ = ["Array", "Family", "Pattern", "largest", "softmax"]

Array = NDArray[np.float64]

CHUNK = 1 << 14  # keys looked at together where a pass over all of them needs scratch
MOST_COPIED = 1 << 22  # numbers


@dataclass(frozen=True)
class Pattern:
    """The wanted weights of each row: `indices[i]`, and positive `weights[i]` that sum to 1."""

    indices: tuple[NDArray[np.intp], ...]
    weights: tuple[Array, ...]

    def table(self, keys: int) -> Array:
        """The weights as an array (rows, keys)."""
        table = np.zeros((len(self.indices), keys))
        for row, (indices, weights) in enumerate(zip(self.indices, self.weights, strict=True)):
            table[row, indices] = weights
        return table

    @property
    def one_target(self) -> bool:
        """Whether each row wants a single key."""
        return all(len(indices) == 1 for indices in self.indices)


@dataclass(frozen=True)
class Family:
    """The scores s = rows · Bᵀ · keysᵀ of all parameters B (r, c), times `scale`.

    Attributes:
        keys: (n, r).
        rows: (m, c).
        scale: what the products are multiplied by.
    """

    keys: Array
    rows: Array
    scale: float = 1.0

    @property
    def size(self) -> int:
        """The number of entries of B."""
        return self.keys.shape[1] * self.rows.shape[1]

    def parameter(self, vector: Array) -> Array:
        """A vector of length `size` as B."""
        return vector.reshape(self.keys.shape[1], self.rows.shape[1])

    def shifted(self) -> Family:
        """The family with its first key subtracted from all, which no weights notice.

        Keys that differ little are then told apart, and equal keys differ by exactly 0. Large keys
        stay as they are: a copy would double the memory.
        """
        if self.keys.size > MOST_COPIED:
            return self
        return Family(self.keys - self.keys[0], self.rows, self.scale)

    def scores(self, vector: Array) -> Array:
        """The scores (m, n) of B given as a vector."""
        queries = self.scale * (self.parameter(vector) @ self.rows.T)
        scores = np.empty((len(self.rows), len(self.keys)))

        def work(part: slice) -> None:
            scores[:, part] = (self.keys[part] @ queries).T

        self.pass_over(work)
        return scores

    def moment(self, table: Array) -> Array:
        """Σ table_ij · (gradient of s_ij): what two tables share if no B tells them apart."""
        return self.scale * (self.keys.T @ (table.T @ self.rows)).ravel()

    def features(self, pairs: NDArray[np.intp]) -> Array:
        """The gradients of s_ij for pairs p = i·n + j, one row each."""
        i, j = np.divmod(pairs, len(self.keys))
        outer = self.keys[j][:, :, None] * self.rows[i][:, None, :]
        return self.scale * outer.reshape(len(pairs), -1)

    def curvature(self, table: Array) -> Array:
        """Σ_i Cov of the gradients under row i of `table`: second derivative of Σ_i LSE(s_i)."""
        width, rank = self.rows.shape[1], self.keys.shape[1]
        total = np.zeros((rank, width, rank, width))
        for weights, x in zip(table, self.rows, strict=True):
            spread = self._covariance(weights)
            total += spread[:, None, :, None] * np.outer(x, x)[None, :, None, :]
        return self.scale**2 * total.reshape(self.size, self.size)

    def _covariance(self, weights: Array) -> Array:
        """The covariance (r, r) of the keys under weights that sum to 1."""
        mean, roots = weights @ self.keys, np.sqrt(weights)
        spreads: dict[int, Array] = {}

        def work(part: slice) -> None:
            keys = self.keys[part] - mean
            keys *= roots[part, None]
            spreads[part.start] = keys.T @ keys

        self.pass_over(work)
        # In order of the keys, not of the threads: the same bits every time.
        return np.sum([spreads[start] for start in sorted(spreads)], axis=0)

    def parts(self) -> Iterator[slice]:
        """The keys in chunks."""
        for start in range(0, len(self.keys), CHUNK):
            yield slice(start, start + CHUNK)

    def pass_over(self, work: Callable[[slice], None]) -> None:
        """Call `work` on each chunk of keys, in several threads if there are many."""
        parts = list(self.parts())
        for_each(parts, work, min(available(), len(parts)))


def largest(array: Array) -> float:
    """The largest |entry|, without a copy of what may be a gigabyte of keys."""
    return max(float(np.max(array)), -float(np.min(array)))


def softmax(scores: Array) -> Array:
    """Weights of scores, along the last axis."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)
