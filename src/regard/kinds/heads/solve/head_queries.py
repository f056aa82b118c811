"""One query per head: formulas where scores can be chosen one by one, else designed queries."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify import Claim
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.solve.allocation import allocations
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, AveragedQueries, in_means
from regard.kinds.heads.solve.pattern import Pattern, rounded_up
from regard.kinds.heads.spec import HeadsProblem
from regard.problems.instances import Float64
from regard.solving.finding import Finding, Status, excluding
from regard.solving.random_keys import RandomKeys, rms_bound

POINTS = 33  # factors that are tried at a time
MOST_LOUD = 6  # of them for which a proof is tried where floats have none


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadQueries(AveragedQueries):
    """A query for each of several heads.

    Attributes:
        noisy: the keys as they are given, where `heads` looks at the limit of vanishing noise.
        refusal: of the design of one head, where no query is better than 0.
    """

    noisy: RandomKeys | None = None
    refusal: InfeasibleDesign | UndecidedDesign | None = None

    @cached_property
    def error_with_noise(self) -> float:
        """√E ‖c − c*‖² of the queries with the noise that is given."""
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
    heads = AveragedHeads.of(problem)
    if all(pattern.has_formula for pattern in heads.patterns):
        found = _by_formula(problem, heads)
        if found is not None:
            return found
        limit = AveragedHeads.in_limit(problem)
        found = None if limit is None or limit.keys.random else _by_formula(problem, limit)
        if found is not None:
            return replace(found, noisy=heads.keys)
    return _designed(problem, heads)


def _by_formula(problem: HeadsProblem, heads: AveragedHeads) -> HeadQueries | None:
    factor = _smallest_factor(heads)
    if factor is None:
        return None
    texts = [pattern.text() for pattern in heads.patterns]
    answer = dict(zip(problem.query_names, texts, strict=True)) | {heads.whole.factor: factor}
    return HeadQueries.measured(heads, heads.queries(factor), answer, factor=factor)


def _smallest_factor(heads: AveragedHeads) -> float | None:
    """Return the smallest factor that is proved enough, or is by the exact law; None: none is."""

    def provable(factor: float) -> float:
        return heads.provable(heads.queries(factor))

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
    errors = heads.goal_off(heads.at(np.array(grid)))
    good = [f for f, error in zip(grid, errors, strict=True) if error <= tolerance]
    if not good:
        return None
    # Noise of order one: the claim knows another bound, for heads that look at one key each.
    for factor in good[:: max(1, len(good) // MOST_LOUD)]:
        short = rounded_up(factor, 4)
        if heads.proves(heads.queries(short)):
            return short
    return float(grid[int(np.argmin(errors))])


def _by_numbers(problem: HeadsProblem, heads: AveragedHeads, queries: Float64) -> HeadQueries:
    """Return designed queries as the answer writes them, to the digits that it has."""
    answer: dict[str, Any] = dict(zip(problem.query_names, queries.tolist(), strict=True))
    if heads.whole.prefix == "mu":
        queries = queries.copy()
        for h, name in enumerate(problem.query_names):
            written = in_means(queries[h], heads.instance)
            if written is not None:
                answer[name], queries[h] = written[0], written[1] @ heads.instance.keys
    return HeadQueries.measured(heads, queries, answer)


def _designed(problem: HeadsProblem, heads: AveragedHeads) -> HeadQueries | WeightCeiling:
    """Keys without structure, or noise that the formulas do not survive: each query designed."""
    best: HeadQueries | None = None
    refusal: InfeasibleDesign | UndecidedDesign | None = None
    least, ways = math.inf, allocations(heads.whole.target, problem.goal.heads)
    for shares in [problem.own_weights] if problem.own_weights else ways:
        try:
            queries = np.array([_one(heads, share) for share in shares])
        except (InfeasibleDesign, UndecidedDesign) as why:
            refusal = refusal or why
            continue
        these = replace(heads, patterns=tuple(map(heads.whole.of_rows, shares)))
        found = _by_numbers(problem, these, queries)
        error = float(these.goal_off(found.queries))
        if best is None or error < least:
            best, least = found, error
        if least <= heads.tolerance:
            break
    if best is not None:
        return best
    assert refusal is not None
    ceiling = _weight_ceiling(problem, heads)
    if ceiling is not None:
        return ceiling
    zeros = np.zeros((len(heads.patterns), heads.keys.means.shape[1]))
    found = _by_numbers(problem, heads, zeros)
    return replace(found, status=Status.UNDECIDED, refusal=refusal)


def _one(heads: AveragedHeads, pattern: dict[int, float]) -> Float64:
    """Return the query of one head."""
    keys = heads.keys
    if keys.random:
        return np.asarray(heads.robust_design(pattern).queries[0])
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
            ceilings = (c for c in refusal.certificate.claims if c.kind == "ceiling")
            ceiling = next(ceilings, None)  # equal averages have another claim
            if ceiling is not None and ceiling.fields["bound"] < weight - heads.tolerance:
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
