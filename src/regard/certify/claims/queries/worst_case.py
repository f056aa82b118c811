"""Claims about the output when every key may move within a ball, or every score in an interval.

With s_i = scale · k_i·query and every key within r_i of k_i, the score of key i ranges over exactly
s_i ± |scale| r_i ‖query‖; or its interval is given. Let x_i = values_i · direction, and [l_i, u_i]
the interval of score i. The average f = Σ a_i x_i, a = softmax of the scores, then has

    f ≤ F for all scores  ⟺  g(F) ≤ 0,    g(F) = Σ (x_i - F)⁺ exp(u_i) - (F - x_i)⁺ exp(l_i).

For Σ (x_i - F) exp(s_i) has the sign of f - F, and g(F) is the largest that it can be. So the
largest f is at least F exactly if g(F) ≥ 0, and it is attained: by scores that are at one end of
their intervals. Neither needs a witness beyond the query.

    output_never_above    f ≤ bound for all of them, and f ≥ bound - attained for some
    output_never_below    f ≥ bound for all of them, and f ≤ bound + attained for some
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType

MOST_SHOWN = 5


class _Intervals(NamedTuple):
    """Lower and upper ends of the scores."""

    lower: list[arb]
    upper: list[arb]


def _moved(claim: Claim) -> str:
    """Return words for what may move: scores in intervals, or keys in balls."""
    radius = claim.stated.part("radius")
    if radius is None:
        return "for all scores in their intervals"
    if isinstance(radius, int | float):
        return f"for all keys within {reading.exactly(radius)} of those given"
    return "for all keys within their radii of those given"


def _along(claim: Claim) -> str:
    direction = claim.stated.listed("direction")
    used = [(place, x) for place, x in enumerate(direction) if x != 0]
    if len(direction) == 1 and used == [(0, 1.0)]:
        return "the output"
    if len(used) == 1 and used[0][1] == 1:
        return f"entry {used[0][0]} of the output"
    shown = ", ".join(reading.exactly(float(x)) for x in direction[:MOST_SHOWN])
    more = ", …" if len(direction) > MOST_SHOWN else ""
    return f"the output along ({shown}{more})"


def output_never_above(claim: Claim, certificate: Certificate) -> Decision:
    """Decide f ≤ bound for all, and f ≥ bound - attained for some."""
    return _decide(claim, certificate, 1)


def output_never_below(claim: Claim, certificate: Certificate) -> Decision:
    """Decide f ≥ bound for all, and f ≤ bound + attained for some: the other side of -f."""
    return _decide(claim, certificate, -1)


def _decide(claim: Claim, certificate: Certificate, sign: int) -> Decision:
    values = reading.given(certificate, "values")
    direction = claim.stated.vector("direction", values.shape[1])
    bound = claim.stated.number("bound")
    attained = claim.stated.positive_or_zero("attained")
    read = _reader(claim, certificate, len(values))

    def test() -> Outcome:
        heights = balls.products(values, [sign * arb(entry) for entry in direction.tolist()], BALLS)
        intervals, limit = read(), sign * arb(bound)
        above = _balance(heights, intervals, limit)
        below = _balance(heights, intervals, limit - attained)
        truth = balls.every(balls.at_most(above, 0), balls.at_most(0, below))
        return Outcome(truth, _reason(truth, above, limit, attained, sign))

    return balls.constructed(balls.settle(test))


def _reason(truth: bool | None, above: arb, limit: arb, attained: Number, sign: int) -> str:
    if truth is None:
        return "The balance of what lies on either side is not decided."
    side = "above" if sign > 0 else "below"
    if truth:
        return f"What lies {side} {balls.show(sign * limit)} never outweighs the rest."
    if above > 0:
        return f"Some scores bring it {side} {balls.show(sign * limit)}."
    return f"No scores bring it within {balls.show(arb(attained))} of {balls.show(sign * limit)}."


def _balance(heights: list[arb], intervals: _Intervals, limit: arb) -> arb:
    """g(limit), divided by a positive number."""
    zero = arb(0)
    over = [(x - limit).max(zero) for x in heights]
    under = [(limit - x).max(zero) for x in heights]
    # The largest exponent among terms that count: others may be far larger and meet a 0.
    counted = [u.mid() for u, x in zip(intervals.upper, over, strict=True) if not x.is_zero()]
    counted += [low.mid() for low, x in zip(intervals.lower, under, strict=True) if not x.is_zero()]
    if not counted:
        return zero
    highest = max(counted)
    total = zero
    for sign, ends, parts in ((1, intervals.upper, over), (-1, intervals.lower, under)):
        for end, amount in zip(ends, parts, strict=True):
            if not amount.is_zero():
                total += sign * amount * (end - highest).exp()
    return total


def _reader(claim: Claim, certificate: Certificate, n: int) -> Callable[[], _Intervals]:
    """Return what gives the intervals of the scores at the working precision."""
    radius = claim.stated.part("radius")
    if radius is None:
        ends = reading.given(certificate, "scores", 2)
        if ends.shape[1] != n:
            raise Unusable(f"scores must have {n} columns, as many as there are values.")
        if (ends[0] > ends[1]).any():
            raise Unusable("a lower end of scores is above the upper end.")
        return lambda: _Intervals(*([arb(x) for x in row] for row in ends.tolist()))
    keys = reading.given(certificate, "keys", n)
    query = claim.witnessed.vector("query", keys.shape[1])
    scale = reading.number(certificate.scale, "scale")
    entries = (
        reading.listed(radius, "radius", n) if not isinstance(radius, int | float) else [radius] * n
    )
    radii = [reading.positive_or_zero(entry, "radius") for entry in entries]
    return lambda: _around(keys, query, scale, radii)


def _around(keys: Float64, query: Float64, scale: Number, radii: Sequence[Number]) -> _Intervals:
    middle = balls.scores(keys, query, scale)
    reach = abs(arb(scale)) * balls.norm([arb(entry) for entry in query.tolist()])
    pairs = list(zip(middle, radii, strict=True))
    return _Intervals([s - reach * r for s, r in pairs], [s + reach * r for s, r in pairs])


CLAIM_TYPES = {
    "output_never_above": ClaimType(
        output_never_above,
        "{moved}, {along} is at most {bound:up}; this is reached to within {attained:up}",
        words={"moved": _moved, "along": _along},
    ),
    "output_never_below": ClaimType(
        output_never_below,
        "{moved}, {along} is at least {bound:down}; this is reached to within {attained:up}",
        words={"moved": _moved, "along": _along},
    ),
}
