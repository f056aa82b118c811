"""The claim that no query over random keys lifts its target by more.

The law of the scores is that of :mod:`regard.certify.lemmas.random_keys`. A query q is *admissible*
for a target if m_i - m_j = ln(p_i/p_j) for all chosen i, j. Let c be the first one
chosen.

    gap_at_most         for every admissible q of length up to radius, the least m_i - m_j -
                        z √(e_i + e_j) over i chosen, j outside, is ≤ bound

Proof. For shares y_ij ≥ 0 that sum to 1 the least is at most the average. With any
x_ij, Cauchy-Schwarz for C = Σ_i + Σ_j + ridge I ⪰ 0 gives √(q·Cq) ≥ q·Cx / max(1, √(x·Cx)), and
√(q·(Σ_i + Σ_j)q) ≥ √(q·Cq) - √ridge ‖q‖. So with

    u = scale (Σ y_ij (μ_i - μ_j) + Σ t_k (μ_c - μ_k)) - |scale| z Σ y_ij C x_ij / max(1, √(x·Cx))

the gap is at most radius (‖u‖ + |scale| z √ridge) - Σ t_k ln(p_c/p_k).
"""

from __future__ import annotations

from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.lemmas import admissible_queries as admissible
from regard.certify.lemmas.random_keys import pairs_of


def gap_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from shares y of pairs, ties t and, for each pair, a direction x."""
    law, target, others = admissible.sides_of(claim, certificate)
    count, width = law.means.shape
    deviations = claim.stated.positive_or_zero("deviations")
    bound = claim.stated.number("bound")
    reach = claim.stated.radius()

    def proof() -> Outcome:
        if reach is None:
            raise Unusable("a radius is needed.")
        witness = claim.witness
        pairs = pairs_of(reading.part(witness, "pairs"), count)
        if any(i not in target or j in target for i, j in pairs):
            raise Unusable("pairs must be of a chosen key and another one.")
        weights = reading.combination(reading.part(witness, "shares"), "shares", len(pairs))
        ties, tied = admissible.ties_of(claim, target)
        ridge = reading.positive_or_zero(reading.part(witness, "ridge"), "ridge")
        if deviations:
            directions = reading.matrix(
                reading.part(witness, "directions"), "directions", len(pairs), width
            )

        def test() -> Outcome:
            total = sum((arb(w) for w in weights.values()), arb(0))
            terms = [(pairs[at], arb(w) / total) for at, w in weights.items()]
            taken = [arb(0)] * width
            proved: bool | None = True
            known: dict[bytes, bool | None] = {}
            for at, share in ((at, arb(w) / total) for at, w in weights.items()):
                if not deviations:
                    continue
                i, j = pairs[at]
                first, second = law.covariances[i], law.covariances[j]
                x = [arb(entry) for entry in directions[at].tolist()]
                image = [
                    a + b + ridge * c
                    for a, b, c in zip(
                        admissible.times(first, x), admissible.times(second, x), x, strict=True
                    )
                ]
                length = sum((a * b for a, b in zip(image, x, strict=True)), arb(0))
                shrunk = length.nonnegative_part().sqrt().max(arb(1))
                factor = abs(arb(law.scale)) * deviations * share / shrunk
                taken = [a + factor * b for a, b in zip(taken, image, strict=True)]
                name = first.tobytes() + second.tobytes()
                if name not in known:
                    known[name] = _semidefinite(first, second, ridge)
                proved = balls.every(proved, known[name])
            tail = arb(0)
            for pair, t in zip(tied, ties, strict=True):
                terms.append((pair, arb(t) / total))
                tail += t * admissible.log_ratio(target, *pair) / total
            u = admissible.mean_differences(law, terms)
            rest = balls.norm([a - b for a, b in zip(u, taken, strict=True)])
            rest += abs(arb(law.scale)) * deviations * arb(ridge).sqrt()
            gap = reach * rest - tail
            return Outcome(
                balls.every(balls.at_most(gap, arb(bound)), proved),
                f"The gap is at most {balls.show(gap)}.",
            )

        return balls.settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        truths = []
        for i in target:
            for j in others:
                room = means[i] - means[j] - numbers.number(bound)
                taken = numbers.number(deviations) ** 2 * (spread[i] + spread[j])
                truths.append(balls.every(balls.less(0, room), balls.less(taken, room**2)))
        return balls.every(*truths)

    return balls.for_all(
        proof, admissible.contradicted_by_a_query(claim, law, target, contradiction)
    )


def _semidefinite(first: Float64, second: Float64, ridge: Number) -> bool | None:
    """Is the sum of two matrices, and of the ridge on its diagonal, positive semidefinite?"""
    rows = (BALLS.read(first) + BALLS.read(second)).tolist()
    for at, row in enumerate(rows):
        row[at] += ridge
    return balls.definite(rows, semi=True)


CLAIM_TYPES = {
    "gap_at_most": ClaimType(
        gap_at_most,
        "no query{up_to} {lifts} above every other key by more than {bound:up} in the "
        "mean{less_deviations}",
    ),
}
