"""What is proved of the root mean square over random keys, against exact integrals and samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audits.designs.laplace import exact_rms
from regard.certify import Certificate, verify
from regard.certify.claims.random_keys import output_rms
from regard.solving.random_keys import RandomKeys, rms_bound


def _drawn(rng: np.random.Generator, heads: int) -> dict[str, Any]:
    """Keys, values, queries and a target of any shape, with noise up to order one."""
    n, d, width = (int(rng.integers(low, high)) for low, high in ((2, 7), (1, 6), (1, 4)))
    root = rng.standard_normal((n, d, d)) * 10 ** rng.uniform(-2.5, 0, (n, 1, 1))
    target = rng.dirichlet(np.full(n, 0.5))
    return {
        "means": rng.standard_normal((n, d)),
        "covariances": np.round(root @ root.swapaxes(1, 2) * 2**20) / 2**20 + np.eye(d) * 2**-18,
        "values": rng.standard_normal((n, width)),
        "queries": rng.standard_normal((heads, d)) * 10 ** rng.uniform(-1, 0.8),
        "shares": rng.integers(1, 4, heads),
        "target": target,
        "scale": float(rng.choice([1.0, 0.5, -1.0])),
    }


def _proved(case: dict[str, Any], bound: float) -> str:
    total = int(case["shares"].sum())
    claim = output_rms.claim(
        {"indices": list(range(len(case["target"]))), "weights": case["target"].tolist()},
        bound,
        queries=case["queries"],
        head_weights=[f"{k}/{total}" for k in case["shares"].tolist()],
    )
    arrays = {name: case[name] for name in ("means", "covariances", "values")}
    return verify(Certificate(arrays, (claim,), case["scale"])).claims[0].status


def _bound(case: dict[str, Any]) -> float:
    keys = RandomKeys(case["means"], case["covariances"], case["values"], case["scale"])
    target = dict(enumerate(case["target"].tolist()))
    return rms_bound(keys, case["queries"], target, case["shares"] / case["shares"].sum()).value


def _simulated(case: dict[str, Any], rng: np.random.Generator, size: int) -> tuple[float, float]:
    """The mean square error and its standard error, from drawn keys."""
    n, d = case["means"].shape
    roots = np.linalg.cholesky(case["covariances"])
    drawn = case["means"] + np.einsum("nab,pnb->pna", roots, rng.standard_normal((size, n, d)))
    scores = case["scale"] * np.einsum("hd,pnd->phn", case["queries"], drawn)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    mixed = np.einsum("h,phn->pn", case["shares"] / case["shares"].sum(), weights)
    squares = np.sum(((mixed - case["target"]) @ case["values"]) ** 2, axis=1)
    return float(squares.mean()), float(squares.std() / np.sqrt(size))


def _one_head(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = _drawn(rng, 1)
    q = case["scale"] * case["queries"][0]
    loudest = float(np.max(np.einsum("a,nab,b->n", q, case["covariances"], q)))
    case["queries"] *= min(1.0, np.sqrt(40 / loudest))  # beyond that the integrals overflow
    q = case["scale"] * case["queries"][0]
    spread = np.einsum("a,nab,b->n", q, case["covariances"], q)
    exact = exact_rms(case["means"] @ q, spread, case["values"], case["target"] @ case["values"])
    bound = _bound(case)
    assert bound >= exact * (1 - 1e-7)
    assert _proved(case, bound * (1 + 1e-6) + 1e-300) == "holds"
    assert _proved(case, exact * (1 - 1e-6)) != "holds"
    assert _proved(case, exact * (1 + 1e-6)) != "fails"


def _several_heads(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    case = _drawn(rng, int(rng.integers(2, 4)))
    square, error = _simulated(case, rng, size)
    bound = _bound(case)
    assert bound**2 >= square - 5 * error
    assert _proved(case, bound * (1 + 1e-6)) == "holds"
    low, high = np.sqrt(max(square - 5 * error, 0.0)), np.sqrt(square + 5 * error)
    assert _proved(case, low * 0.999) != "holds"
    assert _proved(case, high) != "fails"


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_of_one_head_is_above_the_exact_error(seed: int) -> None:
    _one_head(seed)


@pytest.mark.parametrize("seed", range(100, 110))
def test_the_bound_of_several_heads_is_above_the_simulated_error(seed: int) -> None:
    _several_heads(seed, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_bounds_are_above_the_errors(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        _one_head(seed)
        _several_heads(seed + 10_000, 40_000)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_sharp_to_first_order_in_the_noise(seed: int) -> None:
    """As the noise goes to 0, V goes to 0 like the variance itself and R faster."""
    rng = np.random.default_rng(seed)
    case = _drawn(rng, 1)
    case["covariances"] = case["covariances"] * 1e-8
    q = case["scale"] * case["queries"][0]
    s = case["means"] @ q
    alpha = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
    case["target"] = alpha  # so that there is no error but the noise
    e = np.einsum("a,nab,b->n", q, case["covariances"], q)
    away = case["values"] - alpha @ case["values"]
    by_hand = float(np.sqrt(np.sum(alpha**2 * e * np.sum(away**2, axis=1))))  # the delta method
    pairs = np.linalg.norm(case["values"][:, None] - case["values"][None], axis=-1)
    most = float(np.sqrt(np.sum(e * (alpha * (pairs @ alpha)) ** 2)))  # with norms moved inside
    assert by_hand <= _bound(case) * (1 + 1e-3)
    np.testing.assert_allclose(_bound(case), most, rtol=1e-2)
