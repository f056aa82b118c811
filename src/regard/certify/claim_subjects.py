"""Which query, matrix or head the claims of a certificate are about.

A claim says "the query" or "the matrix" and holds it in its witness. So that all claims of one
certificate speak of the same one, they must hold the same numbers, entry by entry; and where the
certificate has an array of that name, its numbers. Claims about a second one have a label in their
field "object": with the label 2, the certificate has an array query_2, which the sentence names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from regard.certify.certificate import Certificate, Claim
from regard.certify.floats import Float64, Unusable, floats_of

OBJECTS = ("query", "queries", "M", "A", "W_Q", "W_K", "W_V")


def told_apart(arrays: Mapping[str, Float64], claims: Sequence[Claim], scale: float) -> Certificate:
    """Return a certificate whose claims about a second, third … query or head are labelled."""
    known: dict[str, dict[str, Float64]] = {}
    labelled, more = [], dict(arrays)
    for claim in claims:
        held = {part: floats_of(claim.witness[part], part) for part in _parts(claim)}
        label, count = "", 1
        while _clash(known.get(label, {}), held):
            count += 1
            label = str(count)
        known.setdefault(label, {}).update(held)
        fields = {name: value for name, value in claim.fields.items() if name != "object"}
        if label and held:
            fields["object"] = label
            more.update({f"{part}_{label}": own for part, own in held.items()})
        labelled.append(Claim(claim.kind, fields, claim.witness))
    return Certificate(more, tuple(labelled), scale)


def subjects(claim: Claim) -> list[str]:
    """Return the names of the arrays that a labelled claim is about; none if it has no label."""
    label = claim.fields.get("object")
    return [] if label is None else [f"{part}_{label}" for part in _parts(claim)]


def held_by_claims(certificate: Certificate, name: str) -> Any:
    """Return the query, matrix … of that name which claims without a label hold; None: none do."""
    for claim in certificate.claims:
        if name in OBJECTS and name in claim.witness and claim.fields.get("object") is None:
            return claim.witness[name]
    return None


def contradictions(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """Yield what claims disagree about, as a statement that is not so and the reason."""
    for at, claim in enumerate(certificate.claims):
        try:
            parts, label = _parts(claim), claim.fields.get("object")
            for part in parts:
                if part == "W_V" and part in certificate.arrays:
                    continue  # a W_V that was given goes before that of a claim
                name = part if label is None else f"{part}_{label}"
                meant = certificate.arrays.get(name)
                if meant is None and label is not None:
                    yield f"claim {at} is about {name}", "The certificate has no such array."
                    continue
                source = "the certificate" if meant is not None else "an earlier claim"
                meant = held_by_claims(certificate, name) if meant is None else meant
                if not _same(floats_of(claim.witness[part], part), floats_of(meant, name)):
                    said = f"all claims that speak of {name} mean the same"
                    yield said, f"Claim {at} has another {name} than {source}."
        except (Unusable, TypeError, AttributeError):  # then the claim cannot be read either
            continue


def _clash(known: Mapping[str, Float64], held: Mapping[str, Float64]) -> bool:
    """Do these belong to another query or head than those?"""
    return any(not _same(known.get(part, own), own) for part, own in held.items())


def _parts(claim: Claim) -> list[str]:
    return [part for part in OBJECTS if part in claim.witness]


def _same(one: Float64, other: Float64) -> bool:
    return one.shape == other.shape and bool((one == other).all())
