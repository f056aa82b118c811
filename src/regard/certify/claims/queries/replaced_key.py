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

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.words import worded_target


def _wanted(claim: Claim) -> str:
    if claim.fields.get("target") is not None:
        return worded_target(claim)
    return "the output that is wanted"


def _length(claim: Claim, words: str) -> str:
    length = claim.fields.get("radius")
    return "" if length is None else f" {words} {length:.6g}"


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
            size = balls.norm([arb(x) for x in new.tolist()])
            if not size > 0:
                return Outcome(None, "the key may be 0.")
            own = own * arb(length) / size
        found = balls.scores(keys, query, scale)
        found[row] = scale * own
        terms, total = balls.exponentials(found)
        off = goal.off([term / total for term in terms])
        return Outcome(balls.at_most(off, bound), f"It is off by {balls.show(off)}.")

    return balls.constructed(balls.settle(test))


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
        size = balls.norm([arb(x) for x in query])
        if longest is not None or size == 0:
            reach = abs(arb(scale)) * arb(longest or 0) * size
            low, high = (1 / (1 + total * (most - t).exp()) for t in (-reach, reach))
        truth, least = goal.beyond(ratios, row, low, high, arb(bound))
        return Outcome(truth, least)

    return balls.for_all(lambda: balls.settle(test))


class _Goal:
    """Weights or an output that is wanted."""

    def __init__(self, claim: Claim, certificate: Certificate, n: int) -> None:
        self.target: list[Any] | None = None
        self.output: list[Any] = []
        self.values: Float64 | None = None
        if claim.fields.get("target") is not None:
            known = reading.weighted(claim.fields["target"], "target", n)
            self.target = [known.get(i, 0) for i in range(n)]
            return
        self.values = reading.given(certificate, "values", n)
        output = claim.stated.part("output")
        self.output = reading.vector(output, "output", self.values.shape[1]).tolist()

    def off(self, weights: list[arb]) -> arb:
        """Return the error of weights."""
        if self.target is not None:
            return BALLS.largest([abs(w - g) for w, g in zip(weights, self.target, strict=True)])
        assert self.values is not None
        got = balls.combine(weights, self.values, BALLS)
        return balls.norm([x - y for x, y in zip(got, self.output, strict=True)])

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
        least = balls.norm(gap)
        return balls.at_most(bound, least), f"The least error is {balls.show(least)}."

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
        return balls.at_most(below, above), reason


def _read(claim: Claim, certificate: Certificate) -> tuple[Float64, Float64, int, int | float]:
    keys = reading.given(certificate, "keys")
    if len(keys) < 2:
        raise Unusable("keys must have at least two rows.")
    query = reading.given(certificate, "query", 1)[0]
    if len(query) != keys.shape[1]:
        raise Unusable("query must be as long as a key.")
    row = claim.stated.index("row", len(keys))
    return keys, query, row, reading.number(certificate.scale, "scale")


CLAIM_TYPES = {
    "replaced_key": ClaimType(
        replaced_key,
        "with a new key{length} in place of key {row} the query gets {wanted} to within {bound:up}",
        words={"length": lambda claim: _length(claim, "of length"), "wanted": _wanted},
    ),
    "no_key": ClaimType(
        no_key,
        "whatever key{length} stands in place of key {row}, the query misses {wanted} by at least "
        "{bound:down}",
        words={"length": lambda claim: _length(claim, "of length up to"), "wanted": _wanted},
    ),
}
