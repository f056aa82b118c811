"""The claim that softmax gives a distribution.

    distribution   the softmax of each row of scores is above 0 everywhere and sums to 1, within
                   bound

exp(s_i) > 0 for every real score, and the sum of exp(s_i) is what each is divided by. Of two keys
or more, each weight is below 1 because the others are above 0.
"""

from __future__ import annotations

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.worked_examples.computed import softmax


def claim(bound: float = 1e-30) -> Claim:
    """Return the claim that the softmax of each row of `scores` is a distribution."""
    return Claim("distribution", {"bound": bound})


def distribution(claim: Claim, certificate: Certificate) -> Decision:
    """Decide 0 < a_i and |Σ a_i - 1| ≤ bound for a = softmax(row)."""
    rows = reading.given(certificate, "scores")
    bound = claim.stated.positive_or_zero("bound")
    if rows.size == 0:
        raise Unusable("there are no scores.")

    def test() -> Outcome:
        truths, off, least = [], [], []
        for row in rows.tolist():
            weights = softmax([arb(score) for score in row])
            truths += [balls.less(0, weight) for weight in weights]
            off.append(abs(sum(weights, arb(0)) - 1))
            least.append(-BALLS.largest([-weight for weight in weights]))
        truths.append(balls.at_most(BALLS.largest(off), arb(bound)))
        lowest = -BALLS.largest([-weight for weight in least])
        return Outcome(balls.every(*truths), f"The least weight is {balls.show(lowest)}.")

    return balls.constructed(balls.settle(test))


CLAIM_TYPES = {
    "distribution": ClaimType(
        distribution,
        "the attention weights of every row of scores are above 0 and sum to 1, within {bound:up}",
    ),
}
