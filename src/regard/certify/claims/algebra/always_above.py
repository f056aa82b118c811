"""The claim that a formula is above another in every entry, for all matrices.

always_above     left > right, entry by entry: written out in symbols for all sizes, no term of
the difference can be negative, and one is above 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim
from regard.certify.claims.algebra import identities
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.elementary import above_zero
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.stated_identity import StatedIdentity


def claim(
    left: str,
    right: str,
    shapes: Mapping[str, Sequence[int | str]],
    where: Mapping[str, str] | None = None,
) -> Claim:
    """Return the claim that a formula is above another (or a number), for all matrices."""
    fields = identities.claim(left, right, shapes, where=where).fields
    return Claim(
        "always_above", {name: fields[name] for name in ("left", "right", "shapes", "where")}
    )


def _say_always_above(claim: Claim) -> str:
    fields = claim.fields
    where = ", ".join(f"{name} = {text}" for name, text in fields["where"].items())
    return (
        f"{fields['left']} is above {fields['right']} in every entry"
        f"{f', where {where},' if where else ''} for matrices of all sizes"
    )


def always_above(above: Claim, certificate: Certificate) -> Decision:
    """Write a difference out, and look at the signs of its terms."""
    rest: dict[str, Any] = {"indexed": {}, "at": [], "sum_over": None, "sizes": None}
    stated = StatedIdentity(Claim("identity", {**above.fields, **rest}), compared=True)
    if expand(stated, {}, above_zero).proved:
        return Decision("holds", "Written out in symbols, no term is negative and one is above 0.")
    return Decision("undecided", "Written out in symbols, the signs of the terms settle nothing.")


CLAIM_TYPES = {"always_above": ClaimType(always_above, _say_always_above)}
