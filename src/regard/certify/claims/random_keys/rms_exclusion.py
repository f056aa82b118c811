"""The claim that no query over random keys has its weights near a target in the mean square.

Keys k_i are normal with the means μ_i, of whatever covariances. The target has weights p on some
keys. Let λ ≥ 0, Σ λ = 1, be another average of the means at the same point: Σ λ_i μ_i = Σ p_j μ_j.

    weights_rms_at_least   √E ‖α - p‖² ≥ bound for every query

Proof. Log-sum-exp of scores s is at least Σ λ_i s_i + H(λ), so Σ p_j ln α_j ≤ Y - H(λ) with Y =
Σ p_j s_j - Σ λ_i s_i, which is normal with the mean 0: Y ≤ 0 with a probability of at least 1/2.
Then Σ p_j ln(p_j/α_j) ≥ H(λ) - H(p). If all |α_j - p_j| were at most ε < min p_j, that sum would be
at most Σ p_j ln(p_j/(p_j - ε)). So where H(λ) - H(p) is above this, ‖α - p‖ > ε with a probability
of at least 1/2, and √E ‖α - p‖² ≥ ε/√2. With ε = √2 · bound that is the claim. ∎
"""

from __future__ import annotations

from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import EXACT, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.words import keys_in_words


def claim(target: Any, bound: float, *, average: Any) -> Claim:
    """Return the claim that every query is off by bound at least, in the root mean square.

    Args:
        target: {"indices": …, "weights": …}.
        bound: of √E ‖α - p‖², from below.
        average: the λ, numbers or fractions "a/b" for all keys; they are divided by their sum.
    """
    return Claim(
        "weights_rms_at_least", {"target": target, "bound": bound}, {"combination": average}
    )


def _say_weights_rms_at_least(claim: Claim) -> str:
    target = claim.fields["target"]
    weights = ", ".join(reading.exactly(weight) for weight in target["weights"][:5])
    return (
        f"for every query over random keys the weights are off from {weights} on "
        f"{keys_in_words(target['indices'])} by at least {reading.down(claim.fields['bound'])} in "
        "the root mean square, whatever the covariances"
    )


def weights_rms_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Check that two averages of the means are one point, and compare their entropies."""
    means = reading.given(certificate, "means")
    target = claim.stated.weighted("target", len(means))
    if any(weight <= 0 for weight in target.values()):
        raise Unusable("the weights of target must be above 0.")
    bound = claim.stated.positive_or_zero("bound")

    def proof() -> Outcome:
        other = claim.witnessed.combination("combination", len(means), True)
        # In rationals: averages that differ at all can be told apart by a long query.
        p, q = (balls.shares(list(one.values()), EXACT) for one in (target, other))
        first = balls.combine(p, means[list(target)], EXACT)
        second = balls.combine(q, means[list(other)], EXACT)
        if first != second:
            raise Unusable("the two averages of the means are not the same point.")
        total = sum((balls.rational(w) for w in target.values()), balls.rational(0))

        def test() -> Outcome:
            ours, theirs = ([arb(x) for x in one] for one in (p, q))
            gap = balls.entropy(theirs) - balls.entropy(ours)
            # Weights that do not quite sum to 1 are compared as they are, the averages are not.
            off = arb(2).sqrt() * arb(bound) + abs(arb(total) - 1)
            rooms = [x - off for x in ours]
            if not all(room > 0 for room in rooms):
                return Outcome(False, "the bound is too large for the least of the weights.")
            allowed = sum(
                (x * (x / room).log() for x, room in zip(ours, rooms, strict=True)), arb(0)
            )
            return Outcome(balls.less(allowed, gap), f"the entropies differ by {balls.show(gap)}.")

        return balls.settle(test)

    return balls.for_all(proof)


CLAIM_TYPES = {
    "weights_rms_at_least": ClaimType(weights_rms_at_least, _say_weights_rms_at_least),
}
