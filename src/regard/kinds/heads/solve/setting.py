"""Several heads over random keys: what each is to do, and how far off they are together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.solve.law import (
    NO_BOUND,
    Bound,
    RandomKeys,
    provable_claim,
    rms_bound,
    rms_claim,
)
from regard.problems.instances import KeyInstance

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Heads:
    """One problem, and the numbers that its solution is made of.

    Attributes:
        whole: what is wanted of all heads together.
        mixes: what is wanted of each head, and its formula.
        keys: the law of the keys (without noise if they are not random), and values.
        instance: the same with the names of formulas.
        tolerance: of √E ‖c − c*‖².
        factor: C; NaN where queries are numbers.
        queries: (heads, d).
        provable: what is provable of them together, in floats.
        proved: whether the tolerance is proved, by a claim that is verified.
        noisy: the keys as they are given, where those above are at the limit of vanishing noise.
    """

    whole: Mix
    mixes: tuple[Mix, ...]
    keys: RandomKeys
    instance: KeyInstance
    tolerance: float
    factor: float
    queries: Float64
    provable: Bound = NO_BOUND
    proved: bool = False
    noisy: RandomKeys | None = None

    @property
    def wanted(self) -> Float64:
        """The output that is wanted."""
        return self.whole.wanted() @ self.keys.values

    @property
    def bound(self) -> float:
        """What is provable of √E ‖c − c*‖²."""
        return self.provable.value

    def bound_of(self, queries: Float64) -> Bound:
        """What is provable of queries (heads, d), in floats."""
        first, shares = self._distinct()
        return rms_bound(self.keys, queries[first], self.whole.target, shares)

    def claim(self, *, goal: bool = True) -> Claim:
        """The goal of the queries as they are, or what is provable of them instead."""
        first, shares = self._distinct()
        counts = tuple(round(share * len(self.mixes)) for share in shares)
        queries, target = self.queries[first], self.whole.target
        if goal:
            return rms_claim(self.keys, queries, target, self.tolerance, counts)
        return provable_claim(self.keys, queries, target, self.provable, counts)

    @property
    def random(self) -> bool:
        """Whether the keys are random, as they are looked at here."""
        return bool(np.any(self.keys.covariances))

    @property
    def error(self) -> float:
        """√E ‖c − c*‖² by the exact law."""
        return float(self.off(self.queries))

    @property
    def error_with_noise(self) -> float:
        """The same with the noise that is given, where `keys` are at the limit without it."""
        return self.error if self.noisy is None else replace(self, keys=self.noisy).error

    def off(self, queries: Float64) -> Float64:
        """√E ‖c − c*‖² of queries (..., heads, d) for these heads; equal heads count as one."""
        first, shares = self._distinct()
        return self.keys.off_and_variance(queries[..., first, :], self.wanted, shares)[0]

    @property
    def variance(self) -> float:
        """The trace of the output's covariance."""
        first, shares = self._distinct()
        return float(self.keys.off_and_variance(self.queries[first], self.wanted, shares)[1])

    def _distinct(self) -> tuple[list[int], Float64]:
        patterns = [tuple(mix.target.items()) for mix in self.mixes]
        first = [h for h, pattern in enumerate(patterns) if pattern not in patterns[:h]]
        counts = [patterns.count(patterns[h]) for h in first]
        return first, np.array(counts) / len(patterns)

    def with_factor(self, factor: float) -> Float64:
        """The queries (heads, d) as the formulas of the answer give them."""
        return _queries(self.mixes, factor, self.instance.symbols)

    def head(self, h: int) -> tuple[float, float]:
        """The gap of the mean scores of one head, and how far it is off at most, in floats."""
        rows, query = list(self.mixes[h].rows), self.queries[h]
        scores = self.keys.scale * (self.keys.means @ query)
        others = np.delete(scores, rows)
        gap = float(np.min(scores[rows]) - np.max(others)) if len(others) else math.inf
        return gap, rms_bound(self.keys, query[None], self.mixes[h].target).value

    def at(self, factors: Float64) -> Float64:
        """The queries (..., heads, d) at factors (...)."""
        start = _queries(self.mixes, 0.0, self.instance.symbols)
        step = _queries(self.mixes, 1.0, self.instance.symbols) - start
        return start + np.multiply.outer(factors, step)


def _queries(
    mixes: tuple[Mix, ...], factor: float, symbols: Mapping[str, Float64 | float]
) -> Float64:
    return np.array([mix.query(factor, symbols) for mix in mixes])
