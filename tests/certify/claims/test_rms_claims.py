"""The root mean square error over random keys: what is proved, what is not, and damaged claims."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from flint import arb

from audits.designs.laplace import exact_rms
from certify.damage import damaged, data, result, status
from regard.certify import verify
from regard.certify.claims.random_keys import output_rms
from regard.certify.lemmas.rms_bounds import Distances, Scores, noise_parts, one_key_square

EVEN = {"indices": [0, 1], "weights": [0.5, 0.5]}


def isotropic(n: int, alpha: float) -> dict[str, Any]:
    noise = np.repeat(alpha * np.eye(n)[None], n, axis=0)
    return {"means": np.eye(n), "covariances": noise, "values": np.eye(n)}


def centred(n: int) -> Any:
    return np.eye(n)[0] + np.eye(n)[1] - 2 / n * np.ones(n)


def steered() -> dict[str, Any]:
    """One key that varies along its own mean, which the query looks away from."""
    arrays = isotropic(5, 1e-5)
    arrays["covariances"][0, 0, 0] += 0.5
    return arrays


GENERAL = {
    "means": np.array([[2.0, 0], [0, 2], [-1, -1]]),
    "covariances": np.array(
        [[[0.04, 0.01], [0.01, 0.02]], [[0.01, 0], [0, 0.09]], [[0.02, -0.01], [-0.01, 0.02]]]
    ),
    "values": np.array([[1.0, 0], [0, 1], [2, 2]]),
}
UNEVEN = np.array([5 + math.log(0.7), 5 + math.log(0.3), 0, 0, 0, 0])
# Arrays, queries, target, and the bound and exact error to 16 digits, computed with 60 digits.
CASES = {
    "an even pair": (
        isotropic(6, 1e-4), [4.7, 4.7, 0, 0, 0, 0], EVEN, 0.03695038963865207, 0.036085280014255594,
    ),
    "more noise": (
        isotropic(5, 1e-3), [3.4, 3.4, 0, 0, 0], EVEN, 0.08982515499257084, 0.08428698893780581,
    ),
    "twenty keys": (
        isotropic(20, 1e-6), [7.7, 7.7] + [0.0] * 18, EVEN, 0.006236740214466664,
        0.0062093263257385345,
    ),
    "a centred query": (
        isotropic(10, 1e-4), 5.1 * centred(10), EVEN, 0.03767215446702986, 0.03666216752832591,
    ),
    "uneven weights": (
        isotropic(6, 1e-4), UNEVEN, {"indices": [0, 1], "weights": [0.7, 0.3]},
        0.03532873141150901, 0.03448159616354039,
    ),
    "a query that looks away from noise": (
        steered(), [0.0, 0, -6, -6, -6], EVEN, 0.01680716081823693, 0.01670854083294865,
    ),
}  # fmt: skip


def rms(arrays: Any, queries: Any, target: Any, bound: float, **options: Any) -> str:
    found = output_rms.claim(target, bound, queries=np.atleast_2d(queries), **options)
    return status(found, arrays)


@pytest.mark.parametrize("name", CASES)
def test_the_bound_is_the_one_of_the_theory(name: str) -> None:
    arrays, query, target, bound, _ = CASES[name]
    assert rms(arrays, query, target, bound * (1 + 1e-12)) == "holds"
    assert rms(arrays, query, target, bound * (1 - 1e-12)) == "undecided"
    assert rms(arrays, query, target, bound * (1 + 1e-12), of="weights") == "holds"


@pytest.mark.parametrize("name", CASES)
def test_the_bound_is_above_the_exact_error(name: str) -> None:
    arrays, query, target, bound, exact = CASES[name]
    means = arrays["means"] @ query
    spread = np.einsum("a,nab,b->n", query, arrays["covariances"], query)
    p = np.zeros(len(means))
    p[target["indices"]] = target["weights"]
    np.testing.assert_allclose(exact_rms(means, spread, arrays["values"], p), exact, rtol=1e-9)
    assert exact < bound
    assert rms(arrays, query, target, exact * (1 - 1e-9)) != "holds"


def test_two_correlated_heads_with_values() -> None:
    queries, target = [[1.5, 0], [0, 1.25]], {"indices": [0, 1], "weights": [0.6, 0.4]}
    shares = {"head_weights": ["3/5", "2/5"]}
    # By pairs of keys; key by key the bound would be 0.06317.
    assert rms(GENERAL, queries, target, 0.05145402357722457 * (1 + 1e-12), **shares) == "holds"
    assert rms(GENERAL, queries, target, 0.05145402357722457 * (1 - 1e-12), **shares) != "holds"


def test_two_heads_with_a_key_each() -> None:
    queries = 7 * np.eye(5)[:2]
    assert rms(isotropic(5, 1e-3), queries, EVEN, 0.0029240758836893183 * (1 + 1e-12)) == "holds"
    assert rms(isotropic(5, 1e-3), queries, EVEN, 0.0027325234882544) != "holds"  # the exact one


def test_the_other_bound_for_noise_of_order_one() -> None:
    # E (1 - α_a)² is 0.0966120015; with u = 0.35 the bound is 0.10737082076028755.
    means = [arb(8)] + [arb(0)] * 4
    spread = [arb(64) * (arb("1e-4") + arb("0.5"))] + [arb("64e-4")] * 4
    inside, tail = one_key_square(means, spread, 0, arb("0.35"))
    np.testing.assert_allclose(float((inside + tail).mid()), 0.10737082076028755, rtol=1e-12)
    np.testing.assert_allclose(float(tail.mid()), 6.97695771959971e-05, rtol=1e-12)
    arrays = isotropic(5, 1e-4)
    arrays["covariances"][0, 0, 0] += 0.5
    exact = math.sqrt(2 * 0.09661200154707901)  # values are at most √2 apart
    query, one = 8 * np.eye(5)[0], {"indices": [0], "weights": [1.0]}
    assert rms(arrays, query, one, exact * 1.1) == "holds"
    # Of all u > 0 the verifier takes one that is as good as 0.35: values are √2 apart at most.
    assert rms(arrays, query, one, math.sqrt(2 * 0.10737082076028755)) == "holds"
    assert rms(arrays, query, one, exact * 0.7) != "holds"


def test_without_noise_the_error_is_the_error() -> None:
    arrays = isotropic(3, 0.0)
    weights = np.array([math.e, 1, 1]) / (math.e + 2)
    error = float(np.linalg.norm(weights - [1, 0, 0]))
    one = {"indices": [0], "weights": [1.0]}
    assert rms(arrays, [1.0, 0, 0], one, error * (1 + 1e-12)) == "holds"
    assert rms(arrays, [1.0, 0, 0], one, error * (1 - 1e-12)) == "fails"


def test_heads_that_see_one_noise_with_opposite_signs_add_up() -> None:
    # Key 1 varies; it pulls head 1 up from 1/2 where it pulls head 2 down from 3/2, and the
    # second sees it with the other sign: both move alike, by a quarter of the noise.
    arrays = {
        "means": np.array([[0.0, -40, 0], [0, 0, 0], [-40, 0, 0]]),
        "covariances": np.zeros((3, 3, 3)),
        "values": np.array([[0.0], [1], [2]]),
    }
    arrays["covariances"][1, 2, 2] = 0.01
    target = {"indices": [0, 1, 2], "weights": [0.25, 0.5, 0.25]}
    queries = [[1.0, 0, 1], [0, 1.0, -1]]
    z = 0.1 * np.random.default_rng(2).standard_normal(100_000)
    outputs = (1 / (1 + np.exp(-z)) + 2 - 1 / (1 + np.exp(z))) / 2
    np.testing.assert_allclose(np.sqrt(np.mean((outputs - 1) ** 2)), 0.025, rtol=0.02)
    assert rms(arrays, queries, target, 0.026) == "holds"
    assert rms(arrays, queries, target, 0.024) != "holds"


def test_what_bounds_products_of_weights_is_above_their_mean_square() -> None:
    """Of two keys α_0 α_1 = σ(z) σ(-z), z ~ N(m, e): its mean square, by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    rng = np.random.default_rng(6)
    for _ in range(200):
        m, e = float(rng.uniform(0, 8)), float(10 ** rng.uniform(-2, 1))
        share = 1 / (1 + np.exp(-(m + math.sqrt(e) * nodes)))
        square = float(weights @ (share * (1 - share)) ** 2 / weights.sum())
        scores = Scores([[arb(m), arb(0)]], [[[arb(e), arb(0)]]], [arb(1)])
        for pairs in (False, True):
            found = noise_parts(scores, Distances(None, 2, arb(1)), pairs=pairs)
            assert float(found.variance.mid()) >= e * square * (1 - 1e-9)


