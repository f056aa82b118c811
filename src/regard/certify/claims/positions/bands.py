"""Claims about heads that look at a band of positions, T ± B/2.

The kernel f is that of :mod:`regard.certify.claims.positions.positional_heads`.

    band_gap         f on the window |δ - T| ≤ B/2 is above f outside by bound, per unit of size
    band_optimal     no blocks with these phases do better than bound

A band is about the shifts |δ| < n; those past the window by at most `transition` are free. The
size of A is max(1, Σ √(a_i² + b_i²)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.positions.positional_heads import (
    MOST_WORK,
    PositionalHead,
    base_in_words,
    base_of,
    frequency,
    length_of,
    whole_number,
)


class _Band(NamedTuple):
    """The shifts |δ| < n, of which |δ - T| ≤ inner are the window and |δ - T| ≥ outer outside."""

    T: int
    n: int
    inner: int
    outer: int

    def window(self) -> range:
        """Return the shifts of the window."""
        return range(max(1 - self.n, self.T - self.inner), min(self.n, self.T + self.inner + 1))

    def outside(self) -> tuple[range, range]:
        """Return the shifts outside, below and above the window."""
        below = range(1 - self.n, min(self.n, self.T - self.outer + 1))
        return below, range(max(1 - self.n, self.T + self.outer), self.n)


def _band(claim: Claim) -> _Band:
    """Return the band of a claim; there must be shifts in the window and outside."""
    half = Fraction(claim.stated.positive_or_zero("B")) / 2
    beyond = half + Fraction(claim.stated.positive_or_zero("transition"))
    T = whole_number(claim.stated.part("T"), "T")
    band = _Band(T, length_of(claim), half.__floor__(), beyond.__floor__() + 1)
    if not band.window() or not any(band.outside()):
        raise Unusable("no shifts are in the window, or none outside.")
    return band


def _ripple(claim: Claim) -> int | float | None:
    ripple = claim.stated.part("ripple")
    return None if ripple is None else reading.positive_or_zero(ripple, "ripple")


def _window(claim: Claim) -> str:
    """Return words for a window of shifts, T ± B/2, with its ripple and what is left free."""
    fields = claim.fields
    held, free = fields["ripple"], fields["transition"]
    ripple = "" if held is None else f", within {reading.exactly(held)} of each other"
    beyond = f", {reading.exactly(free)} more on either side left free" if free else ""
    half = reading.exactly(reading.number(fields["B"], "B") / 2)
    return f"the shifts {fields['T']} ± {half}{ripple} above all others{beyond}"


def _among(claim: Claim) -> str:
    """Return words for the shifts that a claim is about, and for their positions."""
    return f", of those below {claim.fields['n']} in size{base_in_words(claim.fields)}"


def band_gap(claim: Claim, certificate: Certificate) -> Decision:
    """Decide min_window f - max_outside f ≥ bound · size, max_window f - min ≤ ripple · size.

    Divided by its size, A has blocks whose sizes sum to at most 1, as in `band_optimal`.
    """
    head, band = PositionalHead(claim), _band(claim)
    bound, ripple = claim.stated.number("bound"), _ripple(claim)

    def test() -> Outcome:
        size = head.size()
        window = head.heights(band.window().start, len(band.window()))
        low, high = -BALLS.largest([-height for height in window]), BALLS.largest(window)
        others = [BALLS.largest(head.heights(s.start, len(s))) for s in band.outside() if s]
        gap = (low - BALLS.largest(others)) / size
        varies = (high - low) / size if len(window) > 1 else arb(0)
        flat = True if ripple is None else balls.at_most(varies, ripple)
        reason = (
            f"The gap is {balls.show(gap)}, and inside the score varies by {balls.show(varies)}."
        )
        return Outcome(balls.every(balls.at_most(bound, gap), flat), reason)

    return balls.constructed(balls.settle(test))


def _say_band_optimal(claim: Claim) -> str:
    which = "positive or negative" if claim.fields["signed"] else "non-negative"
    return (
        f"no {which} block weights of sum at most 1 in size lift {_window(claim)} by more than "
        f"{reading.up(claim.fields['bound'])}{_among(claim)}, in a head of width "
        f"{claim.fields['d_model']}"
    )


def band_optimal(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no f(δ) = Σ w_i cos ω_i (δ - T), Σ |w_i| ≤ 1, has a gap above bound.

    Let h = min f on the window; with a ripple ρ, f ≤ h + ρ there. Let p, r ≥ 0 be weights on the
    window (r = 0 without a ripple) and q ≥ 0 on shifts outside, divided so that Σ p - Σ r = 1 and
    Σ q = 1. Then Σ p f ≥ h Σ p and Σ r f ≤ (h + ρ) Σ r give h ≤ Σ (p - r) f + ρ Σ r, and

        gap = h - max_outside f ≤ Σ (p - r - q) f + ρ Σ r = Σ_i w_i m_i + ρ Σ r,

    m_i = Σ_δ (p - r - q)_δ cos ω_i (δ - T). That is at most λ + ρ Σ r, with λ = max |m_i|, or for
    w ≥ 0 λ = max(0, m_i).
    """
    band, ripple, base = _band(claim), _ripple(claim), base_of(claim)
    d = whole_number(claim.stated.part("d_model"), "d_model")
    signed = claim.stated.part("signed")
    if d < 2 or d % 2 or not isinstance(signed, bool):
        raise Unusable("d_model must be even and at least 2, and signed True or False.")
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        inside = _weights(claim.witness, "inside", (band.window(),))
        outside = _weights(claim.witness, "outside", band.outside())
        # Without a ripple nothing bounds f from above, so r must be 0.
        held = {} if ripple is None else _weights(claim.witness, "held", (band.window(),))
        if not inside or not outside:
            raise Unusable("inside or outside is 0 everywhere.")
        if (len(inside) + len(outside) + len(held)) * d > MOST_WORK:
            raise Unusable("they are too many shifts to check.")

        def test() -> Outcome:
            above, below = _total(inside.values()), _total(held.values())
            net, beyond = above - below, _total(outside.values())
            if not net > 0:
                return Outcome(False if net <= 0 else None, "held outweighs inside.")
            mixed = [(u - band.T, p / net) for u, p in inside.items()]
            mixed += [(u - band.T, -r / net) for u, r in held.items()]
            mixed += [(u - band.T, -q / beyond) for u, q in outside.items()]
            moments = []
            for i in range(d // 2):
                omega = frequency(base, i, d)
                terms = [weight * (omega * u).cos() for u, weight in mixed]
                moments.append(sum(terms, arb(0)))
            largest = BALLS.largest([abs(m) for m in moments] if signed else [arb(0), *moments])
            most = largest + arb(ripple or 0) * below / net
            return Outcome(balls.at_most(most, bound), f"No gap is above {balls.show(most)}.")

        return balls.settle(test)

    return balls.for_all(proof)


def _total(weights: Any) -> arb:
    return sum(weights, arb(0))


def _weights(witness: Mapping[str, Any], name: str, allowed: Sequence[range]) -> dict[int, arb]:
    """Return the weights > 0 of {"shifts": …, "weights": …} by shift, all of them allowed."""
    given = reading.part(witness, name)
    listed = reading.listed(reading.part(given, "shifts"), name)
    shifts = [whole_number(shift, name) for shift in listed]
    weights = reading.listed(reading.part(given, "weights"), f"the weights of {name}", len(shifts))
    read = [reading.positive_or_zero(weight, f"the weights of {name}") for weight in weights]
    if len(set(shifts)) != len(shifts):
        raise Unusable(f"{name} lists a shift twice.")
    if not all(any(shift in some for some in allowed) for shift in shifts):
        raise Unusable(f"{name} lists a shift that does not belong there.")
    return {shift: arb(weight) for shift, weight in zip(shifts, read, strict=True) if weight > 0}


CLAIM_TYPES = {
    "band_gap": ClaimType(
        band_gap,
        "the head lifts {window} by at least {bound:down}{among}",
        words={"window": _window, "among": _among},
    ),
    "band_optimal": ClaimType(band_optimal, _say_band_optimal),
}
