r"""Claims about positions whose sinusoidal embeddings are the same.

Row p of the embedding is sin(w_i p), cos(w_i p) with w_i = base^(-2i/d) for i = 0 … d/2 - 1. Rows p
and q are the same iff w_i (p - q) is a whole multiple of 2 pi for every i.

    positions_differ   no two different whole positions have the same row: w_0 = 1, and a whole
                       number other than 0 is no multiple of 2 pi, since pi is irrational. With
                       over = "reals": w_0 = 1 makes p - q = 2 pi m, so w_1 = k/m would have to be
                       rational; base^(2/d) is irrational, so it is not.
    positions_share    real positions p and p + 2 pi m share their row: m w_i is whole for every i
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType

LARGEST_WIDTH = 4096
LARGEST_BASE = 10**9


def claim(kind: str, d_model: int, base: int, over: str, period: int | None = None) -> Claim:
    """Return the claim of this kind about positions that are integers or reals."""
    fields: dict[str, Any] = {"d_model": d_model, "base": base, "over": over}
    return Claim(kind, fields if period is None else {**fields, "period": period})


def _fields(claim: Claim) -> tuple[int, int, str]:
    width = claim.stated.index("d_model", LARGEST_WIDTH + 1)
    base = claim.stated.index("base", LARGEST_BASE + 1)
    over = claim.stated.part("over")
    if width < 2 or width % 2 or base < 2 or over not in ("integers", "reals"):
        raise Unusable("d_model must be even, base a whole number from 2, over integers or reals.")
    return width, base, over


def root(base: int, half: int) -> int | None:
    """Return r with r^half = base; None where no whole number is."""
    low, high = 1, base
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**half < base else (low, middle)
    return low if low**half == base else None


def common_period(d_model: int, base: int) -> int | None:
    """Return the least m for which 2 pi m is a period of every pair; None where there is none.

    With r = base^(2/d) whole, w_i = r^-i and m = r^(d/2 - 1). Where r is not whole, it is
    irrational, and so is w_1. With d = 2 there is one pair alone and m = 1.
    """
    half = d_model // 2
    if half == 1:
        return 1
    step = root(base, half)
    return None if step is None else int(step ** (half - 1))


def positions_differ(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether all rows are different."""
    width, base, over = _fields(claim)
    if over == "integers":
        reason = (
            "The first pair turns by 1 a step, and no whole number but 0 is a multiple of 2 pi."
        )
        return Decision("holds", reason)
    if common_period(width, base) is None:
        return Decision("holds", "The first two pairs have no period in common.")
    return Decision("fails", "All pairs have a period in common.")


def positions_share(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether p and p + 2 pi m have the same row."""
    width, base, over = _fields(claim)
    period = claim.stated.part("period")
    if not isinstance(period, int) or isinstance(period, bool) or period < 1:
        raise Unusable("period must be a whole number from 1.")
    if over != "reals":
        return Decision("fails", "2 pi m is no whole number.")
    half = width // 2
    step = 1 if half == 1 else root(base, half)
    if step is None or any(Fraction(period, step**i).denominator > 1 for i in range(half)):
        return Decision("fails", "A pair does not come back after so long.")
    return Decision("holds", "Every pair comes back after so long.")


def _words(claim: Claim) -> str:
    fields = claim.fields
    numbers = "whole" if fields["over"] == "integers" else "real"
    return f"{numbers} positions, with d_model = {fields['d_model']} and base {fields['base']}"


CLAIM_TYPES = {
    "positions_differ": ClaimType(
        positions_differ,
        lambda claim: f"no two different sinusoidal rows are the same, for {_words(claim)}",
    ),
    "positions_share": ClaimType(
        positions_share,
        lambda claim: (
            f"sinusoidal rows repeat after 2 pi times {claim.fields['period']}, for {_words(claim)}"
        ),
    ),
}
