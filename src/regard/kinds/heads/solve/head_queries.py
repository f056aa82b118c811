"""One query per head: formulas where scores can be chosen one by one, else designed queries."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.design import robust as design_robust
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.solve.allocation import allocate, orderings
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, in_means, limit_instance
from regard.kinds.heads.solve.pattern import Pattern, read_pattern, rounded_up
from regard.kinds.heads.spec import HeadsProblem
from regard.problems import key_instance
from regard.problems.laws import Gaussian
from regard.solving.finding import Finding, Status, excluding
from regard.solving.random_keys import Bound, RandomKeys, rms_bound

Float64 = NDArray[np.float64]

POINTS = 33  # factors that are tried at a time
MOST_LOUD = 6  # of them for which a proof is tried where floats have none


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadQueries(Finding):
    """A query for each head.

    Attributes:
        heads: what is wanted of them, over which keys.
        factor: C of the formulas; None where queries are numbers.
        queries: (heads, d).
        bound: what is provable of them together, in floats.
        noisy: the keys as they are given, where `heads` looks at the limit of vanishing noise.
        refusal: of the design of one head, where no query is better than 0.
    """

    heads: AveragedHeads
    factor: float | None
    queries: Float64
    bound: Bound
    noisy: RandomKeys | None = None
    refusal: InfeasibleDesign | UndecidedDesign | None = None

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

    @cached_property
    def error_with_noise(self) -> float:
        """The same with the noise that is given."""
        return float(self.heads.off(self.queries, self.noisy))

    @property
    def in_means(self) -> bool:
        """Whether the answer writes designed queries as combinations of the means."""
        texts = [isinstance(value, str) for value in self.answer.values()]
        return self.factor is None and any(texts)

    def head(self, h: int) -> tuple[float, float]:
        """The gap of the mean scores of one head, and how far it is off at most, in floats."""
        keys, pattern, query = self.heads.keys, self.heads.patterns[h], self.queries[h]
        scores = keys.scale * (keys.means @ query)
        others = np.delete(scores, list(pattern.rows))
        gap = np.min(scores[list(pattern.rows)]) - np.max(others, initial=-math.inf)
        return float(gap), rms_bound(keys, query[None], pattern.target).value


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightCeiling(Finding):
    """A wanted key that no head can give its share, since it is an average of others.

    Attributes:
        whole: what is wanted of all heads together.
        row: of the key.
        ceiling: the claim that bounds its weight.
        closest: the query that gives it most.
    """

    whole: Pattern
    row: int
    ceiling: Claim
    closest: QueryDesign


def solve(problem: HeadsProblem) -> HeadQueries | WeightCeiling:
    """Return one query per head: a head for each wanted key where the shares allow it."""
    given = problem.given
    instance = key_instance(given)
    whole = read_pattern(given, problem.goal.weights, instance.keys)
    patterns = tuple(map(whole.of_rows, allocate(whole.target, problem.goal.heads)))
    keys = RandomKeys.of(given, instance)
    heads = AveragedHeads(whole, patterns, keys, instance, problem.goal.tolerance)
    if all(pattern.has_formula for pattern in patterns):
        factor = _smallest_factor(heads)
        if factor is not None:
            return _found(problem, heads, heads.queries(factor), factor)
        limit = limit_instance(given) if isinstance(given.keys, Gaussian) else None
        if limit is not None and not np.any(limit.covariances):
            still = replace(heads, keys=RandomKeys.of(given, limit), instance=limit)
            factor = _smallest_factor(still)
            if factor is not None:
                found = _found(problem, still, still.queries(factor), factor)
                return replace(found, noisy=keys)
    return _designed(problem, heads)


def _smallest_factor(heads: AveragedHeads) -> float | None:
    """Return the smallest factor that is proved enough, or is by the exact law; None: none is."""

    def provable(factor: float) -> float:
        return heads.bound(heads.queries(factor)).value

    tolerance = heads.tolerance
    top = max(pattern.factor_for(1e-15) for pattern in heads.patterns)
    if not math.isfinite(top):
        return 0.0
    grid = np.linspace(0.0, top, POINTS).tolist()
    first = next((f for f in grid if provable(f) <= tolerance), None)
    if first is not None:
        low, high = max(first - top / (POINTS - 1), 0.0), first
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if provable(middle) <= tolerance else (middle, high)
        short = rounded_up(high, 4)
        return short if provable(short) <= tolerance else high
    errors = heads.off(heads.at(np.array(grid)))
    good = [f for f, error in zip(grid, errors, strict=True) if error <= tolerance]
    if not good:
        return None
    # Noise of order one: the claim knows another bound, for heads that look at one key each.
    for factor in good[:: max(1, len(good) // MOST_LOUD)]:
        short = rounded_up(factor, 4)
        if heads.proves(heads.queries(short)):
            return short
    return float(grid[int(np.argmin(errors))])


def _found(
    problem: HeadsProblem, heads: AveragedHeads, queries: Float64, factor: float | None = None
) -> HeadQueries:
    """Return the queries as formulas with this factor, or as numbers, with what is proved."""
    texts: list[Any] = [pattern.text() for pattern in heads.patterns]
    if factor is None:
        mu = heads.whole.prefix == "mu"
        written = [in_means(query, heads.instance) if mu else None for query in queries]
        # As the answer writes them, to the digits that it has.
        queries = np.array(
            [q if text is None else text[1] @ heads.instance.keys
             for q, text in zip(queries, written, strict=True)]
        )  # fmt: skip
        texts = [
            q.tolist() if text is None else text[0]
            for q, text in zip(queries, written, strict=True)
        ]
    answer = dict(zip(problem.query_names, texts, strict=True))
    if factor is not None:
        answer[heads.whole.factor] = factor
    bound, proved = heads.bound(queries), heads.proves(queries)
    claim = heads.claim(queries, None if proved else bound.claimable)
    found = HeadQueries(
        Status.PROVED,
        answer,
        heads.keys.certificate(claim),
        (0,) if proved else (),
        heads=heads,
        factor=factor,
        queries=queries,
        bound=bound,
    )
    if proved:
        return found
    within = found.error <= heads.tolerance
    return replace(found, status=Status.NUMERIC if within else Status.UNDECIDED)


def _designed(problem: HeadsProblem, heads: AveragedHeads) -> HeadQueries | WeightCeiling:
    """Keys without structure, or noise that the formulas do not survive: each query designed."""
    best: HeadQueries | None = None
    refusal: InfeasibleDesign | UndecidedDesign | None = None
    tried = set()
    for order in orderings(heads.whole.target):
        patterns = allocate(order, problem.goal.heads)
        shares = str(sorted(sorted(pattern.items()) for pattern in patterns))
        if shares in tried:
            continue
        tried.add(shares)
        try:
            queries = np.array([_one(heads, pattern) for pattern in patterns])
        except (InfeasibleDesign, UndecidedDesign) as error:
            refusal = refusal or error
            continue
        these = replace(heads, patterns=tuple(map(heads.whole.of_rows, patterns)))
        found = _found(problem, these, queries)
        if best is None or found.error < best.error:
            best = found
        if best.error <= heads.tolerance:
            break
    if best is not None:
        return best
    assert refusal is not None
    ceiling = _weight_ceiling(problem, heads)
    if ceiling is not None:
        return ceiling
    found = _found(problem, heads, np.zeros((problem.goal.heads, heads.keys.means.shape[1])))
    return replace(found, status=Status.UNDECIDED, refusal=refusal)


def _one(heads: AveragedHeads, pattern: dict[int, float]) -> Float64:
    """Return the query of one head."""
    keys = heads.keys
    if keys.random:
        design = design_robust(
            keys.means, keys.covariances, pattern, values=keys.values, scale=keys.scale
        )
        return np.asarray(design.queries[0])
    within = heads.tolerance / 4
    return design_query(
        keys.means, pattern, tolerance=within, values=keys.values, scale=keys.scale
    ).query


def _weight_ceiling(problem: HeadsProblem, heads: AveragedHeads) -> WeightCeiling | None:
    """Return a wanted key that cannot have its share from any head; None where none is known."""
    keys = heads.keys
    if keys.random or not keys.weights_count:
        return None
    for row, weight in heads.whole.target.items():
        try:
            design_query(keys.means, row, tolerance=1e-3, scale=keys.scale)
        except InfeasibleDesign as refusal:
            ceiling = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
            if ceiling.fields["bound"] < weight - heads.tolerance:
                return WeightCeiling(
                    Status.IMPOSSIBLE,
                    dict.fromkeys(problem.query_names, refusal.best.query.tolist()),
                    refusal.certificate,
                    excluding(refusal.certificate, "ceiling"),
                    whole=heads.whole,
                    row=row,
                    ceiling=ceiling,
                    closest=refusal.best,
                )
        except UndecidedDesign:
            continue
    return None
