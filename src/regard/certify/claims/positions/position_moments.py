"""The claim about the inner product of position-enhanced vectors.

    position_moments   (k + e^τ)·(q + e^t) has this mean and this variance, in one of the ways to
                       read "k = q, |k| = 1, and phases are uniform"

The inner product is a sum of d terms k_j q_j, 2d terms k_j e_j and d terms e_j e_j. The terms are
uncorrelated, because E sin = E cos = E sin cos = 0. Averages of sines and cosines are exact: that
of sinᵃ cosᵇ is the constant coefficient of ((z - 1/z)/2i)ᵃ ((z + 1/z)/2)ᵇ.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpz_poly

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.random_keys.moments import NORMAL, moments_of
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.rational_functions import Field
from regard.certify.lemmas.stated_moments import PROVED, Stated

READINGS = ("hint", "sphere", "gaussian", "literal")


def claim(size: str, reading: str, mean: str, variance: str) -> Claim:
    """Return the claim about the inner product of position-enhanced embeddings."""
    fields = {"size": size, "reading": reading, "mean": mean, "variance": variance}
    return Claim("position_moments", fields)


def average(sines: int, cosines: int) -> fmpq:
    """Return the average of sinᵃ cosᵇ over a whole turn."""
    power = fmpz_poly([-1, 0, 1]) ** sines * fmpz_poly([1, 0, 1]) ** cosines  # times z^(a + b)
    middle = int(power[sines + cosines])
    if middle == 0:
        return fmpq(0)
    return fmpq(middle * (-1) ** (sines // 2), 2 ** (sines + cosines))  # 1/iᵃ, with a even


def _say_position_moments(claim: Claim) -> str:
    fields = claim.fields
    how = {
        "hint": "content k·q = 1, and elements of unit variance beside the positions",
        "sphere": "k on the unit sphere, evenly",
        "gaussian": "normal elements of unit variance",
        "literal": "positions added to even elements only, else as in the hint",
    }[fields["reading"]]
    return (
        f"with k = q in {fields['size']} dimensions and uniform phases ({how}), the inner product "
        f"of the position-enhanced vectors has mean {fields['mean']} and variance "
        f"{fields['variance']}"
    )


def _position_terms(reading: str, d: Any) -> list[tuple[Any, Any, Any]]:
    """Return count, mean and variance of each sort of term."""
    uncorrelated = (average(1, 0), average(0, 1), average(1, 1))
    if any(uncorrelated) or average(2, 0) != average(0, 2):
        raise AssertionError("the terms are correlated")
    element = 1 / d if reading == "sphere" else fmpq(1)  # E k_j²
    share = fmpq(1, 2) if reading == "literal" else fmpq(1)
    content = (fmpq(1), fmpq(1), fmpq(0))
    if reading == "gaussian":
        content = (d, *moments_of([(z * z, p) for z, p in NORMAL]))
    cross = (2 * d * share, fmpq(0), element * average(2, 0))
    place = (d * share, fmpq(0), average(2, 0) ** 2)
    return [content, cross, place]


def position_moments(claim: Claim, certificate: Certificate) -> Decision:
    """Compare the stated formulas with the sum over the terms."""
    stated = Stated(claim, ["mean", "variance"])
    reading = claim.stated.part("reading")
    if reading not in READINGS:
        raise Unusable(f"reading must be one of {', '.join(READINGS)}.")
    if _proved(stated, reading):
        return Decision("holds", PROVED)
    reason, tested = "", 0
    for size in (2, 4, 6, 2 * stated.draw(stated.size, "large", 61)):
        d, tested = fmpq(size), tested + 1
        terms = _position_terms(reading, d)
        mean = sum((count * one for count, one, _ in terms), fmpq(0))
        variance = sum((count * one for count, _, one in terms), fmpq(0))
        agrees, reason = stated.agrees({stated.size: Table((), (d,))}, mean, variance)
        if not agrees:
            return Decision("fails", reason)
    return Decision("holds", reason, tested)


def _proved(stated: Stated, reading: str) -> bool:
    """Compare the stated formulas with the sum over the terms, as rational functions of d."""
    field = Field((formula.tree for formula in stated.stated.values()), (stated.size,))
    try:
        terms = _position_terms(reading, field.symbol(stated.size))
        mean = sum((count * one for count, one, _ in terms), field.number(0))
        variance = sum((count * one for count, _, one in terms), field.number(0))
        return stated.proved(field, mean, variance)
    except Unusable:
        return False


CLAIM_TYPES = {
    "position_moments": ClaimType(position_moments, _say_position_moments),
}
