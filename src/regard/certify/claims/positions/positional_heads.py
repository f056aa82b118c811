"""Claims about heads that see positions only: query t scores key τ with scale · e_τ A e_tᵀ.

e_t holds sin(t ω_i), cos(t ω_i) in entries 2i and 2i + 1, ω_i = base^(-2i/d). A must be made of
blocks [[a_i, -b_i], [b_i, a_i]] on its diagonal and be 0 elsewhere, exactly. Then, by the
addition theorem, e_τ A e_tᵀ = f(t - τ) with f(δ) = Σ a_i cos ω_i δ + b_i sin ω_i δ.

    offset_mass      every query t with 0 ≤ t - T < n gives key t - T, of keys 0..n-1, at least
                     `bound`, also if entries of e are off by `table_error`
    strongest_rival  f(T) - f(δ) ≥ bound for all δ ≠ T with |δ - T| < n; `rival` comes that near
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType

MOST_WORK = 2**28  # shifts times blocks
MOST_SHIFTS = 2**22
FARTHEST = 2**53  # of shifts
USUAL_BASE = 10_000
STRIDE = 256  # shifts that share their sines and cosines


def whole_number(value: Any, name: str) -> int:
    """Return a whole number of at most 2^53 in size."""
    found = reading.number(value, name)
    if found != int(found) or abs(found) > FARTHEST:
        raise Unusable(f"{name} must be a whole number of at most 2**53 in size.")
    return int(found)


def length_of(claim: Claim) -> int:
    """Return how many positions there are."""
    n = whole_number(claim.stated.part("n"), "n")
    if n < 1:
        raise Unusable(f"n must be at least 1, not {n}.")
    return n


def base_of(claim: Claim) -> int | float:
    """Return the base of the frequencies."""
    base = claim.stated.number("base")
    if base <= 0:
        raise Unusable(f"base must be above 0, not {base}.")
    return base


def base_in_words(fields: Mapping[str, Any]) -> str:
    """Name the base of the frequencies, if it is not the usual one."""
    base = reading.number(fields["base"], "base")
    return "" if base == USUAL_BASE else f" (base {reading.exactly(base)})"


def frequency(base: int | float, i: int, d: int) -> arb:
    """Return the frequency ω_i = base^(−2i/d_model) as a ball."""
    return arb(1) if i == 0 else arb(base) ** (arb(-2 * i) / d)


class PositionalHead:
    """The blocks of A that are not 0, as (i, a_i, b_i), and f."""

    def __init__(self, claim: Claim) -> None:
        A = claim.witnessed.matrix("A")
        self.d, self.base = len(A), base_of(claim)
        if A.shape != (self.d, self.d) or self.d % 2 or self.d == 0:
            raise Unusable("A must be square, of even width.")
        a, b = A.diagonal()[::2], A.diagonal(-1)[::2]
        made = np.zeros_like(A)
        even = np.arange(0, self.d, 2)
        made[even, even], made[even + 1, even + 1] = a, a
        made[even, even + 1], made[even + 1, even] = -b, b
        if not (made == A).all():
            raise Unusable("A is not made of blocks [[a, -b], [b, a]] on its diagonal.")
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        self.blocks = [(i, a_i, b_i) for i, (a_i, b_i) in enumerate(pairs) if a_i or b_i]

    def heights(self, first: int, count: int) -> list[arb]:
        """Return f(first), …, f(first + count - 1).

        f(x + y) = Σ cos ω_i x (a_i cos ω_i y + b_i sin ω_i y) + sin ω_i x (b_i cos ω_i y -
        a_i sin ω_i y) is a product of a row for x and a column for y, so that count values need
        only count/STRIDE + STRIDE sines and cosines of each block.
        """
        if count > MOST_SHIFTS or count * len(self.blocks) > MOST_WORK:
            raise Unusable(f"{count} shifts and {len(self.blocks)} blocks are too many to check.")
        if not self.blocks:
            return [arb(0)] * count
        omegas = [frequency(self.base, i, self.d) for i, _, _ in self.blocks]
        width = min(count, STRIDE)
        columns: list[list[arb]] = []
        for omega, (_, a, b) in zip(omegas, self.blocks, strict=True):
            turned = [(omega * y).sin_cos() for y in range(width)]
            columns.append([c * a + s * b for s, c in turned])
            columns.append([c * b - s * a for s, c in turned])
        right, found = arb_mat(columns), []
        for start in range(first, first + count, STRIDE * STRIDE):
            rows = []
            for x in range(start, min(start + STRIDE * STRIDE, first + count), width):
                turned = [(omega * x).sin_cos() for omega in omegas]
                rows.append([part for s, c in turned for part in (c, s)])
            found += (arb_mat(rows) * right).entries()
        return found[:count]

    def size(self) -> arb:
        """Return max(1, Σ √(a_i² + b_i²))."""
        sizes = [(arb(a) ** 2 + arb(b) ** 2).sqrt() for _, a, b in self.blocks]
        return arb(1).max(sum(sizes, arb(0)))

    def entries(self) -> arb:
        """Return the sum of the sizes of all entries of A, which bounds what rounding moves."""
        return 2 * sum((abs(arb(a)) + abs(arb(b)) for _, a, b in self.blocks), arb(0))


def steps_back(T: Any) -> str:
    """Return words for an offset T: so many steps back or ahead, or the own position."""
    if T == 0:
        return "in its own place"
    return f"{abs(T)} step{'s' * (abs(T) != 1)} {'back' if T > 0 else 'ahead'}"


def offset_mass(claim: Claim, certificate: Certificate) -> Decision:
    """Decide that the weight of key t - T is at least bound for every t with 0 ≤ t - T < n.

    With c = t - T and u = c - τ from c - n + 1 to c, that weight is 1 / (1 + leak_c),

        leak_c = Σ_{u≠0} exp(scale (f(T + u) - f(T))) = R_c + L_{n-1-c},

    R_c summed over u = 1..c and L_c over u = -1..-c. Let the entries of the tables for queries and
    for keys be off by at most η. As |e| ≤ 1, a score is then off by at most

        ε = |scale| (2η + η²) Σ |A_jk|,

    a difference of two by at most 2ε, and so the weight is at least 1 / (1 + exp(2ε) leak_c).
    Without errors in the tables it is 1 / (1 + leak_c): a bound above that is false.
    """
    head, n = PositionalHead(claim), length_of(claim)
    T = whole_number(claim.stated.part("T"), "T")
    bound = claim.stated.number("bound")
    error = claim.stated.positive_or_zero("table_error")
    scale = reading.number(certificate.scale, "scale")

    def least(off: int | float) -> Outcome:
        eta = arb(off)
        eps = abs(arb(scale)) * (2 * eta + eta**2) * head.entries()
        weight = 1 / (1 + (2 * eps).exp() * _largest_leak(head, T, n, scale))
        return Outcome(balls.at_most(bound, weight), f"The least weight is {balls.show(weight)}.")

    proved = balls.settle(lambda: least(error))
    if proved.truth or error == 0:
        return balls.constructed(proved)
    exactly = balls.settle(lambda: least(0))
    if exactly.truth is False:
        return Decision("fails", exactly.reason)
    return Decision("undecided", f"With such positions it is not proved: {proved.reason}")


def _largest_leak(head: PositionalHead, T: int, n: int, scale: int | float) -> arb:
    """Return max_c R_c + L_{n-1-c}; sums of terms ≥ 0 only, so that nothing cancels."""
    heights = head.heights(T - n + 1, 2 * n - 1)
    top = heights[n - 1]
    terms = [(scale * (height - top)).exp() for height in heights]
    after, before = [arb(0)], [arb(0)]
    for u in range(1, n):
        after.append(after[-1] + terms[n - 1 + u])
        before.append(before[-1] + terms[n - 1 - u])
    leak: arb = BALLS.largest([after[c] + before[n - 1 - c] for c in range(n)])
    return leak


def _sum_up(bound: Any, within: Any) -> str:
    """Write the sum of two numbers, rounded up."""
    total = Fraction(reading.number(bound, "bound")) + Fraction(reading.number(within, "within"))
    nearest = float(total)
    return reading.up(nearest if Fraction(nearest) >= total else math.nextafter(nearest, math.inf))


def strongest_rival(claim: Claim, certificate: Certificate) -> Decision:
    """Decide f(T) - f(δ) ≥ bound for δ ≠ T, |δ - T| < n, and ≤ bound + within for the rival."""
    head, n = PositionalHead(claim), length_of(claim)
    T = whole_number(claim.stated.part("T"), "T")
    rival = whole_number(claim.stated.part("rival"), "rival")
    if not 0 < abs(rival - T) < n:
        raise Unusable(f"rival must be another shift than {T}, less than {n} away.")
    bound = claim.stated.number("bound")
    within = claim.stated.positive_or_zero("within")

    def test() -> Outcome:
        heights = head.heights(T - n + 1, 2 * n - 1)
        top = heights.pop(n - 1)
        near = heights[rival - T + n - 1 - (rival > T)]  # T itself was taken out
        gap = top - BALLS.largest(heights)
        named = balls.at_most(top - near, arb(bound) + within)
        reason = (
            f"The smallest difference is {balls.show(gap)}, that of the rival "
            f"{balls.show(top - near)}."
        )
        return Outcome(balls.every(balls.at_most(bound, gap), named), reason)

    return balls.constructed(balls.settle(test))


CLAIM_TYPES = {
    "offset_mass": ClaimType(
        offset_mass,
        "of {n} keys, every query whose key {back} is there gives it at least "
        "{bound:down}, also if positions are off by {table_error:down}{base}",
        words={
            "back": lambda claim: steps_back(claim.fields["T"]),
            "base": lambda claim: base_in_words(claim.fields),
        },
    ),
    "strongest_rival": ClaimType(
        strongest_rival,
        "shift {T} scores at least {bound:down} more than every other less than {n} "
        "away, and at most {most} more than shift {rival}{base}",
        words={
            "most": lambda claim: _sum_up(claim.fields["bound"], claim.fields["within"]),
            "base": lambda claim: base_in_words(claim.fields),
        },
    ),
}
