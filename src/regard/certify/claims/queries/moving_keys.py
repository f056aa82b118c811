"""Claims about weights when every key may be anywhere within a radius r of the one given.

Keys move one by one, so the log-odds of a weight, ln((1 - a_i)/a_i) = LSE_{j≠i}(s_j) - s_i, range
over exactly ± 2 R around those of the keys given, R = |scale| r ‖query‖: all other scores go one
way and its own the other. So a_i has an exact range, and

    weights_close_within   max_i |a_i - p_i| ≤ bound for all keys within the radius
    shortest_copy_within   the query leaves at most `tolerance` to the keys other than `key` for
                           all of these, and every query that does is at least (1 - gap) times as
                           long
    weights_beyond_within  no query has all |a_i - p_i| ≤ tolerance for all of these

Proof of the last two. A query q that has a_i ≥ p_i - ε for all keys within r obeys, for every
average l of the other keys with entropy H, and L_i = ln((p_i - ε)/(1 - p_i + ε)),

    -L_i ≥ LSE_{j≠i}(s_j - s_i) + 2 R ≥ scale q·(Σ l_j k_j - k_i) + H + 2 R.

For shares m_i ≥ 0 of the wanted keys that sum to 1, with an average l_i for each, adding up gives
Σ m_i (L_i + H_i) ≤ |scale| ‖q‖ (‖Σ m_i (k_i - Σ_j l_ij k_j)‖ - 2 r). If the left side is above 0
and the bracket is not, there is no such q; if both are, no such q is shorter than their quotient
divided by |scale|.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.queries.shortest import copy_of, decide_shortest, shorter_by


def _moved(claim: Claim) -> str:
    return f"for all keys within {reading.exactly(claim.fields['radius'])} of those given"


def weights_close_within(claim: Claim, certificate: Certificate) -> Decision:
    """Decide max_i |a_i - p_i| ≤ bound for all keys within the radius."""
    keys = reading.given(certificate, "keys")
    target = claim.stated.weighted("target", len(keys))
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", keys.shape[1])
    radius, scale = _radius(claim), reading.number(certificate.scale, "scale")
    return balls.constructed(
        balls.settle(lambda: _close(keys, query, scale, radius, target, bound))
    )


def _radius(claim: Claim) -> Number:
    return claim.stated.positive_or_zero("radius")


def _close(
    keys: Float64,
    query: Float64,
    scale: Number,
    radius: Number,
    target: dict[int, Any],
    bound: Number,
) -> Outcome:
    """Is the largest |a_i - p_i| over all keys within the radius at most the bound?"""
    s = balls.scores(keys, query, scale)
    moved = 2 * abs(arb(scale)) * radius * balls.norm([arb(entry) for entry in query.tolist()])
    missed = []
    for i, p in target.items():
        odds = _log_odds(s, i)
        missed += [abs(_weight(odds + moved) - p), abs(_weight(odds - moved) - p)]
    others = [i for i in range(len(s)) if i not in target]
    if others:
        # The weight of a higher score is larger at every place that both can be at.
        top = max(others, key=lambda i: s[i].mid())
        lead = BALLS.largest([s[i] for i in others]) - s[top]
        missed.append(_weight(_log_odds(s, top) - moved - 2 * lead))
    worst = BALLS.largest(missed)
    return Outcome(balls.at_most(worst, bound), f"The largest difference is {balls.show(worst)}.")


def _log_odds(s: Sequence[arb], i: int) -> arb:
    """ln((1 - a_i)/a_i)."""
    rest = [x for j, x in enumerate(s) if j != i]
    if not rest:
        return arb("-inf")
    highest = max(x.mid() for x in rest)
    return sum(((x - highest).exp() for x in rest), arb(0)).log() + highest - s[i]


def _weight(odds: arb) -> arb:
    """1 / (1 + exp(odds)), also where the power is out of range."""
    if odds > 0:
        power = (-odds).exp()
        return power / (1 + power)
    return arb(1) if odds == arb("-inf") else 1 / (1 + odds.exp())


def shortest_copy_within(claim: Claim, certificate: Certificate) -> Decision:
    """Decide what the query leaves to the others, and prove that no shorter one does."""
    copy, radius = copy_of(claim, certificate), _radius(claim)
    target = {copy.key: 1}

    def left(factor: Number) -> Outcome:
        query = copy.query if factor == 1 else copy.query * float(factor)
        return balls.settle(
            lambda: _close(copy.keys, query, copy.scale, radius, target, copy.tolerance)
        )

    def test() -> Outcome:
        room, apart = _pull(claim, copy.keys, target, copy.tolerance, BALLS)
        length = balls.norm([arb(entry) for entry in copy.query.tolist()])
        bracket = apart - 2 * arb(radius)
        reached = (1 - arb(copy.gap)) * length * abs(arb(copy.scale)) * bracket
        reason = f"Its length is {balls.show(length)}, which the average of others bounds."
        return Outcome(balls.every(balls.less(0, room), balls.at_most(reached, room)), reason)

    return decide_shortest(copy, left, lambda: balls.settle(test))


def _pull(
    claim: Claim, keys: Float64, target: dict[int, Any], tolerance: Number, numbers: Arithmetic
) -> tuple[arb, arb]:
    """Return Σ m_i (L_i + H_i) and ‖Σ m_i (k_i - Σ_j l_ij k_j)‖ of a witness."""
    averages = claim.witnessed.listed("averages", len(target))
    given_shares = claim.witnessed.listed("shares", len(target))
    parts = [reading.positive_or_zero(share, "shares") for share in given_shares]
    if sum(parts) <= 0:
        raise Unusable("shares are 0 everywhere.")
    weights = balls.shares(parts, numbers)
    room, apart = arb(0), [arb(0)] * keys.shape[1]
    for (i, p), share, own, average in zip(target.items(), weights, parts, averages, strict=True):
        if own == 0:
            continue
        read = reading.weighted(average, "averages", len(keys))
        if i in read or any(weight <= 0 for weight in read.values()):
            raise Unusable(f"an average must have weights above 0, on keys other than {i}.")
        floor = arb(p) - tolerance
        if not floor > 0:
            raise Unusable("a wanted weight is not above the tolerance: its floor is not above 0.")
        others = balls.shares(list(read.values()), numbers)
        middle = balls.combine(others, keys[list(read)], numbers)
        room += share * ((floor / (1 - floor)).log() + balls.entropy(others))
        own_key = keys[i].tolist()
        apart = [a + share * (k - m) for a, k, m in zip(apart, own_key, middle, strict=True)]
    return room, balls.norm(apart)


def weights_beyond_within(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no query keeps all weights within the tolerance."""
    keys = reading.given(certificate, "keys")
    target = claim.stated.weighted("target", len(keys))
    tolerance = claim.stated.positive_or_zero("tolerance")
    radius, scale = _radius(claim), reading.number(certificate.scale, "scale")

    def proof() -> Outcome:
        def test() -> Outcome:
            room, apart = _pull(claim, keys, target, tolerance, BALLS)
            reason = (
                f"The mixtures are {balls.show(apart)} apart, with {balls.show(room)} to spare."
            )
            return Outcome(
                balls.every(balls.less(0, room), balls.at_most(apart, 2 * arb(radius))), reason
            )

        return balls.settle(test)

    def refutation() -> Outcome:
        query = claim.witnessed.vector("attained_by", keys.shape[1])
        return balls.settle(lambda: _close(keys, query, scale, radius, target, tolerance))

    return balls.for_all(proof, refutation)


CLAIM_TYPES = {
    "weights_close_within": ClaimType(
        weights_close_within,
        "{moved} the query puts {weights}, each weight within {bound:up}",
        words={"moved": _moved},
    ),
    "shortest_copy_within": ClaimType(
        shortest_copy_within,
        "{moved} the query leaves at most {tolerance:exactly} of the weight to keys other than "
        "{key}, and no query that does is shorter{by}",
        words={"moved": _moved, "by": shorter_by},
    ),
    "weights_beyond_within": ClaimType(
        weights_beyond_within,
        "no query puts {weights}, each weight within {tolerance:exactly}, {moved}",
        words={"moved": _moved},
    ),
}
