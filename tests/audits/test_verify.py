"""verify takes numbers as they are, laws that are laws, one object per word, and rounds safely."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import regard
from regard.certify import Certificate, Claim, verify
from regard.certify.certificate import down, exactly, up
from regard.certify.floats import floats_of

ODD = 2**53 + 1  # between two floats
EYE = np.eye(3)


def damaged(certificate: Any, change: Any) -> Any:
    data = copy.deepcopy(json.loads(json.dumps(certificate.to_dict())))
    change(data)
    return verify(data)


# Numbers as they are ------------------------------------------------------------------------------


def copied(scale: Any, bound: float) -> Certificate:
    """Two keys 1 and 0, and a query of 2^-53, at a scale: weights of σ(scale · 2^-53)."""
    fields = {"target": {"indices": [0], "weights": [1.0]}, "bound": bound}
    claim = Claim("weights_close", fields, {"query": np.array([2.0**-53])})
    return Certificate({"keys": np.array([[1.0], [0.0]])}, (claim,), scale)


def test_a_whole_scale_between_two_floats_is_not_rounded() -> None:
    with mp.workdps(60):
        exact, rounded = (float(1 / (1 + mp.exp(mpf(s) / 2**53))) for s in (ODD, 2**53))
        # A bound that separates the two: what is left at ODD is less than at 2**53.
        left = 1 / (1 + mp.exp(mpf(ODD) / 2**53)), 1 / (1 + mp.exp(mpf(2**53) / 2**53))
    assert left[0] < left[1]
    assert exact <= rounded
    data = copied(1.0, 0.3).to_dict()
    data["scale"] = ODD
    assert Certificate.from_dict(data).scale == ODD
    assert Certificate.from_dict(Certificate.from_dict(data).to_dict()).scale == ODD
    # With keys in the order 0, 1 the same claim about scores of exactly 1 at 2**53 holds there only.
    fields = {"pairs": [[0, 1]], "means": ["1"], "variances": ["0"], "error": 0.0}
    law = {"means": [[1.0], [0.0]], "covariances": [[[0.0]], [[0.0]]]}
    claim = {"kind": "score_differences", **fields, "witness": {"query": [2.0**-53]}}
    for scale, holds in ((2**53, True), (ODD, False)):
        assert verify({"arrays": law, "claims": [claim], "scale": scale}).holds is holds


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (np.array([[2**53, 0], [0, 1]]), True),
        (np.array([[ODD, 0], [0, 1]]), False),
        (np.array([[ODD, 0], [0, 1]], dtype=np.uint64), False),
        (np.array([[2**53, 0], [0, 1]], dtype=np.longdouble), True),
        (
            np.array([[2**53, 0], [0, 1]], dtype=np.longdouble) + np.eye(2, dtype=np.longdouble),
            False,
        ),
        ([[ODD, 0], [0, 1]], False),
        ([[ODD, 0.0], [0.0, 1.0]], False),
        ([[np.int64(ODD), 0.0], [0.0, 1.0]], False),
        ([[Fraction(2**53), 0], [0, 1]], True),
        ([[Fraction(2**53) + Fraction(1, 3), 0], [0, 1]], False),
        ([[Decimal(2**53), 0], [0, 1]], True),
        ([[2**200, 0], [0, 1]], False),
        ([[2**53, None], [0, 1]], False),
        ([[2**53, "0"], [0, 1]], False),
        ([[2**53, 0j], [0, 1]], False),
        (np.array([[2**53, 0], [0, 1]], dtype=np.float32), True),
    ],
)
def test_arrays_are_compared_as_they_are_given(given: Any, same: bool) -> None:
    keys = np.array([[2.0**53, 0.0], [0.0, 1.0]])
    certificate = regard.design.query(keys, 1).certificate
    assert verify(certificate, keys=keys).holds
    assert verify(certificate, keys=given).holds is same


@pytest.mark.parametrize(
    "array",
    [
        np.array([[ODD, 0], [0, 1]]),
        np.array([[2**53, 0], [0, 1]], dtype=np.longdouble) + np.longdouble(1),
        [[np.int64(ODD), 0.5], [0.0, 1.0]],
        [np.array([ODD, 0]), np.array([0.5, 1.0])],
        [[ODD, 0.5], [0.0, 1.0]],
    ],
)
def test_an_array_that_no_float64_is_equal_to_is_not_read(array: Any) -> None:
    claims = regard.design.query(np.array([[2.0**53, 0.0], [0.0, 1.0]]), 1).certificate.claims
    results = verify(Certificate({"keys": array}, claims)).claims
    assert {result.status for result in results} == {"undecided"}


def test_random_numbers_of_every_dtype_are_read_exactly_or_not_at_all() -> None:
    rng = np.random.default_rng(4)
    for dtype in (np.int64, np.uint64, np.int32, np.float16, np.float32, np.longdouble):
        for _ in range(50):
            bits = int(rng.integers(1, 63 if dtype in (np.int64, np.uint64) else 15))
            value = np.array([int(rng.integers(2**bits))], dtype=dtype)
            if dtype is np.longdouble:
                value = value + np.longdouble(rng.random()) * np.longdouble(2.0) ** -40
            exact = Fraction(int(value[0])) if value.dtype.kind in "iu" else _fraction(value[0])
            try:
                read = floats_of(value, "it")
            except Exception as problem:
                assert "no float64 is equal" in str(problem)  # noqa: PT017
                assert Fraction(float(value[0])) != exact
            else:
                assert Fraction(float(read[0])) == exact


def _fraction(value: Any) -> Fraction:
    return Fraction(*(int(part) for part in value.as_integer_ratio()))


# Covariances --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["failure_at_most", "mean_gap", "score_variance", "mean_weights"])
@pytest.mark.parametrize("lacks", [1.0, 1e-3, 1e-5])
def test_a_matrix_with_an_eigenvalue_below_0_is_no_covariance(kind: str, lacks: float) -> None:
    """With Σ = diag(1, −lacks) a query (√lacks, 1) would have no noise at all."""
    fields = {
        "failure_at_most": {"chosen": [0], "bound": 0.0},
        "mean_gap": {"chosen": [0], "deviations": 1.0, "bound": 0.1},
        "score_variance": {"pairs": [[0, 1]], "weights": None, "bound": 1e-9},
        "mean_weights": {"target": {"indices": [0, 1], "weights": [0.5, 0.5]}, "bound": 9.0},
    }[kind]
    arrays = {
        "means": np.array([[0.0, 1.0], [0.0, 0.0]]),
        "covariances": np.stack([np.diag([1.0, -lacks]), np.zeros((2, 2))]),
    }
    claim = Claim(kind, fields, {"query": [lacks**0.5, 1.0]})
    (result,) = verify(Certificate(arrays, (claim,))).claims
    assert result.status == "undecided"
    assert "positive semidefinite" in result.reason
    arrays["covariances"] = np.stack([np.diag([1.0, lacks]), np.zeros((2, 2))])
    (result,) = verify(Certificate(arrays, (claim,))).claims
    assert (result.status == "holds") == (
        kind == "mean_weights" or (kind == "mean_gap" and lacks < 0.1)
    )


def test_what_rounding_took_from_a_covariance_is_added_before_anything_is_claimed() -> None:
    """[[1, 1], [1, 1 − 2^-53]] lacks about 2^-55; a long query would make noise of −4 of it."""
    noise = np.array([[1.0, 1.0], [1.0, 1 - 2.0**-53]])
    query = np.array([-1.0, 1.0]) * 2.0**27
    arrays = {"means": np.array([query, [0.0, 0.0]]) / 2.0**54, "covariances": [noise, 0 * noise]}
    arrays = {name: np.array(array) for name, array in arrays.items()}
    with mp.workdps(40):
        below = float(query @ noise @ query)
        least = float(mp.eigsy(mp.matrix(noise.tolist()), eigvals_only=True)[0])
    assert below < 0
    assert least < 0
    # The shortfall is found up to the rounding of eigenvalues, a few units of the last place.
    for bound, holds in ((0.0, False), (20 * -least * float(query @ query), True)):
        fields = {"pairs": [[0, 1]], "weights": None, "bound": bound}
        claim = Claim("score_variance", fields, {"query": query})
        assert verify(Certificate(arrays, (claim,))).holds is holds


def test_random_covariances_are_judged_as_their_exact_eigenvalues_are() -> None:
    rng = np.random.default_rng(6)
    for _ in range(60):
        d = int(rng.integers(1, 7))
        factor = rng.integers(-3, 4, (d, int(rng.integers(1, d + 1)))).astype(float)
        noise = factor @ factor.T  # whole numbers: exactly singular, or not
        low = float(rng.choice([0.0, 0.0, 0.5, -0.5]))
        noise = noise + low * np.eye(d)
        with mp.workdps(50):
            true = mp.eigsy(mp.matrix(noise.tolist()), eigvals_only=True)[0] > mpf(10) ** -40 * -1
        arrays = {"means": np.zeros((2, d)), "covariances": np.stack([noise, noise])}
        fields = {"chosen": [0], "deviations": 0.0, "bound": -1.0}
        claim = Claim("mean_gap", fields, {"query": np.ones(d)})
        assert verify(Certificate(arrays, (claim,))).holds is bool(true)


def test_robust_designs_with_singular_noise_still_hold() -> None:
    rng = np.random.default_rng(7)
    for _ in range(6):
        factors = rng.standard_normal((4, 3, 1))
        noise = factors @ factors.swapaxes(1, 2)  # of rank one, up to rounding
        design = regard.design.robust(rng.standard_normal((4, 3)), noise, 1, gap=3.0)
        assert verify(design.certificate, covariances=noise).holds


# One object per word ------------------------------------------------------------------------------


def test_a_separator_with_another_matrix_of_norm_0_does_not_hold() -> None:
    design = regard.design.separator([[1.0, 0.6], [0.0, 0.8], [0, 0]], [[0.0], [0.0], [1.0]])

    def forge(data: Any) -> None:
        claim = next(c for c in data["claims"] if c["kind"] == "norm_at_most")
        claim["witness"]["M"], claim["bound"] = np.zeros((3, 3)).tolist(), 0.0

    assert verify(design.certificate, M=design.M).holds
    result = damaged(design.certificate, forge)
    assert not result.holds
    assert result.claims[-1].reason == "Claim 1 has another M than an earlier claim."
    assert not verify(design.certificate, M=2 * design.M).holds


def forged(data: Any) -> None:
    """Change the query, matrix or head of the last claim that has one, by a little."""
    names = ("query", "M", "A", "W_Q")
    claim = [c for c in data["claims"] if set(names) & set(c["witness"])][-1]
    name = next(name for name in names if name in claim["witness"])
    entry = claim["witness"][name]
    while isinstance(entry[0], list):
        entry = entry[0]
    at = next((i for i, value in enumerate(entry) if value), 0)
    entry[at] = float(np.nextafter(entry[at], np.inf))


@pytest.mark.parametrize(
    "design",
    [
        lambda: regard.design.query(EYE, 0),
        lambda: regard.design.query(EYE, {0: 0.5, 1: 0.5}, values=EYE),
        lambda: regard.design.separator([[1.0], [0.0]], [[1.0], [1.0]]),
        lambda: regard.design.self_attention(EYE, attend={0: 1, 1: 2}, outputs={2: [1.0, 0, 0]}),
        lambda: regard.design.robust(EYE, np.stack([0.1 * EYE] * 3), {0: 0.5, 1: 0.5}, gap=2.0),
        lambda: regard.design.offset(2, 6, n=7),
    ],
)
def test_claims_that_hold_different_objects_do_not_hold_together(design: Any) -> None:
    certificate = design().certificate
    assert verify(certificate).holds
    result = damaged(certificate, forged)
    assert not result.holds
    assert any(claim.kind == "arrays" for claim in result.claims)


def test_several_queries_are_arrays_of_the_certificate_and_sentences_name_them() -> None:
    noise = np.stack([0.01 * EYE] * 3)
    design = regard.design.robust(EYE, noise, {0: 0.5, 1: 0.5}, heads=2, gap=2.0)
    assert len(design.queries) == 2
    np.testing.assert_array_equal(design.certificate.arrays["query_2"], design.queries[1])
    result = verify(design.certificate, query=design.queries[0], query_2=design.queries[1])
    assert result.holds
    named = [c.statement.startswith("of query_2: ") for c in result.claims]
    assert any(named)
    assert not all(named)

    def unnamed(data: Any) -> None:
        for claim in data["claims"]:
            claim.pop("object", None)

    assert not damaged(design.certificate, unnamed).holds
    assert not damaged(design.certificate, lambda data: data["arrays"].pop("query_2")).holds


# Sentences ----------------------------------------------------------------------------------------


def said(kind: str, fields: dict[str, Any], witness: Any = None) -> str:
    return Certificate({}, (Claim(kind, fields, witness or {}),)).to_dict()["claims"][0][
        "statement"
    ]


def test_what_a_claim_supposes_is_not_rounded() -> None:
    gap, bound = 6.000009, 36.0001
    fields = {
        "target": {"indices": [0, 1], "weights": [0.7, 0.3]},
        "gap": gap,
        "pairs": [[0, 1]],
        "weights": None,
        "radius": None,
        "bound": bound,
    }
    assert said("variance_at_least", fields) == (
        "every query that gives keys 0, 1 mean scores that differ as the logarithms of the weights "
        "0.7, 0.3 and lifts them above every other key by a mean gap of at least 6.000009 has a "
        "variance of the score difference of keys 0, 1 of at least 36.0001"
    )
    fields = {"target": {"indices": [0, 1], "weights": [1 / 3, 2 / 3]}, "bound": 1e-12}
    assert "0.3333333333333333, 0.6666666666666666" in said("weights_close", fields)
    fields = {"chosen": [0], "deviations": 1.6448536269514722, "bound": 1.0}
    assert "less 1.6448536269514722 standard deviations" in said("mean_gap", fields)
    band = {"T": 0, "B": 3, "n": 9, "transition": 0.1234567890123, "base": 10000.0}
    gap_said = said("band_gap", {**band, "ripple": 0.0123456789, "bound": 0.5})
    assert "within 0.0123456789 of each other" in gap_said
    assert "0.1234567890123 more" in gap_said


def test_the_rival_of_a_shift_is_as_near_as_the_sentence_says() -> None:
    fields = {"T": 2, "n": 7, "rival": 3, "bound": 0.12345678, "within": 1e-9, "base": 10000.0}
    assert said("strongest_rival", fields) == (
        "shift 2 scores at least 0.123456 more than every other less than 7 away, and at most "
        "0.123457 more than shift 3"
    )


def test_printed_bounds_are_on_the_safe_side_and_other_numbers_are_themselves() -> None:
    rng = np.random.default_rng(8)
    for _ in range(500):
        x = float(rng.standard_normal() * 10.0 ** rng.uniform(-300, 300))
        assert Fraction(down(x)) <= Fraction(x) <= Fraction(up(x))
        assert float(exactly(x)) == x
