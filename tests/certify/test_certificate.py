"""Certificates as data, and what `verify` says of whole certificates."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from regard.certify import Certificate, Claim, ClaimResult, Verification, verify

KEYS = np.array([[1.0, 0.1], [0.0, 0.1], [2.0, 0.1]])  # key 0 is the average of the others
CEILING = Claim(
    "ceiling",
    {"key": 0, "bound": 0.334, "radius": None},
    {"combination": [0, 1, 1], "attained_by": None},
)
CLOSE = Claim(
    "weights_close",
    {"target": {"indices": [0, 1, 2], "weights": [0.3, 0.3, 0.4]}, "bound": 0.1},
    {"query": np.zeros(2)},
)
GOOD = Certificate({"keys": KEYS}, (CEILING, CLOSE))


def through_json(certificate: Certificate) -> Certificate:
    return Certificate.from_dict(json.loads(json.dumps(certificate.to_dict(), allow_nan=False)))


def damaged(*path: Any, value: Any) -> dict[str, Any]:
    """Return the data of the good certificate with one entry replaced."""
    data = copy.deepcopy(GOOD.to_dict())
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


def test_a_good_certificate_holds_as_it_is_and_as_data() -> None:
    for certificate in (GOOD, GOOD.to_dict(), through_json(GOOD)):
        verification = verify(certificate, keys=KEYS)
        assert verification.holds is True
        assert [result.status for result in verification.claims] == ["holds", "holds"]
        assert [result.kind for result in verification.claims] == ["ceiling", "weights_close"]


def test_arrays_and_numbers_come_back_to_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    numbers = rng.standard_normal((7, 3)) * 10.0 ** rng.integers(-300, 300, (7, 3))
    numbers[0, 0], numbers[1, 1] = 5e-324, -0.0
    claim = Claim("output_close", {"bound": 0.1}, {"query": numbers[:, 0], "M": numbers})
    back = through_json(Certificate({"keys": numbers}, (claim,), scale=1 / 3))
    for array in (back.arrays["keys"], back.claims[0].witness["M"]):
        assert array.dtype == np.float64
        np.testing.assert_array_equal(array.view(np.int64), numbers.view(np.int64))
    np.testing.assert_array_equal(back.claims[0].witness["query"], numbers[:, 0])
    assert back.claims[0].fields == {"bound": 0.1}
    assert back.scale == 1 / 3


def test_exact_numbers_stay_exact() -> None:
    parts = {"x": [2**60 + 1, 0.5], "y": ["1/3", 2], "z": [Fraction(2, 3)], "f": [flint.fmpq(3, 4)]}
    back = through_json(Certificate({}, (Claim("no_separator", {}, parts),)))
    expected = {"x": [2**60 + 1, 0.5], "y": ["1/3", 2], "z": ["2/3"], "f": ["3/4"]}
    assert back.claims[0].witness == expected


def test_the_data_is_laid_out_as_documented() -> None:
    data = GOOD.to_dict()
    assert set(data) == {"schema", "scale", "arrays", "claims"}
    assert data["schema"] == 1
    assert data["arrays"] == {"keys": KEYS.tolist()}
    assert data["claims"][0] == {
        "kind": "ceiling",
        "key": 0,
        "bound": 0.334,
        "radius": None,
        "witness": {"combination": [0, 1, 1], "attained_by": None},
        "statement": "no query gives key 0 more than 0.334",
    }


def test_what_is_derived_or_has_a_default_may_be_left_out() -> None:
    data = GOOD.to_dict()
    del data["schema"], data["scale"], data["claims"][0]["statement"]
    data["claims"][1]["statement"] = "the moon is made of cheese"
    back = Certificate.from_dict(data)
    assert back.scale == 1.0
    assert verify(back).claims == verify(GOOD).claims


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "certificate",
        {},
        {"arrays": {}},
        {"claims": []},
        damaged("schema", value=2),
        damaged("scale", value=math.nan),
        damaged("scale", value="1"),
        damaged("arrays", value=[]),
        damaged("arrays", "keys", value=[[1.0, math.inf]]),
        damaged("arrays", "keys", value=[[1.0, math.nan]]),
        damaged("arrays", "keys", value=[[1.0], [1.0, 2.0]]),
        damaged("arrays", "keys", value=[["1.0"]]),
        damaged("arrays", "keys", value=[[None]]),
        damaged("arrays", "keys", value=[[True]]),
        damaged("arrays", "keys", value=[[10**400]]),
        damaged("arrays", "keys", value={"rows": 3}),
        damaged("claims", value={}),
        damaged("claims", 0, value="ceiling"),
        damaged("claims", 0, "kind", value=5),
        damaged("claims", 0, "witness", value=[1]),
        damaged("claims", 1, "witness", "query", value=[math.nan, 0.0]),
        damaged("claims", 1, "witness", "query", value=[[1, {"deep": [math.inf]}]]),
    ],
)
def test_damaged_data_is_refused(data: Any) -> None:
    for read in (Certificate.from_dict, verify):
        with pytest.raises(ValueError, match="data is not a certificate"):
            read(data)


def test_other_arrays_are_not_what_the_certificate_is_about() -> None:
    changed = KEYS.copy()
    changed[2, 1] = np.nextafter(0.1, 1)
    wrong = [
        changed,
        KEYS[:2],
        KEYS.T,
        KEYS.astype(np.float32),
        KEYS + 0j,
        "keys",
        None,
        [[1], [1, 2]],
    ]
    for keys in wrong:
        verification = verify(GOOD, keys=keys)
        assert verification.holds is False
        assert [result.status for result in verification.claims] == ["holds", "holds", "fails"]
        assert verification.claims[-1].kind == "arrays"


def test_equal_arrays_of_another_type_are_the_same() -> None:
    certificate = Certificate({"keys": np.array([[1.0], [0.0], [2.0]])}, (CEILING,))
    for keys in ([[1], [0], [2]], np.array([[1], [0], [2]], np.float16), ((1.0,), (0.0,), (2.0,))):
        assert verify(certificate, keys=keys).holds


def test_a_name_that_the_certificate_does_not_have_fails() -> None:
    verification = verify(GOOD, keys=KEYS, values=KEYS)
    assert verification.holds is False
    assert verification.claims[-1].reason == "The certificate has no array values."


def test_a_certificate_that_claims_nothing_fails() -> None:
    for certificate in (Certificate({"keys": KEYS}, ()), {"arrays": {}, "claims": []}):
        verification = verify(certificate)
        assert verification.holds is False
        (result,) = verification.claims
        assert (result.status, result.statement) == ("fails", "the certificate claims nothing")


def test_one_claim_that_does_not_hold_is_enough() -> None:
    false = Claim("weights_close", {**CLOSE.fields, "bound": 0.01}, CLOSE.witness)
    verification = verify(Certificate({"keys": KEYS}, (CEILING, false)))
    assert verification.holds is False
    assert [result.status for result in verification.claims] == ["holds", "fails"]


@pytest.mark.parametrize("kind", ["", "ceilings", "__init__", None, ["ceiling"]])
def test_an_unknown_kind_is_undecided(kind: Any) -> None:
    (result,) = verify(Certificate({"keys": KEYS}, (Claim(kind, {}, {}),))).claims
    assert result.status == "undecided"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_prove_nothing(bad: float) -> None:
    keys, query = KEYS.copy(), np.zeros(2)
    keys[1, 1] = query[0] = bad
    for certificate in (
        Certificate({"keys": keys}, (CEILING, CLOSE)),
        Certificate({"keys": KEYS}, (CEILING, CLOSE), scale=bad),
        Certificate({"keys": KEYS}, (Claim(CLOSE.kind, CLOSE.fields, {"query": query}),)),
        Certificate(
            {"keys": KEYS}, (Claim(CLOSE.kind, {**CLOSE.fields, "bound": bad}, CLOSE.witness),)
        ),
        Certificate(
            {"keys": KEYS},
            (Claim(CEILING.kind, {**CEILING.fields, "radius": bad}, CEILING.witness),),
        ),
    ):
        verification = verify(certificate)
        assert verification.holds is False
        assert {result.status for result in verification.claims} == {"undecided"}


@pytest.mark.parametrize("bad", ["text", [], {}, [[]], object(), {"A": {}}, [[[1.0]]], 1 + 2j])
def test_a_part_that_is_something_else_never_raises_and_never_holds(bad: Any) -> None:
    claims = [bad]
    for claim in (CEILING, CLOSE):
        part = next(iter(claim.witness))
        claims += [Claim(claim.kind, claim.fields, witness) for witness in (bad, {part: bad})]
        claims += [Claim(claim.kind, bad, claim.witness)]
        claims += [
            Claim(claim.kind, {**claim.fields, name: bad}, claim.witness) for name in claim.fields
        ]
    for changed in claims:
        assert verify(Certificate({"keys": KEYS}, (changed,))).holds is False
    assert verify(Certificate(bad, (CEILING,)), keys=KEYS).holds is False
    assert verify(Certificate({"keys": bad}, (CEILING,))).holds is False
    assert verify(Certificate({"keys": KEYS}, bad)).holds is False


def test_the_precision_of_flint_is_left_as_it_was() -> None:
    before = flint.ctx.prec
    verify(GOOD)
    verify(Certificate({"keys": KEYS}, (Claim(CLOSE.kind, CLOSE.fields, {"query": [0.1]}),)))
    assert flint.ctx.prec == before


def test_a_verification_prints_as_a_short_table() -> None:
    results = (
        ClaimResult("ceiling", "holds", "no query gives key 0 more than 0.5", "It is at most 0.4."),
        ClaimResult("arrays", "fails", "the certificate is about <keys>", "It is not."),
    )
    assert str(Verification(False, results)) == "\n".join(
        [
            "does not hold: 1 of 2 claims",
            "  holds      ceiling: no query gives key 0 more than 0.5",
            "             It is at most 0.4.",
            "  fails      arrays: the certificate is about <keys>",
            "             It is not.",
        ]
    )
    html = Verification(False, results)._repr_html_()
    assert "about &lt;keys&gt;" in html
    assert html.count("<tr>") == 3


def test_a_statement_is_never_stronger_than_its_claim() -> None:
    claim = Claim("ceiling", {"key": 2, "bound": 0.26670512381, "radius": 5e7}, {})
    data = Certificate({}, (claim,)).to_dict()
    expected = "no query of length up to 5e7 gives key 2 more than 0.266706"
    assert data["claims"][0]["statement"] == expected


def test_importing_regard_does_not_import_flint() -> None:
    code = "import sys, regard; sys.exit('flint' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
