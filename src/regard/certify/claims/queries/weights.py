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

from regard.certify.balls import (
    BALLS,
    Arithmetic,
    Decision,
    Outcome,
    at_least_times_norm,
    at_most,
    combine,
    constructed,
    exponentials,
    for_all,
    norm,
    norm_at_most,
    products,
    scores,
    settle,
    settle_algebra,
    shares,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Float64,
    Number,
    Unusable,
    exactly,
    given,
    listed,
    number,
    up,
)
from regard.certify.claims.claim_type import ClaimType

MOST_APART = 4  # targets whose differences are each summed up by themselves


def worded_target(claim: Claim) -> str:
    """Word a target: "all of its weight on key 2", "the weights 0.5, 0.5 on keys 0, 1"."""
    target = claim.stated.part("target")
    places, weights = listed(target["indices"], "indices"), listed(target["weights"], "weights")
    if len(places) > 5:
        return f"its target weights on {len(places)} keys"
    if len(places) == 1:
        return f"a weight of {exactly(weights[0])} on key {places[0]}"
    on = ", ".join(str(place) for place in places)
    return f"weights of {', '.join(exactly(w) for w in weights)} on keys {on}"


def weights_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide max_i |a_i - p_i| ≤ bound, where p is 0 at indices that are not listed."""
    keys = given(certificate, "keys")
    target = claim.stated.weighted("target", len(keys))
    bound = arb(claim.stated.number("bound"))
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = number(certificate.scale, "scale")

    def test() -> Outcome:
        terms, total = exponentials(scores(keys, query, scale))
        if len(target) <= MOST_APART:
            missed = [abs(_missed(terms, i, p)) / total for i, p in target.items()]
        else:
            missed = [abs(terms[i] / total - p) for i, p in target.items()]
        leaks = [term for i, term in enumerate(terms) if i not in target]
        if leaks:  # all are divided by one number: the largest stays the largest
            missed.append(BALLS.largest(leaks) / total)
        worst = BALLS.largest(missed)
        return Outcome(at_most(worst, bound), f"The largest difference is {show(worst)}.")

    return constructed(settle(test))


def _missed(terms: list[arb], i: int, p: Number) -> arb:
    """(a_i - p) times the sum of all terms; where p = 1, that is what the others have."""
    others = sum((term for j, term in enumerate(terms) if j != i), arb(0))
    return (1 - arb(p)) * terms[i] - p * others


def output_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide ‖Σ (a_i - p_i) v_i‖ ≤ bound."""
    keys = given(certificate, "keys")
    values = given(certificate, "values", len(keys))
    target = claim.stated.weighted("target", len(keys))
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = number(certificate.scale, "scale")

    def test() -> Outcome:
        terms, total = exponentials(scores(keys, query, scale))
        sums = combine(terms, values, BALLS)
        wanted = combine([arb(p) for p in target.values()], values[list(target)], BALLS)
        miss = [s / total - w for s, w in zip(sums, wanted, strict=True)]
        reason = f"The output is off by {show(norm(miss))}."
        return Outcome(norm_at_most(miss, bound, BALLS), reason)

    return constructed(settle(test))


def _sides(claim: Claim, keys: Float64) -> tuple[list[int], list[int]]:
    """Return the chosen keys and the others; there must be some of both."""
    chosen = claim.stated.indices("chosen", len(keys))
    others = np.setdiff1d(np.arange(len(keys)), chosen).tolist()
    if not others:
        raise Unusable("chosen are all keys, so that there are no others.")
    return chosen, others


def _chosen(claim: Claim) -> str:
    places = listed(claim.fields["chosen"], "chosen")
    if len(places) > 5:
        return f"the {len(places)} chosen keys"
    return f"key{'s' * (len(places) > 1)} {', '.join(str(place) for place in places)}"


def margin_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Decide min_chosen k_i·w - max_others k_i·w ≥ bound ‖w‖ and w ≠ 0."""
    keys = given(certificate, "keys")
    chosen, others = _sides(claim, keys)
    bound = claim.stated.number("bound")
    direction = claim.witnessed.vector("direction", keys.shape[1])
    if not direction.any():
        return Decision("fails", "The direction is 0.")

    def test(numbers: Arithmetic) -> Outcome:
        w = [numbers.number(entry) for entry in direction.tolist()]
        heights = products(keys, w, numbers)
        lowest = -numbers.largest([-heights[i] for i in chosen])
        margin = lowest - numbers.largest([heights[i] for i in others])
        reason = f"The margin per unit of length is {show(margin / norm(w))}."
        return Outcome(at_least_times_norm(margin, bound, w, numbers), reason)

    return constructed(settle_algebra(test))


def _say_margin_at_most(claim: Claim) -> str:
    several = len(listed(claim.fields["chosen"], "chosen")) > 1
    lifts = (
        f"that scores {_chosen(claim)} alike lifts them" if several else f"lifts {_chosen(claim)}"
    )
    return (
        f"no query {lifts} above the others by more than {up(claim.fields['bound'])} per unit of "
        f"its length"
    )


def margin_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no query lifts the chosen keys, scored alike, by more than bound ‖query‖.

    If q scores all chosen keys t, any mixture x of them with weights that sum to 1
    scores t, also with negative weights. An average y of the others scores at most
    their highest score. So the margin is at most q·(x - y) ≤ ‖q‖ ‖x - y‖.
    """
    keys = given(certificate, "keys")
    chosen, others = _sides(claim, keys)
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        entries = claim.witnessed.listed("inside", len(chosen))
        inside = [number(entry, "inside") for entry in entries]
        if math.fsum(inside) == 0:
            raise Unusable("inside sums to 0.")
        outside = claim.witnessed.combination("outside", len(keys))
        if not set(outside) <= set(others):
            raise Unusable("outside gives weight to a chosen key.")

        def test(numbers: Arithmetic) -> Outcome:
            x = combine(shares(inside, numbers), keys[chosen], numbers)
            y = combine(shares(list(outside.values()), numbers), keys[list(outside)], numbers)
            gap = [a - b for a, b in zip(x, y, strict=True)]
            reason = f"The mixtures are {show(norm(gap))} apart."
            return Outcome(norm_at_most(gap, bound, numbers), reason)

        return settle_algebra(test)

    return for_all(proof)


CLAIM_TYPES = {
    "weights_close": ClaimType(
        weights_close,
        "the query puts {weights}, each weight within {bound:up}",
        words={"weights": worded_target},
    ),
    "output_close": ClaimType(
        output_close,
        "the output of the query is within {bound:up} of the one with {weights}",
        words={"weights": worded_target},
    ),
    "margin_at_least": ClaimType(
        margin_at_least,
        "some query lifts {keys} above the others by at least {bound:down} per unit of its length",
        words={"keys": _chosen},
    ),
    "margin_at_most": ClaimType(margin_at_most, _say_margin_at_most),
}
