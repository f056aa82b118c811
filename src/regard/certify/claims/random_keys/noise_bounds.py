"""The claim that all queries over random keys have so much noise.

The law of the scores is that of :mod:`regard.certify.lemmas.random_keys`. A query q is *admissible*
for a target if m_i - m_j = ln(p_i/p_j) for all chosen i, j. Let l be the chosen key
of least weight and c the first one.

    variance_at_least   Σ w (e_i + e_j) ≥ bound (or max (e_i + e_j) ≥ bound) for every admissible q
                        of length up to radius with m_i - m_j ≥ gap for all i chosen, j outside

Proof. Let M = scale² Σ w (Σ_i + Σ_j); for the largest, w may be any weights ≥ 0 that
sum to 1, as an average is at most the largest. Take multipliers y_j ≥ 0 and t_k, a point x, λ ≥ 0
and μ > 0 with M + λI ⪰ μI, and

    u = scale (Σ y_j (μ_l - μ_j) + Σ t_k (μ_c - μ_k)),    r = 2 (M + λI) x - u.

u·q ≥ gap Σ y_j + Σ t_k ln(p_c/p_k) =: b, and f(q) = q·(M + λI)q - u·q is convex:

    f(q) = f(x) + r·(q - x) + (q - x)·(M + λI)(q - x) ≥ f(x) - ‖r‖²/(4μ),
    q·Mq ≥ f(x) - ‖r‖²/(4μ) + b - λ radius².

With λ = 0 there need be no radius.
"""

from __future__ import annotations

from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.lemmas import admissible_queries as admissible
from regard.certify.lemmas.random_keys import noise_of, pair_weights, pairs_of


def variance_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from multipliers (rows y, ties t, ridge λ, floor μ, mixture w) and a point x."""
    law, target, others = admissible.sides_of(claim, certificate)
    count, width = law.means.shape
    pairs = pairs_of(claim.stated.part("pairs"), count)
    fixed = pair_weights(claim, len(pairs))
    gap = claim.stated.number("gap")
    bound = arb(claim.stated.number("bound"))
    reach = claim.stated.radius()
    lowest = min(target, key=lambda i: target[i])

    def proof() -> Outcome:
        witness = claim.witness
        x = reading.vector(reading.part(witness, "point"), "point", width).tolist()
        entries = reading.listed(reading.part(witness, "rows"), "rows", len(others))
        rows = [reading.positive_or_zero(entry, "rows") for entry in entries]
        ties, tied = admissible.ties_of(claim, target)
        ridge = reading.positive_or_zero(reading.part(witness, "ridge"), "ridge")
        floor = reading.positive_or_zero(reading.part(witness, "floor"), "floor")
        if floor == 0 or (ridge and reach is None):
            raise Unusable("floor must be above 0, and a ridge needs a radius.")
        mixture = (
            {}
            if fixed is not None
            else reading.combination(reading.part(witness, "mixture"), "mixture", len(pairs))
        )

        def test() -> Outcome:
            if fixed is not None:
                counted = dict(enumerate(arb(weight) for weight in fixed))
            else:
                averaged = balls.shares(list(mixture.values()), BALLS)
                counted = dict(zip(mixture, averaged, strict=True))
            per_key = [arb(0)] * count
            for place, weight in counted.items():
                for key in pairs[place]:
                    per_key[key] += weight * law.scale * law.scale
            flat = balls.combine(per_key, law.covariances.reshape(count, -1), BALLS)
            form = [flat[at : at + width] for at in range(0, len(flat), width)]
            for at in range(width):
                form[at][at] += ridge
            raised = [
                [entry - floor * (i == j) for j, entry in enumerate(row)]
                for i, row in enumerate(form)
            ]
            terms = [((lowest, j), arb(y)) for j, y in zip(others, rows, strict=True)]
            terms += [(pair, arb(t)) for pair, t in zip(tied, ties, strict=True)]
            level = gap * sum((arb(y) for y in rows), arb(0))
            for pair, t in zip(tied, ties, strict=True):
                level += t * admissible.log_ratio(target, *pair)
            u = admissible.mean_differences(law, terms)
            image = [sum((a * b for a, b in zip(row, x, strict=True)), arb(0)) for row in form]
            off = [2 * a - b for a, b in zip(image, u, strict=True)]
            value = sum(((a - b) * c for a, b, c in zip(image, u, x, strict=True)), level)
            value -= balls.squared(off) / (4 * arb(floor))
            if reach is not None:
                value -= ridge * arb(reach) ** 2
            truth = balls.at_most(bound, value)
            if truth:  # the factors take longest
                truth = balls.definite(raised)
            return Outcome(truth, f"The variance is at least {balls.show(value)}.")

        return balls.settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        apart = [means[lowest] - means[j] - numbers.number(gap) for j in others]
        noise = noise_of(spread, pairs, fixed, numbers)
        lifted = [balls.at_most(0, difference) for difference in apart]
        return balls.every(
            *lifted,
            balls.less(noise, numbers.number(reading.number(claim.fields["bound"], "bound"))),
        )

    return balls.for_all(
        proof, admissible.contradicted_by_a_query(claim, law, target, contradiction)
    )


CLAIM_TYPES = {
    "variance_at_least": ClaimType(
        variance_at_least,
        "every query{up_to} that {lifts} above every other key by a mean gap of at "
        "least {gap:exactly} has a {noise} of at least {bound:down}",
    ),
}
