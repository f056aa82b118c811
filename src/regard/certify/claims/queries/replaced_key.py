"""One key is replaced and the query stays: what a new key gives, and what none can give.

replaced_key    with the key of the witness, weights or output are within a bound of what is wanted
no_key          with every key (up to a length) they are off by at least the bound

With the query fixed, a new key of score t has the weight u = e^t/(e^t + Σ e^s), the others keep
their ratios p: they have (1 − u) p. A key of length r has |t| ≤ scale r ‖q‖. So weights
within b of g need

    g_new − b ≤ u ≤ g_new + b,    (g_i − b)/p_i ≤ 1 − u ≤ (g_i + b)/p_i,

and no u between the ends of its interval does where the largest lower limit is above the smallest
upper one. An output is on the line (1 − u) c + u v, whose distance to a point is least at one u.
"""

from __future__ import annotations

from typing import Any

from flint import arb

from regard.certify import balls
from regard.certify.balls import BALLS, Decision, Outcome, at_most, exponentials, norm, settle
from regard.certify.certificate import (
    Certificate,
    Claim,
    Float64,
    Unusable,
    down,
    given,
    number,
    up,
    vector,
    weighted,
)
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.queries.weights import worded_target


def _wanted(claim: Claim) -> str:
    if claim.fields.get("target") is not None:
        return worded_target(claim)
    return "the output that is wanted"


def _say_replaced_key(claim: Claim) -> str:
    longest = claim.fields.get("radius")
    sized = "" if longest is None else f" of length {longest:.6g}"
    return (
        f"with a new key{sized} in place of key {claim.fields['row']} the query gets "
        f"{_wanted(claim)} to within {up(claim.fields['bound'])}"
    )


def replaced_key(claim: Claim, certificate: Certificate) -> Decision:
    """Decide it: the key of the witness is put in, brought to the length where one is stated."""
    keys, query, row, scale = _read(claim, certificate)
    new = claim.witnessed.vector("key", keys.shape[1])
    length = claim.stated.radius()
    bound = arb(claim.stated.number("bound"))
    goal = _Goal(claim, certificate, len(keys))

    def test() -> Outcome:
        own = sum((arb(a) * arb(b) for a, b in zip(new.tolist(), query, strict=True)), arb(0))
        if length is not None:
            size = norm([arb(x) for x in new.tolist()])
            if not size > 0:
                return Outcome(None, "the key may be 0.")
            own = own * arb(length) / size
        found = balls.scores(keys, query, scale)
        found[row] = scale * own
        terms, total = exponentials(found)
        off = goal.off([term / total for term in terms])
        return Outcome(at_most(off, bound), f"It is off by {balls.show(off)}.")

    return balls.constructed(settle(test))


def _say_no_key(claim: Claim) -> str:
    longest = claim.fields.get("radius")
    which = "whatever key" if longest is None else f"whatever key of length up to {longest:.6g}"
    return (
        f"{which} stands in place of key {claim.fields['row']}, the query misses "
        f"{_wanted(claim)} by at least {down(claim.fields['bound'])}"
    )


def no_key(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it for all weights that a new key can have."""
    keys, query, row, scale = _read(claim, certificate)
    longest = claim.stated.radius()
    bound = claim.stated.positive_or_zero("bound")
    goal = _Goal(claim, certificate, len(keys))

    def test() -> Outcome:
        scores = balls.scores(keys, query, scale)
        del scores[row]
        most = max(score.mid() for score in scores)
        terms = [(score - most).exp() for score in scores]
        total = sum(terms, arb(0))
        ratios = [term / total for term in terms]
        low, high = arb(0), arb(1)
        size = norm([arb(x) for x in query])
        if longest is not None or size == 0:
            reach = abs(arb(scale)) * arb(longest or 0) * size
            low, high = (1 / (1 + total * (most - t).exp()) for t in (-reach, reach))
        truth, least = goal.beyond(ratios, row, low, high, arb(bound))
        return Outcome(truth, least)

    return balls.for_all(lambda: settle(test))


class _Goal:
    """Weights or an output that is wanted."""

    def __init__(self, claim: Claim, certificate: Certificate, n: int) -> None:
        self.target: list[Any] | None = None
        self.output: list[Any] = []
        self.values: Float64 | None = None
        if claim.fields.get("target") is not None:
            known = weighted(claim.fields["target"], "target", n)
            self.target = [known.get(i, 0) for i in range(n)]
            return
        self.values = given(certificate, "values", n)
        output = claim.stated.part("output")
        self.output = vector(output, "output", self.values.shape[1]).tolist()

    def off(self, weights: list[arb]) -> arb:
        """Return the error of weights."""
        if self.target is not None:
            return BALLS.largest([abs(w - g) for w, g in zip(weights, self.target, strict=True)])
        assert self.values is not None
        got = balls.combine(weights, self.values, BALLS)
        return norm([x - y for x, y in zip(got, self.output, strict=True)])

    def beyond(
        self, ratios: list[arb], row: int, low: arb, high: arb, bound: arb
    ) -> tuple[bool | None, str]:
        """Say whether each weight u of the new key from low to high is off by the bound."""
        if self.target is not None:
            return self._weights_beyond(ratios, row, low, high, bound)
        assert self.values is not None
        own = [arb(x) for x in self.values[row].tolist()]
        rest = balls.combine([*ratios[:row], arb(0), *ratios[row:]], self.values, BALLS)
        step = [x - y for x, y in zip(own, rest, strict=True)]
        gap = [x - y for x, y in zip(rest, self.output, strict=True)]
        size = balls.squared(step)
        if size > 0:
            at = -sum((x * y for x, y in zip(gap, step, strict=True)), arb(0)) / size
            at = at.max(low).min(high)
            gap = [x + at * y for x, y in zip(gap, step, strict=True)]
        elif not all(x == 0 for x in step):
            return None, "two values are too near to each other."
        least = norm(gap)
        return at_most(bound, least), f"The least error is {balls.show(least)}."

    def _weights_beyond(
        self, ratios: list[arb], row: int, low: arb, high: arb, bound: arb
    ) -> tuple[bool | None, str]:
        assert self.target is not None
        lower, upper = [low, self.target[row] - bound], [high, self.target[row] + bound]
        others = [g for i, g in enumerate(self.target) if i != row]
        for p, g in zip(ratios, others, strict=True):
            lower.append(1 - (g + bound) / p)
            upper.append(1 - (g - bound) / p)
        above, below = BALLS.largest(lower), -BALLS.largest([-x for x in upper])
        ends = f"{balls.show(above)} or more and {balls.show(below)} or less"
        reason = f"the new key would need a weight of {ends}."
        return at_most(below, above), reason


def _read(claim: Claim, certificate: Certificate) -> tuple[Float64, Float64, int, int | float]:
    keys = given(certificate, "keys")
    if len(keys) < 2:
        raise Unusable("keys must have at least two rows.")
    query = given(certificate, "query", 1)[0]
    if len(query) != keys.shape[1]:
        raise Unusable("query must be as long as a key.")
    row = claim.stated.index("row", len(keys))
    return keys, query, row, number(certificate.scale, "scale")


CLAIM_TYPES = {
    "replaced_key": ClaimType(replaced_key, _say_replaced_key),
    "no_key": ClaimType(no_key, _say_no_key),
}
