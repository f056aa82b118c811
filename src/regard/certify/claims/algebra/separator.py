"""Claims about matrices M that keep one subspace and drop another: M S = S / share, M T = 0.

separates      every column of M S - S / share and of M T has norm ≤ bound
norm_at_most   ‖M‖₂ ≤ bound: bound² I - MᵀM is positive semidefinite
norm_at_least  every such M has ‖M‖₂ ≥ bound: it takes S x - T y to S x / share, so
               ‖S x‖ ≥ bound · |share| · ‖S x - T y‖ with S x ≠ 0 proves it
no_separator   no such M (with norm ≤ radius) exists: the same with > radius; for
               every norm, S x = T y ≠ 0 exactly
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType


def _share(claim: Claim) -> Number:
    share = claim.stated.number("share")
    if share == 0:
        raise Unusable("share must not be 0.")
    return share


def _bases(certificate: Certificate) -> tuple[Float64, Float64]:
    S = reading.given(certificate, "S")
    return S, reading.given(certificate, "T", len(S))


def separates(claim: Claim, certificate: Certificate) -> Decision:
    """Decide ‖M s - s / share‖ ≤ bound and ‖M t‖ ≤ bound for all columns s, t of S, T."""
    S, T = _bases(certificate)
    share, bound = _share(claim), claim.stated.number("bound")
    M = claim.witnessed.matrix("M", len(S), len(S))

    def test(numbers: Arithmetic) -> Outcome:
        taken = numbers.read(M)
        kept = (taken * numbers.read(S) - numbers.read(S) / numbers.number(share)).transpose()
        dropped = (taken * numbers.read(T)).transpose()
        columns = [*kept.tolist(), *dropped.tolist()]
        worst = BALLS.largest([arb(0), *(balls.norm(column) for column in columns)])
        truths = [balls.norm_at_most(column, bound, numbers) for column in columns]
        return Outcome(
            balls.every(*truths), f"The longest column that remains has {balls.show(worst)}."
        )

    return balls.constructed(balls.settle_algebra(test))


def norm_at_most_claim(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether bound² I - MᵀM is positive semidefinite."""
    bound = claim.stated.number("bound")
    M = claim.witnessed.matrix("M")
    if bound < 0:
        return Decision("fails", "A norm is not negative.")

    def test(numbers: Arithmetic) -> Outcome:
        taken = numbers.read(M)
        gram, square = (taken.transpose() * taken).tolist(), numbers.number(bound) ** 2
        rows = [
            [square * (i == j) - entry for j, entry in enumerate(row)] for i, row in enumerate(gram)
        ]
        truth = balls.definite(rows, semi=True)
        word = {True: "is", False: "is not", None: "may be"}[truth]
        return Outcome(truth, f"bound² I - MᵀM {word} positive semidefinite.")

    return balls.constructed(balls.settle_algebra(test))


def _images(
    witness: Mapping[str, Any], S: Float64, T: Float64, numbers: Arithmetic
) -> tuple[list[Any], list[Any]]:
    """Return S x and S x - T y."""
    read = reading.exact if numbers is EXACT else reading.number
    x = [read(entry, "x") for entry in reading.listed(reading.part(witness, "x"), "x", S.shape[1])]
    y = [read(entry, "y") for entry in reading.listed(reading.part(witness, "y"), "y", T.shape[1])]
    kept = numbers.read(S) * numbers.matrix(len(x), 1, x)
    return kept.entries(), (kept - numbers.read(T) * numbers.matrix(len(y), 1, y)).entries()


def norm_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that ‖M‖₂ ≥ ‖S x‖ / (|share| ‖S x - T y‖) ≥ bound."""
    S, T = _bases(certificate)
    share, bound = _share(claim), claim.stated.number("bound")

    def test(numbers: Arithmetic) -> Outcome:
        kept, gap = _images(claim.witness, S, T, numbers)
        factor = numbers.number(max(bound, 0)) * numbers.number(share)
        truth = balls.every(
            balls.less(0, balls.squared(kept)),
            balls.at_most(factor**2 * balls.squared(gap), balls.squared(kept)),
        )
        shown = balls.norm(kept) / (abs(arb(share)) * balls.norm(gap))
        return Outcome(truth, f"The norm is at least {balls.show(shown)}.")

    return balls.for_all(lambda: balls.settle_algebra(test))


def _say_no_separator(claim: Claim) -> str:
    reach = claim.stated.part("radius")
    which = "no matrix" if reach is None else f"no matrix of norm up to {reading.down(reach)}"
    return f"{which} takes S to S/{claim.fields['share']} and T to 0"


def no_separator(claim: Claim, certificate: Certificate) -> Decision:
    """Prove ‖S x‖ > |share| · radius · ‖S x - T y‖, or S x = T y ≠ 0."""
    S, T = _bases(certificate)
    share, reach = _share(claim), claim.stated.radius()

    def test(numbers: Arithmetic) -> Outcome:
        kept, gap = _images(claim.witness, S, T, numbers)
        factor = numbers.number(reach) * numbers.number(share)
        truth = balls.less(factor**2 * balls.squared(gap), balls.squared(kept))
        shown = balls.norm(kept) / (abs(arb(share)) * balls.norm(gap))
        return Outcome(truth, f"Such a matrix has a norm of at least {balls.show(shown)}.")

    def exactly() -> Outcome:
        kept, gap = _images(claim.witness, S, T, EXACT)
        if balls.squared(gap) != 0 or balls.squared(kept) == 0:
            return Outcome(False, "S x = T y, and not 0, is not exactly so.")
        return Outcome(True, "S x = T y exactly, and it is not 0.")

    return balls.for_all(exactly if reach is None else lambda: balls.settle_algebra(test))


CLAIM_TYPES = {
    "separates": ClaimType(
        separates,
        "the matrix takes every column s of S to s/{share} and every column of T to 0, "
        "each within {bound:up}",
    ),
    "norm_at_most": ClaimType(norm_at_most_claim, "the norm of the matrix is at most {bound:up}"),
    "norm_at_least": ClaimType(
        norm_at_least,
        "every matrix that takes S to S/{share} and T to 0 has a norm of at least {bound:down}",
    ),
    "no_separator": ClaimType(no_separator, _say_no_separator),
}
