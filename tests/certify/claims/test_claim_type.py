"""Sentences of claims: templates whose numbers are rounded so that the sentence stays true."""

from __future__ import annotations

import pytest
from flint import arb

from regard.certify import Certificate, Claim
from regard.certify.balls import Decision
from regard.certify.certificate import Unusable
from regard.certify.claims.claim_type import ClaimType


def _decide(claim: Claim, certificate: Certificate) -> Decision:
    return Decision("holds", f"{len(claim.fields)} of {len(certificate.arrays)}.")


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("{x:up}", "0.333334"),
        ("{x:down}", "0.333333"),
        ("{x:exactly}", "0.3333333333333333"),
        ("{x:.2f}", "0.33"),
        ("{x}", "0.3333333333333333"),
    ],
)
def test_numbers_are_rounded_to_the_side_that_keeps_it_true(written: str, sentence: str) -> None:
    claim = Claim("leak", {"x": 1 / 3})
    assert ClaimType(_decide, f"at most {written}").sentence(claim) == f"at most {sentence}"


def test_lists_are_counted_also_inside_a_field() -> None:
    claim = Claim("leak", {"rows": [1, 2, 3], "target": {"indices": [4, 5]}})
    said = ClaimType(_decide, "{rows:count} rows, {target[indices]:count} keys").sentence(claim)
    assert said == "3 rows, 2 keys"


def test_words_come_from_the_whole_claim_and_before_fields() -> None:
    kind = ClaimType(_decide, "{key} of {n}", words={"key": lambda claim: claim.kind})
    assert kind.sentence(Claim("leak", {"key": 2, "n": 5})) == "leak of 5"


def test_a_function_says_what_a_template_cannot() -> None:
    assert ClaimType(_decide, lambda claim: claim.kind.upper()).sentence(Claim("a", {})) == "A"


@pytest.mark.parametrize("fields", [{}, {"x": "many"}, {"x": arb(1)}, {"x": None}])
def test_what_is_no_number_is_not_said(fields: dict[str, object]) -> None:
    with pytest.raises((KeyError, Unusable)):
        ClaimType(_decide, "at most {x:up}").sentence(Claim("leak", fields))
