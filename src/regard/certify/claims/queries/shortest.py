"""The claim that a query that copies a key is the shortest that does.

    shortest_copy   the query leaves at most `tolerance` to the keys other than `key`, and every
                    query that does is at least (1 - gap) times as long

Proof of the second part. Let s_i = scale · k_i·q be the scores of any query q that leaves at most
ε < 1 to the others, L = ln((1 - ε)/ε), and π weights ≥ 0 on the others that sum to 1. As
log-sum-exp is at least any average plus the entropy of its weights,

    -L ≥ ln Σ exp(s_i - s_j) ≥ Σ π_i (s_i - s_j) + H(π) ≥ -|scale| ‖q‖ ‖k_j - Σ π_i k_i‖ + H(π),

so L + H(π) ≤ |scale| ‖q‖ ‖k_j - Σ π_i k_i‖ for all of them. If L + H(π) > 0, no such q is shorter
than the quotient.
"""

from __future__ import annotations

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType

SHORTENED = 1 - 2.0**-40  # of the length: a query that the claim rules out, to look for


def _say_shortest_copy(claim: Claim) -> str:
    fields = claim.fields
    by = f" by more than {reading.up(fields['gap'])} of its length" if fields["gap"] else ""
    return (
        f"the query leaves at most {reading.exactly(fields['tolerance'])} of the weight to keys "
        f"other than {fields['key']}, and no query that does is shorter{by}"
    )


def shortest_copy(claim: Claim, certificate: Certificate) -> Decision:
    """Decide what the query leaves to the others, and prove that no shorter one does."""
    keys = reading.given(certificate, "keys")
    key = claim.stated.index("key", len(keys))
    tolerance = claim.stated.number("tolerance")
    gap = claim.stated.positive_or_zero("gap")
    if tolerance <= 0 or gap >= 1:
        raise Unusable("tolerance must be above 0, and gap below 1.")
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = reading.number(certificate.scale, "scale")

    def left(factor: Number = 1) -> Outcome:
        return balls.settle(lambda: _left(keys, query, scale, factor, key, tolerance))

    within = left()
    if within.truth is not True:
        return Decision("undecided" if within.truth is None else "fails", within.reason)
    if not query.any():
        return Decision("holds", f"{within.reason} No query is shorter than 0.")
    try:
        proved = _no_shorter(claim, keys, query, scale, key, tolerance, gap)
    except Unusable as problem:
        proved = Outcome(None, str(problem))
    if proved.truth:
        return Decision("holds", f"{within.reason} {proved.reason}")
    if left(0).truth or left((1 - gap) * SHORTENED).truth:
        return Decision("fails", "A shorter query along it does as well.")
    return Decision("undecided", f"The witness does not prove it: {proved.reason}")


def _left(
    keys: Float64, query: Float64, scale: Number, factor: Number, key: int, tolerance: Number
) -> Outcome:
    terms, total = balls.exponentials(balls.scores(keys, query, arb(scale) * factor))
    del terms[key]
    others = sum(terms, arb(0)) / total
    return Outcome(balls.at_most(others, tolerance), f"The others get {balls.show(others)}.")


def _no_shorter(
    claim: Claim,
    keys: Float64,
    query: Float64,
    scale: Number,
    key: int,
    tolerance: Number,
    gap: Number,
) -> Outcome:
    if tolerance >= 1:
        raise Unusable("with such a tolerance the query 0 does it too.")
    average = claim.witnessed.weighted("average", len(keys))
    if key in average or any(weight <= 0 for weight in average.values()):
        raise Unusable(f"average must have weights above 0, on keys other than {key}.")

    def test() -> Outcome:
        weights = balls.shares(list(average.values()), BALLS)
        middle = balls.combine(weights, keys[list(average)], BALLS)
        apart = balls.norm([a - b for a, b in zip(middle, keys[key].tolist(), strict=True)])
        room = ((1 - arb(tolerance)) / tolerance).log() + balls.entropy(weights)
        length = balls.norm([arb(entry) for entry in query.tolist()])
        reached = (1 - arb(gap)) * length * abs(arb(scale)) * apart
        shown = room / (abs(arb(scale)) * apart)
        reason = (
            f"Its length is {balls.show(length)}, and no such query is shorter than "
            f"{balls.show(shown)}."
        )
        return Outcome(balls.every(balls.less(0, room), balls.at_most(reached, room)), reason)

    return balls.settle(test)


CLAIM_TYPES = {
    "shortest_copy": ClaimType(shortest_copy, _say_shortest_copy),
}
