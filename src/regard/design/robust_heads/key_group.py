"""What one robust head is asked for: a group of keys, in units that solvers like.

A head that serves the keys S with weights p wants, of the mean scores s_i = scale · q·μ_i,

    s_i − s_j = ln p_i − ln p_j for i, j in S       and       s_i − s_j ≥ gap for i in S, j outside.

Its noise is that of the differences: s_i − s_j has variance scale² q·(Σ_i + Σ_j)q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.certify.lemmas.semidefinite import shortfalls

__all__ = ["Group", "Keys"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Keys:
    """The law of the keys.

    Attributes:
        means: (n, d). covariances: (n, d, d). scale: as the caller gave them.
    """

    means: Array
    covariances: Array
    scale: float

    @cached_property
    def unit(self) -> float:
        """A power of two near the largest scaled entry of the means; solvers see means / unit."""
        size = float(np.max(np.abs(self.means))) * self.scale
        return 1.0 if size == 0 else 2.0 ** math.frexp(size)[1]

    @cached_property
    def scored(self) -> Array:
        """The means of ordinary size, for queries times the unit."""
        return self.means * (self.scale / self.unit)

    @cached_property
    def noise(self) -> Array:
        """The covariances in the same units."""
        factor = self.scale / self.unit
        return self.covariances * factor * factor

    @cached_property
    def shortfalls(self) -> Array:
        """What the covariances lack on their diagonals to be such, by rounding; mostly 0."""
        return shortfalls(self.means, self.covariances)

    @cached_property
    def classes(self) -> NDArray[np.intp]:
        """Which keys have equal covariances: a number per key."""
        seen: dict[bytes, int] = {}
        rows = [covariance.tobytes() for covariance in self.covariances + 0.0]
        return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Group:
    """The keys that one head serves, and their shares in it."""

    keys: Keys
    chosen: tuple[int, ...]
    weights: Array

    @cached_property
    def others(self) -> NDArray[np.intp]:
        """Every other key."""
        return np.setdiff1d(np.arange(len(self.keys.means)), self.chosen)

    @cached_property
    def lowest(self) -> int:
        """The key of the group with the smallest share, which is nearest to the others."""
        return self.chosen[int(np.argmin(self.weights))]

    @cached_property
    def rows(self) -> Array:
        """What has to rise above the gap: the lowest mean of the group less each other one."""
        apart: Array = self.keys.scored[self.lowest] - self.keys.scored[self.others]
        return apart

    @cached_property
    def ties(self) -> tuple[Array, Array]:
        """What has to be met: differences of means within the group, and of logarithms."""
        first, rest = self.chosen[0], list(self.chosen[1:])
        differences = self.keys.scored[first] - self.keys.scored[rest]
        return differences, np.log(self.weights[0]) - np.log(self.weights[1:])

    @property
    def scales(self) -> bool:
        """Whether a multiple of a good query is good at a multiple of the gap."""
        return not np.any(self.ties[1])

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs whose differences count as noise: within the group, or from a single key."""
        if len(self.chosen) == 1:
            return [(self.chosen[0], int(j)) for j in self.others]
        count = len(self.chosen)
        return [(self.chosen[i], self.chosen[j]) for i in range(count) for j in range(i + 1, count)]

    @cached_property
    def pair_weights(self) -> Array | None:
        """What each pair counts, p_i p_j of all; None for a single key: the largest counts."""
        if len(self.chosen) == 1:
            return None
        upper = np.triu_indices(len(self.chosen), 1)
        products = np.outer(self.weights, self.weights)[upper]
        return products / float(np.sum(products))

    def mixed(self, weights: Array) -> Array:
        """Σ weight (Σ_i + Σ_j) over the pairs."""
        per_key = np.zeros(len(self.keys.means))
        for (i, j), weight in zip(self.pairs, weights.tolist(), strict=True):
            per_key[i] += weight
            per_key[j] += weight
        form: Array = np.einsum("i,ijk->jk", per_key, self.keys.noise)
        return form

    def variances(self, query: Array) -> Array:
        """The variance of each pair's difference of scores."""
        each = np.maximum(np.einsum("j,ijk,k->i", query, self.keys.noise, query), 0.0)
        return np.array([each[i] + each[j] for i, j in self.pairs])
