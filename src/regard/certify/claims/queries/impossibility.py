"""Claims that no query of length up to a radius (or no query at all) can do something.

All rest on one inequality for two mixtures l and p of the keys, of
:mod:`regard.certify.lemmas.mixtures`, in its letters:

    ceiling               a_j ≤ 1 / (1 + exp(H(l) - pull)), p all on j, l_j = 0
    weights_apart         KL(p ‖ a) ≥ H(l) - H(p) - pull
    floors_out_of_reach   a ≥ floor is impossible: Σ p_i ln floor_i > pull - H(l)
    output_ceiling        ‖c - v_j‖ ≥ (1 - ceiling) · distance of v_j to the other values
"""

from __future__ import annotations

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.lemmas.mixtures import (
    Mixtures,
    by_query,
    weight_at_most,
    weight_at_most_exactly,
)


def _over_others(claim: Claim, certificate: Certificate, key: int) -> Mixtures:
    reach, n = claim.stated.radius(), len(reading.given(certificate, "keys"))
    given_weights = claim.witnessed.part("combination")
    weights = reading.combination(given_weights, "combination", n, fractions=reach is None)
    if key in weights:
        raise Unusable(f"the combination gives weight to key {key} itself.")
    return Mixtures(certificate, reach, weights, {key: 1})