def test_values_that_are_known_by_their_diameter() -> None:
    arrays, query, target, bound, _ = CASES["an even pair"]
    # Unit vectors are √2 apart, and half the sum of the differences is at least their norm / √2.
    weights = np.exp(np.array(query)) / np.sum(np.exp(np.array(query)))
    half = float(np.sum(np.abs(weights - [0.5, 0.5, 0, 0, 0, 0]))) / math.sqrt(2)
    allowed = math.hypot(half + 0.0006570191364785793, math.sqrt(0.0011051848387493217))
    assert allowed > bound
    options = {"of": "diameter", "diameter": math.sqrt(2)}
    assert rms(arrays, query, target, allowed * (1 + 1e-9), **options) == "holds"
    assert rms(arrays, query, target, allowed * (1 - 1e-9), **options) != "holds"
    assert rms(arrays, query, target, allowed * 1.01, of="diameter", diameter=3.0) != "holds"
    thirds = {"indices": [0, 1, 2], "weights": [0.1, 0.2, 0.7]}  # which do not sum to 1 exactly
    assert rms(arrays, query, thirds, 10.0, **options) == "undecided"


@pytest.mark.parametrize(
    "covariance",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[-1e-300, 0.0], [0.0, 1.0]],
        [[0.0, 1e-9], [1e-9, 1.0]],
        [[1.0, 1 + 2**-52], [1 + 2**-52, 1.0]],
    ],
)
def test_what_is_no_covariance_proves_nothing(covariance: Any) -> None:
    noise = np.array([[[1.0, 1.0], [1.0, 1.0]], covariance])
    arrays = {"means": np.eye(2), "covariances": noise, "values": np.eye(2)}
    one = {"indices": [0], "weights": [1.0]}
    assert rms(arrays, [1e-9, 0], one, 100.0) == "undecided"
    arrays["covariances"] = np.stack([noise[0], noise[0]])
    assert rms(arrays, [1e-9, 0], one, 100.0) == "holds"


