"""Heads whose outputs are averaged, over keys that may be random: their queries and their error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.kinds.heads.solve.pattern import MOST_LISTED, SAME, Pattern
from regard.language import parse_limit
from regard.problems import key_instance
from regard.problems.instances import KeyInstance
from regard.problems.keys import Keys
from regard.solving.random_keys import Bound, RandomKeys, rms_bound, rms_claim

Float64 = NDArray[np.float64]

DIGITS = 6  # of the coefficients of a designed query


@dataclass(frozen=True, eq=False)
class AveragedHeads:
    """What heads are asked for. Heads with the same pattern have the same query and count as one.

    Attributes:
        whole: what is wanted of all heads together.
        patterns: what is wanted of each head, and its formula.
        keys: the law of the keys (without noise if they are not random), and values.
        instance: the same with the names of formulas.
        tolerance: of √E ‖c − c*‖².
    """

    whole: Pattern
    patterns: tuple[Pattern, ...]
    keys: RandomKeys
    instance: KeyInstance
    tolerance: float

    @property
    def wanted(self) -> Float64:
        """The output that is wanted."""
        return self.whole.wanted @ self.keys.values

    @property
    def pure(self) -> bool:
        """Whether every head looks at one key."""
        return all(pattern.m == 1 for pattern in self.patterns)

    def queries(self, factor: float) -> Float64:
        """The queries (heads, d) as the formulas of the answer give them."""
        return np.array([one.query(factor, self.instance.symbols) for one in self.patterns])

    def at(self, factors: Float64) -> Float64:
        """The queries (..., heads, d) at factors (...), between those at 0 and 1."""
        start = self.queries(0.0)
        return start + np.multiply.outer(factors, self.queries(1.0) - start)

    def off(self, queries: Float64, keys: RandomKeys | None = None) -> Float64:
        """√E ‖c − c*‖² of queries (..., heads, d), over these keys or others."""
        return self.off_and_variance(queries, keys)[0]

    def off_and_variance(
        self, queries: Float64, keys: RandomKeys | None = None
    ) -> tuple[Float64, Float64]:
        """The same with the trace of the output's covariance."""
        first, counts = self._distinct
        shares = None if len(self.patterns) == 1 else np.array(counts) / len(self.patterns)
        return (keys or self.keys).off_and_variance(queries[..., first, :], self.wanted, shares)

    def bound(self, queries: Float64) -> Bound:
        """What is provable of queries (heads, d), in floats."""
        first, counts = self._distinct
        shares = np.array(counts) / len(self.patterns)
        return rms_bound(self.keys, queries[first], self.whole.target, shares)

    def claim(self, queries: Float64, most: float | None = None) -> Claim:
        """Claim the goal of queries (heads, d), or another bound of their error."""
        first, counts = self._distinct
        alike = None if len(self.patterns) == 1 else tuple(counts)
        bound = self.tolerance if most is None else most
        return rms_claim(self.keys, queries[first], self.whole.target, bound, alike)

    def proves(self, queries: Float64) -> bool:
        """Whether the goal of queries (heads, d) is proved."""
        return self.keys.proves(self.claim(queries))

    @cached_property
    def _distinct(self) -> tuple[list[int], list[int]]:
        """The first head with each pattern, and how many have it."""
        shares = [tuple(pattern.target.items()) for pattern in self.patterns]
        first = [h for h, share in enumerate(shares) if share not in shares[:h]]
        return first, [shares.count(shares[h]) for h in first]


def limit_instance(given: Keys) -> KeyInstance | None:
    """Return the instance with every parameter at its limit; None if there is no finite one."""
    limits = [parse_limit(text) for text in given.limits]
    ends = {limit.name: float(limit.target) for limit in limits}
    if not ends or not all(math.isfinite(end) for end in ends.values()):
        return None
    return key_instance(given, parameters=ends)


def in_means(query: Float64, instance: KeyInstance) -> tuple[str, Float64] | None:
    """Write a query, to a few digits, as a combination of the means; None if it is none.

    Returns:
        The formula and the coefficients in it.
    """
    if len(instance.keys) > MOST_LISTED:
        return None
    parts = np.linalg.lstsq(instance.keys.T, query, rcond=None)[0]
    if np.max(np.abs(parts @ instance.keys - query)) > SAME * (1 + np.max(np.abs(query))):
        return None
    size = float(np.max(np.abs(parts)))
    if size > 0:
        parts = np.round(parts, DIGITS - math.ceil(math.log10(size))) + 0.0
    listed = ", ".join(repr(float(part)) for part in parts)
    return f"M' [{listed}]", np.asarray(parts, float)
