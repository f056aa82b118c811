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

from collections.abc import Callable
from typing import NamedTuple

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType

SHORTENED = 1 - 2.0**-40  # of the length: a query that the claim rules out, to look for


class Copy(NamedTuple):
    """A query that leaves at most `tolerance` to the keys other than `key`."""

    keys: Float64
    key: int
    query: Float64
    scale: Number
    tolerance: int | float
    gap: int | float


def copy_of(claim: Claim, certificate: Certificate) -> Copy:
    """Read the query and what is claimed of it."""
    keys = reading.given(certificate, "keys")
    key = claim.stated.index("key", len(keys))
    tolerance = claim.stated.number("tolerance")
    gap = claim.stated.positive_or_zero("gap")
    if tolerance <= 0 or gap >= 1:
        raise Unusable("tolerance must be above 0, and gap below 1.")
    query = claim.witnessed.vector("query", keys.shape[1])
    return Copy(keys, key, query, reading.number(certificate.scale, "scale"), tolerance, gap)


def shorter_by(claim: Claim) -> str:
    """Word by how much no query is shorter: " by more than 0.01 of its length", or nothing."""
    gap = claim.fields["gap"]
    return f" by more than {reading.up(gap)} of its length" if gap else ""


def decide_shortest(
    copy: Copy, left: Callable[[Number], Outcome], no_shorter: Callable[[], Outcome]
) -> Decision:
    """Decide whether a query is a copy, and the shortest up to the gap.

    Args:
        copy: the query.
        left: whether so many times the query leaves at most the tolerance to other keys.
        no_shorter: the proof from the witness that no query shorter by more than the gap does.
    """
    within = left(1)
    if within.truth is not True:
        return Decision("undecided" if within.truth is None else "fails", within.reason)
    if not copy.query.any():
        return Decision("holds", f"{within.reason} No query is shorter than 0.")
    try:
        proved = no_shorter()
    except Unusable as problem:
        proved = Outcome(None, str(problem))
    if proved.truth:
        return Decision("holds", f"{within.reason} {proved.reason}")
    if left(0).truth or left((1 - copy.gap) * SHORTENED).truth:
        return Decision("fails", "A shorter query along it does as well.")
    return Decision("undecided", f"The witness does not prove it: {proved.reason}")


def shortest_copy(claim: Claim, certificate: Certificate) -> Decision:
    """Decide what the query leaves to the others, and prove that no shorter one does."""
    copy = copy_of(claim, certificate)
    return decide_shortest(
        copy,
        lambda factor: balls.settle(lambda: _left(copy, factor)),
        lambda: _no_shorter(claim, copy),
    )


def _left(copy: Copy, factor: Number) -> Outcome:
    scores = balls.scores(copy.keys, copy.query, arb(copy.scale) * factor)
    terms, total = balls.exponentials(scores)
    del terms[copy.key]
    others = sum(terms, arb(0)) / total
    return Outcome(balls.at_most(others, copy.tolerance), f"The others get {balls.show(others)}.")


def _no_shorter(claim: Claim, copy: Copy) -> Outcome:
    keys, key, tolerance, scale = copy.keys, copy.key, copy.tolerance, copy.scale
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
        length = balls.norm([arb(entry) for entry in copy.query.tolist()])
        reached = (1 - arb(copy.gap)) * length * abs(arb(scale)) * apart
        shown = room / (abs(arb(scale)) * apart)
        reason = (
            f"Its length is {balls.show(length)}, and no such query is shorter than "
            f"{balls.show(shown)}."
        )
        return Outcome(balls.every(balls.less(0, room), balls.at_most(reached, room)), reason)

    return balls.settle(test)


CLAIM_TYPES = {
    "shortest_copy": ClaimType(
        shortest_copy,
        "the query leaves at most {tolerance:exactly} of the weight to keys other than {key}, and "
        "no query that does is shorter{by}",
        words={"by": shorter_by},
    ),
}
