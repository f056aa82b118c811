"""Claims about a query that is given: the weights and the output it gives, and its margin.

With keys k_i, s_i = scale · k_i · query and a = softmax(s):

    weights_close     max_i |a_i - p_i| ≤ bound
    output_close      ‖Σ (a_i - p_i) v_i‖ ≤ bound
    margin_at_least   min_chosen k_i·w - max_others k_i·w ≥ bound ‖w‖
    margin_at_most    the same margin is at most bound for every w that scores the
                      chosen keys alike
"""

from __future__ import annotations

import math

import numpy as np
from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType

MOST_APART = 4  # targets whose differences are each summed up by themselves


def weights_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide max_i |a_i - p_i| ≤ bound, where p is 0 at indices that are not listed."""
    keys = reading.given(certificate, "keys")
    target = claim.stated.weighted("target", len(keys))
    bound = arb(claim.stated.number("bound"))
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = reading.number(certificate.scale, "scale")

    def test() -> Outcome:
        terms, total = balls.exponentials(balls.scores(keys, query, scale))
        if len(target) <= MOST_APART:
            missed = [abs(_missed(terms, i, p)) / total for i, p in target.items()]
        else:
            missed = [abs(terms[i] / total - p) for i, p in target.items()]
        leaks = [term for i, term in enumerate(terms) if i not in target]
        if leaks:  # all are divided by one number: the largest stays the largest
            missed.append(BALLS.largest(leaks) / total)
        worst = BALLS.largest(missed)
        return Outcome(
            balls.at_most(worst, bound), f"The largest difference is {balls.show(worst)}."
        )

    return balls.constructed(balls.settle(test))


def _missed(terms: list[arb], i: int, p: Number) -> arb:
    """(a_i - p) times the sum of all terms; where p = 1, that is what the others have."""
    others = sum((term for j, term in enumerate(terms) if j != i), arb(0))
    return (1 - arb(p)) * terms[i] - p * others


def output_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide ‖Σ (a_i - p_i) v_i‖ ≤ bound."""
    keys = reading.given(certificate, "keys")
    values = reading.given(certificate, "values", len(keys))
    target = claim.stated.weighted("target", len(keys))
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = reading.number(certificate.scale, "scale")

    def test() -> Outcome:
        terms, total = balls.exponentials(balls.scores(keys, query, scale))
        sums = balls.combine(terms, values, BALLS)
        wanted = balls.combine([arb(p) for p in target.values()], values[list(target)], BALLS)
        miss = [s / total - w for s, w in zip(sums, wanted, strict=True)]
        reason = f"The output is off by {balls.show(balls.norm(miss))}."
        return Outcome(balls.norm_at_most(miss, bound, BALLS), reason)

    return balls.constructed(balls.settle(test))


def _sides(claim: Claim, keys: Float64) -> tuple[list[int], list[int]]:
    """Return the chosen keys and the others; there must be some of both."""
    chosen = claim.stated.indices("chosen", len(keys))
    others = np.setdiff1d(np.arange(len(keys)), chosen).tolist()
    if not others:
        raise Unusable("chosen are all keys, so that there are no others.")
    return chosen, others


def _chosen(claim: Claim) -> str:
    places = reading.listed(claim.fields["chosen"], "chosen")
    if len(places) > 5:
        return f"the {len(places)} chosen keys"
    return f"key{'s' * (len(places) > 1)} {', '.join(str(place) for place in places)}"


def margin_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Decide min_chosen k_i·w - max_others k_i·w ≥ bound ‖w‖ and w ≠ 0."""
    keys = reading.given(certificate, "keys")
    chosen, others = _sides(claim, keys)
    bound = claim.stated.number("bound")
    direction = claim.witnessed.vector("direction", keys.shape[1])
    if not direction.any():
        return Decision("fails", "The direction is 0.")

    def test(numbers: Arithmetic) -> Outcome:
        w = [numbers.number(entry) for entry in direction.tolist()]
        heights = balls.products(keys, w, numbers)
        lowest = -numbers.largest([-heights[i] for i in chosen])
        margin = lowest - numbers.largest([heights[i] for i in others])
        reason = f"The margin per unit of length is {balls.show(margin / balls.norm(w))}."
        return Outcome(balls.at_least_times_norm(margin, bound, w, numbers), reason)

    return balls.constructed(balls.settle_algebra(test))


def _say_margin_at_most(claim: Claim) -> str:
    several = len(reading.listed(claim.fields["chosen"], "chosen")) > 1
    lifts = (
        f"that scores {_chosen(claim)} alike lifts them" if several else f"lifts {_chosen(claim)}"
    )
    return (
        f"no query {lifts} above the others by more than {reading.up(claim.fields['bound'])} "
        f"per unit of its length"
    )


def margin_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no query lifts the chosen keys, scored alike, by more than bound ‖query‖.

    If q scores all chosen keys t, any mixture x of them with weights that sum to 1
    scores t, also with negative weights. An average y of the others scores at most
    their highest score. So the margin is at most q·(x - y) ≤ ‖q‖ ‖x - y‖.
    """
    keys = reading.given(certificate, "keys")
    chosen, others = _sides(claim, keys)
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        entries = claim.witnessed.listed("inside", len(chosen))
        inside = [reading.number(entry, "inside") for entry in entries]
        if math.fsum(inside) == 0:
            raise Unusable("inside sums to 0.")
        outside = claim.witnessed.combination("outside", len(keys))
        if not set(outside) <= set(others):
            raise Unusable("outside gives weight to a chosen key.")

        def test(numbers: Arithmetic) -> Outcome:
            x = balls.combine(balls.shares(inside, numbers), keys[chosen], numbers)
            y = balls.combine(
                balls.shares(list(outside.values()), numbers), keys[list(outside)], numbers
            )
            gap = [a - b for a, b in zip(x, y, strict=True)]
            reason = f"The mixtures are {balls.show(balls.norm(gap))} apart."
            return Outcome(balls.norm_at_most(gap, bound, numbers), reason)

        return balls.settle_algebra(test)

    return balls.for_all(proof)


CLAIM_TYPES = {
    "weights_close": ClaimType(
        weights_close,
        "the query puts {weights}, each weight within {bound:up}",
    ),
    "output_close": ClaimType(
        output_close,
        "the output of the query is within {bound:up} of the one with {weights}",
    ),
    "margin_at_least": ClaimType(
        margin_at_least,
        "some query lifts {keys} above the others by at least {bound:down} per unit of its length",
        words={"keys": _chosen},
    ),
    "margin_at_most": ClaimType(margin_at_most, _say_margin_at_most),
}
