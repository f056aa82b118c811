"""Queries over random keys that give a target its weights in the mean: m_i - m_j = ln(p_i/p_j)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.lemmas.random_keys import Law, read_law, target_of


class Sides(NamedTuple):
    """A law, the target that queries give its weights, and the keys outside it."""

    law: Law
    target: dict[int, Number]
    others: list[int]


def sides_of(claim: Claim, certificate: Certificate) -> Sides:
    """Read what a claim about admissible queries is about; some keys must be outside the target."""
    law = read_law(certificate)
    target = target_of(claim, len(law.means))
    others = [j for j in range(len(law.means)) if j not in target]
    if not others:
        raise Unusable("target are all keys, so that there are no others.")
    return Sides(law, target, others)


def ties_of(claim: Claim, target: dict[int, Number]) -> tuple[list[Number], list[tuple[int, int]]]:
    """Return the multipliers t_k and the pairs (c, k) that they belong to."""
    first, *rest = target
    entries = claim.witnessed.listed("ties", len(rest))
    return [reading.number(entry, "ties") for entry in entries], [(first, k) for k in rest]


def log_ratio(target: dict[int, Number], i: int, j: int) -> arb:
    """Return ln(p_i/p_j), exactly 0 for equal weights."""
    return arb(0) if target[i] == target[j] else (arb(target[i]) / arb(target[j])).log()


def mean_differences(law: Law, terms: list[tuple[tuple[int, int], arb]]) -> list[arb]:
    """Return scale Σ factor (μ_i - μ_j)."""
    factors = [arb(0)] * len(law.means)
    for (i, j), factor in terms:
        factors[i] += factor * law.scale
        factors[j] -= factor * law.scale
    return balls.combine(factors, law.means, BALLS)


def times(rows: Float64, x: list[arb]) -> list[arb]:
    """Return the product of a matrix with a vector."""
    return list((BALLS.read(rows) * BALLS.matrix(len(x), 1, x)).entries())


def contradicted_by_a_query(
    claim: Claim,
    law: Law,
    target: dict[int, Number],
    contradiction: Callable[[list[Any], list[Any], Arithmetic], bool | None],
) -> Callable[[], Outcome]:
    """Return the question whether the query "attained_by" contradicts a claim."""

    def refutation() -> Outcome:
        query = claim.witnessed.vector("attained_by", law.means.shape[1])
        reach = claim.stated.radius()
        if len(set(target.values())) > 1:
            raise Unusable("no query has exactly these differences.")

        def test(numbers: Arithmetic) -> Outcome:
            entries = [numbers.number(entry) for entry in query.tolist()]
            within = True if reach is None else balls.norm_at_most(entries, reach, numbers)
            means, spread = law.scores(query, numbers)
            levels = [means[i] for i in target]
            alike = balls.at_most(numbers.largest(levels), -numbers.largest([-m for m in levels]))
            truth = balls.every(within, alike, contradiction(means, spread, numbers))
            return Outcome(truth, "A query contradicts it.")

        return balls.settle_algebra(test)

    return refutation
