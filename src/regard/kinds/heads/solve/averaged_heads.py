"""Heads whose outputs are averaged, over keys that may be random: their queries and their error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from regard.certify import Certificate, Claim
from regard.design import RobustDesign
from regard.design import robust as design_robust
from regard.kinds.heads.solve.allocation import allocate
from regard.kinds.heads.solve.pattern import MOST_LISTED, SAME, Pattern, read_pattern
from regard.kinds.heads.spec import WeightsProblem
from regard.problems import key_instance
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Gaussian
from regard.solving.finding import Finding, Status
from regard.solving.key_tables import softmax
from regard.solving.random_keys import Bound, RandomKeys, rms_bound, rms_claim

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
        apart: whether each head has to meet its own pattern, as near as it counts in the average.
    """

    whole: Pattern
    patterns: tuple[Pattern, ...]
    keys: RandomKeys
    instance: KeyInstance
    tolerance: float
    apart: bool = False

    @classmethod
    def of(cls, problem: WeightsProblem, instance: KeyInstance | None = None) -> AveragedHeads:
        """Return the heads of a problem over its own instance or another, each with its share."""
        given, count = problem.given, len(problem.query_names)
        if instance is None:
            instance = key_instance(given)
        whole = read_pattern(given, problem.goal.weights, instance.keys)
        own = problem.own_weights
        shares = [whole.target] if count == 1 else own or allocate(whole.target, count)
        keys, patterns = RandomKeys.of(given, instance), tuple(map(whole.of_rows, shares))
        return cls(whole, patterns, keys, instance, problem.goal.tolerance, bool(own))

    @classmethod
    def in_limit(cls, problem: WeightsProblem) -> AveragedHeads | None:
        """Return the same with every parameter of random keys at its limit; None: not finite."""
        ends = {limit.name: float(limit.target) for limit in problem.given.read_limits}
        finite = bool(ends) and all(math.isfinite(end) for end in ends.values())
        if not finite or not isinstance(problem.given.keys, Gaussian):
            return None
        return cls.of(problem, key_instance(problem.given, parameters=ends))

    @property
    def wanted(self) -> Float64:
        """The output that is wanted."""
        return self.whole.wanted @ self.keys.values

    @property
    def pure(self) -> bool:
        """Whether every head looks at one key."""
        return all(pattern.m == 1 for pattern in self.patterns)

    def robust_design(self, target: Mapping[int, float] | None = None) -> RobustDesign:
        """Return the query of least noise at its best gap, for all that is wanted or a part of it.

        Raises:
            InfeasibleDesign: no query has the mean scores that it needs.
            UndecidedDesign: none was found.
        """
        keys, wanted = self.keys, self.whole.target if target is None else target
        return design_robust(
            keys.means, keys.covariances, wanted, values=keys.values, scale=keys.scale
        )

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
        """√E ‖c − c*‖² of queries (..., heads, d), and the trace of the output's covariance."""
        first, shares = self._shares
        return (keys or self.keys).off_and_variance(queries[..., first, :], self.wanted, shares)

    def mean_weights(self, queries: Float64) -> Float64:
        """The mean weights (..., n) of queries (..., heads, d), averaged over the heads."""
        first, shares = self._shares
        return self.keys.mean_weights(queries[..., first, :], shares)

    @property
    def _shares(self) -> tuple[list[int], Float64 | None]:
        """Which heads differ, and what each of these counts; None: there is one head."""
        first, counts = self._distinct
        return first, None if len(self.patterns) == 1 else np.array(counts) / len(self.patterns)

    def bound(self, queries: Float64) -> Bound:
        """What is provable of queries (heads, d), in floats."""
        first, counts = self._distinct
        shares = np.array(counts) / len(self.patterns)
        return rms_bound(self.keys, queries[first], self.whole.target, shares)

    @cached_property
    def alone(self) -> tuple[tuple[int, AveragedHeads], ...]:
        """Each different head by itself, where it has to meet its own pattern; none otherwise.

        A head counts 1/heads in the average, so its tolerance is that many times as large.
        """
        each = [(h, self.patterns[h]) for h in self._distinct[0]] if self.apart else []
        most = len(self.patterns) * self.tolerance
        return tuple(
            (h, replace(self, whole=own, patterns=(own,), tolerance=most, apart=False))
            for h, own in each
        )

    def provable(self, queries: Float64) -> float:
        """What is provable of queries (heads, d) as the goal has it: of each head too, if asked."""
        each = [one.bound(queries[[h]]).value / len(queries) for h, one in self.alone]
        return max([self.bound(queries).value, *each])

    def goal_off(self, queries: Float64) -> Float64:
        """How far queries (..., heads, d) are off by the exact law, as the goal has it."""
        each = [one.off(queries[..., [h], :]) / len(self.patterns) for h, one in self.alone]
        return np.asarray(np.max([self.off(queries), *each], axis=0))

    def claim(self, queries: Float64, most: float | None = None) -> Claim:
        """Claim the goal of queries (heads, d), or another bound of their error."""
        first, counts = self._distinct
        alike = None if len(self.patterns) == 1 else tuple(counts)
        bound = self.tolerance if most is None else most
        return rms_claim(self.keys, queries[first], self.whole.target, bound, alike)

    def claims(self, queries: Float64) -> tuple[Claim, ...]:
        """Claim the goal of queries (heads, d): of their average, and of each head if asked."""
        first = self._distinct[0]
        each = [
            rms_claim(
                self.keys,
                queries[first],
                one.whole.target,
                one.tolerance,
                tuple(int(g == h) for g in first),  # the other heads count nothing
            )
            for h, one in self.alone
        ]
        return self.claim(queries), *each

    def proves(self, queries: Float64) -> bool:
        """Whether the goal of queries (heads, d) is proved."""
        return self.keys.proves(*self.claims(queries))

    @cached_property
    def _distinct(self) -> tuple[list[int], list[int]]:
        """The first head with each pattern, and how many have it."""
        shares = [tuple(pattern.target.items()) for pattern in self.patterns]
        first = [h for h, share in enumerate(shares) if share not in shares[:h]]
        return first, [shares.count(shares[h]) for h in first]


