"""Claims about heads that see positions only: query t scores key τ with scale · e_τ A e_tᵀ.

e_t holds sin(t ω_i), cos(t ω_i) in entries 2i and 2i + 1, ω_i = base^(-2i/d). A must be made of
blocks [[a_i, -b_i], [b_i, a_i]] on its diagonal and be 0 elsewhere, exactly. Then, by the
addition theorem, e_τ A e_tᵀ = f(t - τ) with f(δ) = Σ a_i cos ω_i δ + b_i sin ω_i δ.

    offset_mass      every query t with 0 ≤ t - T < n gives key t - T, of keys 0..n-1, at least
                     `bound`, also if entries of e are off by `table_error`
    strongest_rival  f(T) - f(δ) ≥ bound for all δ ≠ T with |δ - T| < n; `rival` comes that near
    band_gap         f on the window |δ - T| ≤ B/2 is above f outside by bound, per unit of size
    band_optimal     no blocks with these phases do better than bound

A band is about the shifts |δ| < n; those past the window by at most `transition` are free. The
size of A is max(1, Σ √(a_i² + b_i²)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat

from regard.certify.balls import (
    BALLS,
    Decision,
    Outcome,
    at_most,
    constructed,
    every,
    for_all,
    settle,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Unusable,
    down,
    listed,
    matrix,
    number,
    part,
    positive_or_zero,
    up,
)

MOST_WORK = 2**28  # shifts times blocks
MOST_SHIFTS = 2**22
FARTHEST = 2**53  # of shifts
STRIDE = 256  # shifts that share their sines and cosines


def _whole(value: Any, name: str) -> int:
    """Return a whole number of at most 2^53 in size."""
    found = number(value, name)
    if found != int(found) or abs(found) > FARTHEST:
        raise Unusable(f"{name} must be a whole number of at most 2**53 in size.")
    return int(found)


def _length(claim: Claim) -> int:
    n = _whole(part(claim.fields, "n"), "n")
    if n < 1:
        raise Unusable(f"n must be at least 1, not {n}.")
    return n


def _base(claim: Claim) -> int | float:
    base = number(part(claim.fields, "base"), "base")
    if base <= 0:
        raise Unusable(f"base must be above 0, not {base}.")
    return base


def _frequency(base: int | float, i: int, d: int) -> arb:
    """Return ω_i."""
    return arb(1) if i == 0 else arb(base) ** (arb(-2 * i) / d)


class _Head:
    """The blocks of A that are not 0, as (i, a_i, b_i), and f."""

    def __init__(self, claim: Claim) -> None:
        A = matrix(part(claim.witness, "A"), "A")
        self.d, self.base = len(A), _base(claim)
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
        omegas = [_frequency(self.base, i, self.d) for i, _, _ in self.blocks]
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
        """Return Σ |A_jk|."""
        return 2 * sum((abs(arb(a)) + abs(arb(b)) for _, a, b in self.blocks), arb(0))


def _back(T: Any) -> str:
    """Word an offset."""
    if T == 0:
        return "in its own place"
    return f"{abs(T)} step{'s' * (abs(T) != 1)} {'back' if T > 0 else 'ahead'}"


def say_offset_mass(claim: Claim) -> str:
    """Word the claim."""
    fields = claim.fields
    return (
        f"of {fields['n']} keys, every query whose key {_back(fields['T'])} is there gives it at "
        f"least {down(fields['bound'])}, also if positions are off by {down(fields['table_error'])}"
    )


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
    head, n = _Head(claim), _length(claim)
    T = _whole(part(claim.fields, "T"), "T")
    bound = number(part(claim.fields, "bound"), "bound")
    error = positive_or_zero(part(claim.fields, "table_error"), "table_error")
    scale = number(certificate.scale, "scale")

    def least(off: int | float) -> Outcome:
        eta = arb(off)
        eps = abs(arb(scale)) * (2 * eta + eta**2) * head.entries()
        weight = 1 / (1 + (2 * eps).exp() * _largest_leak(head, T, n, scale))
        return Outcome(at_most(bound, weight), f"The least weight is {show(weight)}.")

    proved = settle(lambda: least(error))
    if proved.truth or error == 0:
        return constructed(proved)
    exactly = settle(lambda: least(0))
    if exactly.truth is False:
        return Decision("fails", exactly.reason)
    return Decision("undecided", f"With such positions it is not proved: {proved.reason}")


def _largest_leak(head: _Head, T: int, n: int, scale: int | float) -> arb:
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


def say_strongest_rival(claim: Claim) -> str:
    """Word the claim."""
    fields = claim.fields
    return (
        f"shift {fields['T']} scores at least {down(fields['bound'])} more than every other "
        f"less than {fields['n']} away, and at most {up(fields['within'])} more than that "
        f"above shift {fields['rival']}"
    )


def strongest_rival(claim: Claim, certificate: Certificate) -> Decision:
    """Decide f(T) - f(δ) ≥ bound for δ ≠ T, |δ - T| < n, and ≤ bound + within for the rival."""
    head, n = _Head(claim), _length(claim)
    T = _whole(part(claim.fields, "T"), "T")
    rival = _whole(part(claim.fields, "rival"), "rival")
    if not 0 < abs(rival - T) < n:
        raise Unusable(f"rival must be another shift than {T}, less than {n} away.")
    bound = number(part(claim.fields, "bound"), "bound")
    within = positive_or_zero(part(claim.fields, "within"), "within")

    def test() -> Outcome:
        heights = head.heights(T - n + 1, 2 * n - 1)
        top = heights.pop(n - 1)
        near = heights[rival - T + n - 1 - (rival > T)]  # T itself was taken out
        gap = top - BALLS.largest(heights)
        named = at_most(top - near, arb(bound) + within)
        reason = f"The smallest difference is {show(gap)}, that of the rival {show(top - near)}."
        return Outcome(every(at_most(bound, gap), named), reason)

    return constructed(settle(test))


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
    half = Fraction(positive_or_zero(part(claim.fields, "B"), "B")) / 2
    beyond = half + Fraction(positive_or_zero(part(claim.fields, "transition"), "transition"))
    T = _whole(part(claim.fields, "T"), "T")
    band = _Band(T, _length(claim), half.__floor__(), beyond.__floor__() + 1)
    if not band.window() or not any(band.outside()):
        raise Unusable("no shifts are in the window, or none outside.")
    return band


def _ripple(claim: Claim) -> int | float | None:
    ripple = part(claim.fields, "ripple")
    return None if ripple is None else positive_or_zero(ripple, "ripple")


def _window(claim: Claim) -> str:
    """Word the window of a band."""
    fields = claim.fields
    ripple = "" if fields["ripple"] is None else f", within {down(fields['ripple'])} of each other"
    free = f", {fields['transition']:g} more on either side left free" * bool(fields["transition"])
    return f"the shifts {fields['T']} ± {fields['B'] / 2:g}{ripple} above all others{free}"


def say_band_gap(claim: Claim) -> str:
    """Word the claim."""
    return f"the head lifts {_window(claim)} by at least {down(claim.fields['bound'])}"


def band_gap(claim: Claim, certificate: Certificate) -> Decision:
    """Decide min_window f - max_outside f ≥ bound · size, max_window f - min ≤ ripple · size.

    Divided by its size, A has blocks whose sizes sum to at most 1, as in `band_optimal`.
    """
    head, band = _Head(claim), _band(claim)
    bound, ripple = number(part(claim.fields, "bound"), "bound"), _ripple(claim)

    def test() -> Outcome:
        size = head.size()
        window = head.heights(band.window().start, len(band.window()))
        low, high = -BALLS.largest([-height for height in window]), BALLS.largest(window)
        others = [BALLS.largest(head.heights(s.start, len(s))) for s in band.outside() if s]
        gap = (low - BALLS.largest(others)) / size
        varies = (high - low) / size if len(window) > 1 else arb(0)
        flat = True if ripple is None else at_most(varies, ripple)
        reason = f"The gap is {show(gap)}, and inside the score varies by {show(varies)}."
        return Outcome(every(at_most(bound, gap), flat), reason)

    return constructed(settle(test))


def say_band_optimal(claim: Claim) -> str:
    """Word the claim."""
    which = "positive or negative" if claim.fields["signed"] else "non-negative"
    return (
        f"no {which} block weights of sum at most 1 in size lift {_window(claim)} "
        f"by more than {up(claim.fields['bound'])}"
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
    band, ripple, base = _band(claim), _ripple(claim), _base(claim)
    d = _whole(part(claim.fields, "d_model"), "d_model")
    signed = part(claim.fields, "signed")
    if d < 2 or d % 2 or not isinstance(signed, bool):
        raise Unusable("d_model must be even and at least 2, and signed True or False.")
    bound = number(part(claim.fields, "bound"), "bound")

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
                omega = _frequency(base, i, d)
                terms = [weight * (omega * u).cos() for u, weight in mixed]
                moments.append(sum(terms, arb(0)))
            largest = BALLS.largest([abs(m) for m in moments] if signed else [arb(0), *moments])
            most = largest + arb(ripple or 0) * below / net
            return Outcome(at_most(most, bound), f"No gap is above {show(most)}.")

        return settle(test)

    return for_all(proof)


def _total(weights: Any) -> arb:
    return sum(weights, arb(0))


def _weights(witness: Mapping[str, Any], name: str, allowed: Sequence[range]) -> dict[int, arb]:
    """Return the weights > 0 of {"shifts": …, "weights": …} by shift, all of them allowed."""
    given = part(witness, name)
    shifts = [_whole(shift, name) for shift in listed(part(given, "shifts"), name)]
    weights = listed(part(given, "weights"), f"the weights of {name}", len(shifts))
    read = [positive_or_zero(weight, f"the weights of {name}") for weight in weights]
    if len(set(shifts)) != len(shifts):
        raise Unusable(f"{name} lists a shift twice.")
    if not all(any(shift in some for some in allowed) for shift in shifts):
        raise Unusable(f"{name} lists a shift that does not belong there.")
    return {shift: arb(weight) for shift, weight in zip(shifts, read, strict=True) if weight > 0}