def test_the_scale_counts() -> None:
    arrays, query, target, bound, _ = CASES["an even pair"]
    found = output_rms.claim(target, bound * (1 + 1e-12), queries=[np.array(query) * 4])
    assert result(found, arrays, scale=0.25).status == "holds"
    assert result(found, arrays, scale=0.26).status != "holds"


def test_a_thousand_keys_cost_little() -> None:
    n = 1000
    noise = np.zeros((n, 2, 2))
    noise[:, 0, 0] = 1e-4
    means = np.zeros((n, 2))
    means[0] = [1.0, 0]
    arrays = {"means": means, "covariances": noise, "values": np.arange(2.0 * n).reshape(n, 2)}
    one = {"indices": [0], "weights": [1.0]}
    assert rms(arrays, [30.0, 0], one, 1.0) == "holds"
    assert rms(arrays, [30.0, 0], one, 1e-12) != "holds"


def simulated(certificate: dict[str, Any]) -> float | None:
    """√E ‖c − c*‖² of a certificate's data by drawing keys; None where it cannot be read."""
    try:
        arrays = {k: np.array(v, float) for k, v in certificate["arrays"].items()}
        claim, scale = certificate["claims"][0], float(certificate.get("scale", 1.0))
        queries = np.array(claim["witness"]["queries"], float)
        heads = claim["witness"].get("head_weights")
        shares = (
            np.full(len(queries), 1 / len(queries)) if heads is None else np.array(heads, float)
        )
        p = np.zeros(len(arrays["means"]))
        p[claim["target"]["indices"]] = claim["target"]["weights"]
        rng = np.random.default_rng(3)
        drawn = [
            rng.multivariate_normal(m, s, 2000, check_valid="raise")
            for m, s in zip(arrays["means"], arrays["covariances"], strict=True)
        ]
        scores = scale * np.einsum("hd,npd->phn", queries, np.array(drawn))
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = np.einsum("h,phn->pn", shares, powers / powers.sum(axis=-1, keepdims=True))
        missed = (weights - p) @ arrays["values"]
        return float(np.sqrt(np.mean(np.sum(missed**2, axis=1))))
    except Exception:  # damaged data may be anything
        return None


@pytest.mark.parametrize("name", ["an even pair", "a query that looks away from noise"])
def test_damage_makes_no_false_claim_hold(name: str) -> None:
    arrays, query, target, bound, _ = CASES[name]
    found = output_rms.claim(target, bound * 1.001, queries=[np.array(query, float)])
    certificate = data(found, arrays)
    assert verify(certificate).holds
    held = 0
    for path, changed in damaged(certificate, most=120):
        try:
            verification = verify(json.loads(json.dumps(changed)))
        except ValueError:
            continue
        if not verification.holds:
            continue
        held += 1
        error = simulated(changed)
        assert error is not None, path
        stated = float(changed["claims"][0]["bound"])
        assert error <= stated * 1.05, path
    assert held > 0
