"""Check every claim of a certificate, and say what was found.

A claim holds if it is proved from the arrays and its witness, fails if it is
certainly false, and is undecided otherwise.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

import numpy as np

from regard.certify import claims
from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claim_subjects import contradictions, held_by_claims, subjects
from regard.certify.claims.claim_type import ClaimType
from regard.certify.floats import differing, floats_of


@cache
def claim_types() -> Mapping[str, ClaimType]:
    """Return every type of claim by its name: the files under `claims` list their own."""
    found: dict[str, ClaimType] = {}
    for module in pkgutil.walk_packages(claims.__path__, f"{claims.__name__}."):
        listed = importlib.import_module(module.name)
        found |= getattr(listed, "CLAIM_TYPES", {})
    return found


@dataclass(frozen=True)
class ClaimResult:
    """What was found about one claim.

    Attributes:
        kind: the kind of the claim; "arrays" for arrays that are not the certificate's, and for
            claims about different ones.
        status: "holds", "fails" or "undecided".
        statement: the claim as a sentence.
        reason: one sentence with the number found.
        tested: on how many instances a claim about all of them was tested; 0: it is proved as it
            is stated.
        there: what the numbers of a counterexample give, in words: "3 on the left and 4 on the
            right"; "" where the claim has none.
    """

    kind: str
    status: str
    statement: str
    reason: str
    tested: int = 0
    there: str = ""


@dataclass(frozen=True)
class Verification:
    """What was found about a certificate. `holds` only if every claim does."""

    holds: bool
    claims: tuple[ClaimResult, ...]

    def __str__(self) -> str:
        good = sum(result.status == "holds" for result in self.claims)
        lines = [
            f"{'holds' if self.holds else 'does not hold'}: {good} of {len(self.claims)} claims"
        ]
        for result in self.claims:
            lines.append(f"  {result.status:<9}  {result.kind}: {result.statement}")
            lines.append(f"{'':13}{result.reason}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("status", "kind", "claim", "found"))
        rows = [
            "".join(
                f"<td>{escape(text)}</td>"
                for text in (result.status, result.kind, result.statement, result.reason)
            )
            for result in self.claims
        ]
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def verify(certificate: Any, /, **arrays: Any) -> Verification:
    """Check every claim of a certificate.

    Args:
        certificate: a `Certificate`, or the dict from its `to_dict()`.
        arrays: arrays by name, which must be the ones that the certificate is about: those it was
            given (`keys`, `values` …) or those it proves something of (`query`, `M` …).

    Returns:
        A `Verification`. It holds only if every claim is decided and true. A claim that
        cannot be checked is undecided; an error (a ValueError) is raised only for a dict
        that `Certificate.from_dict` cannot read.

    Example:
        >>> import numpy as np
        >>> from regard.certify import Certificate, Claim, verify
        >>> fields = {"key": 0, "bound": 0.5, "radius": None}
        >>> claim = Claim("ceiling", fields, {"combination": [0, 1, 1]})
        >>> print(verify(Certificate({"keys": np.array([[1.0], [0.0], [2.0]])}, (claim,))))
        holds: 1 of 1 claims
          holds      ceiling: no query gives key 0 more than 0.5
                     The weight is at most 0.333333.
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.from_dict(certificate)
    stated = certificate.claims if isinstance(certificate.claims, list | tuple) else ()
    results = [_check(claim, certificate) for claim in stated]
    if not results:
        reason = "There is nothing to check."
        results = [ClaimResult("none", "fails", "the certificate claims nothing", reason)]
    if isinstance(certificate.claims, list | tuple) and isinstance(certificate.arrays, Mapping):
        for said, reason in contradictions(certificate):
            results.append(ClaimResult("arrays", "fails", said, reason))
    for name, array in arrays.items():
        difference = _difference(name, array, certificate)
        if difference is not None:
            about = f"the certificate is about this array {name}"
            results.append(ClaimResult("arrays", "fails", about, difference))
    holds = all(result.status == "holds" for result in results)
    return Verification(holds, tuple(results))


def statement(claim: Claim) -> str:
    """Return a claim as a sentence."""
    try:
        names = subjects(claim)
        about = f"of {', '.join(names)}: " if names else ""
        return about + claim_types()[claim.kind].sentence(claim)
    except Exception:  # its fields may be anything
        return "a claim that cannot be read"


def _check(claim: Claim, certificate: Certificate) -> ClaimResult:
    try:
        kind = claim_types().get(claim.kind)
        if kind is None:
            decision = Decision("undecided", f"{claim.kind!r} is not a kind of claim.")
        else:
            decision = kind.decide(claim, certificate)
    except Unusable as problem:
        decision = Decision("undecided", str(problem))
    except Exception as problem:  # a witness may be anything; what cannot be read proves nothing
        decision = Decision("undecided", f"It cannot be checked: {problem!r}.")
    name = str(getattr(claim, "kind", "none"))
    reason = _sentence(decision.reason)
    more = (decision.tested, decision.there)
    return ClaimResult(name, decision.status, statement(claim), reason, *more)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _difference(name: str, array: Any, certificate: Certificate) -> str | None:
    """Say how an array differs from the certificate's of that name; None: it does not."""
    try:
        arrays = certificate.arrays
        own = arrays[name] if name in arrays else held_by_claims(certificate, name)
        if own is None:
            return f"The certificate has no array {name}."
        # Of a list NumPy would make floats, and round whole numbers on the way.
        given = np.asarray(array, dtype=object if isinstance(array, list | tuple) else None)
        mine = floats_of(own, name)
        if given.dtype.kind not in "biufVO":
            return f"{name} does not hold numbers."
        if given.dtype.kind in "bV":  # booleans, and bfloat16: float64 holds all of them
            given = given.astype(np.float64)
        if mine.shape != given.shape:
            return f"{name} has shape {given.shape}, and the certificate's has {mine.shape}."
        others = int(differing(mine, given).sum())
    except Exception as problem:  # whatever was given, it is not the array
        return f"{name} cannot be read: {problem!r}."
    return f"{name} has {others} other entries than the certificate's." if others else None