@dataclass(frozen=True, eq=False, kw_only=True)
class QueriesFound(Finding):
    """A query for each head, of the answer or the closest that were found.

    Attributes:
        heads: what is wanted of them, over which keys.
        queries: (heads, d).
    """

    heads: AveragedHeads
    queries: Float64

    @classmethod
    def of_one(
        cls,
        status: Status,
        heads: AveragedHeads,
        query: Float64,
        certificate: Certificate,
        reaches: tuple[int, ...] = (),
        **more: Any,
    ) -> Self:
        """Return the finding of one head, whose query (d,) the answer has in numbers."""
        answer, queries = {"q": query.tolist()}, query[None]
        return cls(status, answer, certificate, reaches, heads=heads, queries=queries, **more)

    @property
    def pattern(self) -> Pattern:
        """What is wanted of all heads together, and the formula for it."""
        return self.heads.whole

    @property
    def query(self) -> Float64:
        """The query (d,) of the first head, where there is one."""
        return np.asarray(self.queries[0])

    @property
    def scores(self) -> Float64:
        """The scores (heads, n) of all keys, at their means."""
        return np.asarray(self.pattern.scale * (self.queries @ self.heads.instance.keys.T))

    @property
    def weights(self) -> Float64:
        """The average weights (n,) of all keys, at their means."""
        return np.asarray(np.mean(softmax(self.scores), axis=0))


@dataclass(frozen=True, eq=False, kw_only=True)
class AveragedQueries(QueriesFound):
    """A query for each head, with what is proved of their average.

    Attributes:
        factor: C of their formulas; None where they are numbers.
        bound: what is provable, in floats.
    """

    factor: float | None = None
    bound: Bound

    @classmethod
    def measured(
        cls, heads: AveragedHeads, queries: Float64, answer: Mapping[str, Any], **more: Any
    ) -> Self:
        """Return the finding: proved by a claim that is the goal, or with what is provable."""
        bound, proved = heads.bound(queries), heads.proves(queries)
        claims = heads.claims(queries) if proved else (heads.claim(queries, bound.claimable),)
        reaches = tuple(range(len(claims))) if proved else ()
        certificate = heads.keys.certificate(*claims)
        known: dict[str, Any] = {"heads": heads, "queries": queries, "bound": bound}
        found = cls(Status.PROVED, answer, certificate, reaches, **known, **more)
        if proved:
            return found
        within = bool(heads.goal_off(queries) <= heads.tolerance)
        return replace(found, status=Status.NUMERIC if within else Status.UNDECIDED)

    @property
    def proved(self) -> bool:
        """Whether the tolerance is proved, by a claim that is verified."""
        return bool(self.reaches)

    @cached_property
    def error_and_variance(self) -> tuple[float, float]:
        """√E ‖c − c*‖² by the exact law, and the trace of the output's covariance."""
        error, variance = self.heads.off_and_variance(self.queries)
        return float(error), float(variance)

    @property
    def error(self) -> float:
        """√E ‖c − c*‖² by the exact law."""
        return self.error_and_variance[0]


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