def ceiling(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that a_j ≤ 1 / (1 + exp(H(l) - pull)) ≤ bound for every query.

    (1 - a_j) / a_j = Σ_{i≠j} exp(s_i - s_j) ≥ exp(Σ l_i (s_i - s_j - ln l_i)) by Jensen,
    which is exp(H(l) + scale · q·(Σ l_i k_i - k_j)).
    """
    keys = reading.given(certificate, "keys")
    key = claim.stated.index("key", len(keys))
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        mixtures = _over_others(claim, certificate, key)

        def test() -> Outcome:
            gap = mixtures.entropy() - mixtures.pull()
            reason = f"The weight is at most {balls.show(1 / (1 + gap.exp()))}."
            return Outcome(weight_at_most(gap, bound), reason)

        def exactly() -> Outcome:
            if not mixtures.meet():
                return Outcome(None, "")
            weights = balls.shares(list(mixtures.upper.values()), EXACT)
            return weight_at_most_exactly([(w, 1 / w) for w in weights], bound)

        return balls.settle(test, exactly)

    def contradiction(terms: list[arb], total: arb) -> Outcome:
        weight = terms[key] / total
        reason = f"A query gives key {key} a weight of {balls.show(weight)}."
        return Outcome(balls.less(bound, weight), reason)

    return balls.for_all(proof, by_query(claim, certificate, contradiction))


def weights_apart(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that KL(p ‖ a) = -H(p) - Σ p_i ln a_i ≥ H(l) - H(p) - pull ≥ bound."""
    keys = reading.given(certificate, "keys")
    target = claim.stated.weighted("target", len(keys))
    if min(target.values()) <= 0:
        raise Unusable("the weights of target must be above 0.")
    bound = claim.stated.number("bound")
    reach = claim.stated.radius()

    def proof() -> Outcome:
        given_weights = claim.witnessed.part("combination")
        weights = reading.combination(
            given_weights, "combination", len(keys), fractions=reach is None
        )
        mixtures = Mixtures(certificate, reach, weights, target)

        def test() -> Outcome:
            wanted = balls.entropy(balls.shares(list(target.values()), BALLS))
            divergence = mixtures.entropy() - wanted - mixtures.pull()
            reason = f"The divergence is at least {balls.show(divergence)}."
            return Outcome(balls.at_most(bound, divergence), reason)

        return balls.settle(test)

    def contradiction(terms: list[arb], total: arb) -> Outcome:
        p = zip(target, balls.shares(list(target.values()), BALLS), strict=True)
        divergence = sum((w * (w * total / terms[i]).log() for i, w in p), arb(0))
        reason = f"A query has a divergence of {balls.show(divergence)}."
        return Outcome(balls.less(divergence, bound), reason)

    return balls.for_all(proof, by_query(claim, certificate, contradiction))


def floors_out_of_reach(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that a_i ≥ floor_i cannot hold for all of the keys listed.

    If it did, Σ p_i ln floor_i ≤ Σ p_i ln a_i ≤ Σ l_i ln a_i + pull ≤ pull - H(l).
    """
    keys = reading.given(certificate, "keys")
    floors = claim.stated.weighted("floors", len(keys))
    reach = claim.stated.radius()

    def proof() -> Outcome:
        fractions, found = reach is None, claim.witnessed.part("mixture")
        mixture = reading.combination(found, "mixture", len(floors), fractions)
        places = list(floors)
        lower = {places[i]: weight for i, weight in mixture.items()}
        if min(floors[i] for i in lower) <= 0:
            raise Unusable("the mixture gives weight to a floor that is not above 0.")
        found = claim.witnessed.part("combination")
        weights = reading.combination(found, "combination", len(keys), fractions)
        mixtures = Mixtures(certificate, reach, weights, lower)

        def test() -> Outcome:
            p = balls.shares(list(lower.values()), BALLS)
            wanted = sum((w * arb(floors[i]).log() for i, w in zip(lower, p, strict=True)), arb(0))
            excess = wanted + mixtures.entropy() - mixtures.pull()
            return Outcome(
                balls.less(0, excess), f"The floors are too high by {balls.show(excess)}."
            )

        return balls.settle(test)

    def contradiction(terms: list[arb], total: arb) -> Outcome:
        met = [balls.at_most(floor, terms[i] / total) for i, floor in floors.items()]
        return Outcome(balls.every(*met), "A query meets every floor.")

    return balls.for_all(proof, by_query(claim, certificate, contradiction))


def output_ceiling(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that ‖c - v_j‖ ≥ (1 - ceiling) · distance ≥ bound for every query.

    For a unit vector w with v_j·w - v_i·w ≥ distance > 0 for all i ≠ j,
    (v_j - c)·w = Σ_{i≠j} a_i (v_j - v_i)·w ≥ (1 - a_j) · distance.
    """
    keys = reading.given(certificate, "keys")
    values = reading.given(certificate, "values", len(keys))
    key = claim.stated.index("key", len(keys))
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        mixtures = _over_others(claim, certificate, key)
        direction = claim.witnessed.vector("direction", values.shape[1])
        if not direction.any():
            raise Unusable("the direction is 0.")

        def test() -> Outcome:
            w = [arb(entry) for entry in direction.tolist()]
            heights = balls.products(values, w, BALLS)
            own = heights.pop(key)
            distance = (own - BALLS.largest(heights)) / balls.norm(w)
            rest = 1 / (1 + (mixtures.pull() - mixtures.entropy()).exp())
            reason = f"The output is at least {balls.show(rest * distance)} away."
            return Outcome(
                balls.every(balls.less(0, distance), balls.at_most(bound, rest * distance)), reason
            )

        return balls.settle(test)

    def contradiction(terms: list[arb], total: arb) -> Outcome:
        sums = balls.combine(terms, values, BALLS)
        away = balls.norm([s / total - v for s, v in zip(sums, values[key].tolist(), strict=True)])
        return Outcome(
            balls.less(away, bound), f"A query brings the output within {balls.show(away)}."
        )

    return balls.for_all(proof, by_query(claim, certificate, contradiction))


CLAIM_TYPES = {
    "ceiling": ClaimType(ceiling, "{queries} gives key {key} more than {bound:up}"),
    "weights_apart": ClaimType(
        weights_apart,
        "{queries} gives weights whose divergence from the target is below {bound:down}",
    ),
    "floors_out_of_reach": ClaimType(
        floors_out_of_reach,
        "{queries} gives each of {floors[indices]:count} keys at least its floor",
        "The floor of a key is the least weight that the tolerance allows it.",
    ),
    "output_ceiling": ClaimType(
        output_ceiling,
        "{queries} brings the output closer than {bound:down} to value {key}",
    ),
}
