"""Refusals of heads with outputs, of queries for random keys, and of whatever is proved wrongly.

Keys and tokens depend on each other up to rounding only, as products of normal numbers: what floats
take for equal, for one line or for one plane is none in rationals.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import regard
from regard.certify import verify
from regard.design import reasons
from regard.design.linear_scores import exclusion_claims

Rng = np.random.Generator


def _outputs(rng: Rng) -> Any:
    n, rank = int(rng.integers(3, 5)), int(rng.integers(1, 3))
    d = rank + int(rng.integers(0, 2))
    rounded = rng.random() < 0.7
    tokens = (
        rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
        if rounded
        else rng.integers(-2, 3, (n, d)).astype(float)
    )
    rows = rng.choice(n, int(rng.integers(1, n + 1)), replace=False)
    outputs = {int(row): rng.integers(-2, 3, 2).astype(float) for row in rows}
    options: dict[str, Any] = {"outputs": outputs, "tolerance": float(10 ** rng.uniform(-4, -0.5))}
    if rng.random() < 0.4:
        options["W_V"] = rng.standard_normal((d, 2))
    return lambda: regard.design.self_attention(tokens, **options)


def _random_keys(rng: Rng) -> Any:
    n, d = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    means = rng.standard_normal((n, 1)) @ rng.standard_normal((1, d))
    factors = rng.standard_normal((n, d, d)) * 10 ** rng.uniform(-3, 0.5)
    noise = np.einsum("nij,nkj->nik", factors, factors)
    count = int(rng.integers(1, n))
    chosen = rng.choice(n, count, replace=False)
    target = dict(zip(chosen.tolist(), rng.dirichlet(np.ones(count)).tolist(), strict=True))
    heads = int(rng.integers(1, min(count, 2) + 1))
    gap = float(10 ** rng.uniform(-1, 1))
    return lambda: regard.design.robust(means, noise, target, heads=heads, gap=gap)


def _audit(draw: Callable[[Rng], Any], seeds: range) -> int:
    """How many are refused, after all certificates were verified."""
    refused = 0
    for seed in seeds:
        found: list[Any] = []
        try:
            found = [draw(np.random.default_rng([11, seed]))()]
        except (regard.InfeasibleDesign, regard.UndecidedDesign) as refusal:
            found = [refusal, refusal.best]
            refused += isinstance(refusal, regard.InfeasibleDesign)
        for one in found:
            result = verify(one.certificate) if one.certificate is not None else None
            assert result is None or result.holds, f"{seed}: {one}\n{result}"
    return refused


DRAWN = {"outputs": _outputs, "random keys": _random_keys}


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("count", [4, pytest.param(600, marks=pytest.mark.slow)])
def test_what_is_refused_is_refused_with_a_proof_that_holds(kind: str, count: int) -> None:
    assert _audit(DRAWN[kind], range(count)) >= count // 4


def _line() -> Any:
    """Tokens on a line up to rounding, whose outputs would have to turn back."""
    rng = np.random.default_rng(4)
    tokens = rng.standard_normal((4, 1)) @ rng.standard_normal((1, 2))
    order = np.argsort(tokens @ tokens[0])
    outputs = {int(row): [float(at % 2), 0.0] for at, row in enumerate(order)}
    return regard.design.self_attention(tokens, outputs=outputs)


def test_tokens_that_are_on_a_line_up_to_rounding_forbid_nothing() -> None:
    """In rationals they have rank 2, so that a large enough A may put out what it likes."""
    with pytest.raises(regard.UndecidedDesign, match="nor a proof"):
        _line()


EYE = np.eye(3)
REFUSED: dict[str, Callable[[], Any]] = {
    "query": lambda: regard.design.query([[-1.0], [0.0], [1.0]], {0: 0.5, 2: 0.5}),
    "moving keys": lambda: regard.design.query(EYE, 0, radius=1.0),
    "robust": lambda: regard.design.robust([[-1.0], [0.0], [1.0]], np.ones((3, 1, 1)), 1, gap=1.0),
    "outputs": lambda: regard.design.self_attention(
        [[1.0], [1.0], [0.0]], outputs={0: [0.0], 1: [3.0]}
    ),
    "attend": lambda: regard.design.self_attention(
        [[-1.0], [0.0], [1.0]], attend={0: {0: 0.5, 2: 0.5}}
    ),
    "d_k": lambda: regard.design.self_attention(EYE, attend={0: 1, 1: 2, 2: 0}, d_k=1),
    "separator": lambda: regard.design.separator([[1.0], [0.0]], [[2.0], [0.0]]),
    "band": lambda: regard.design.band(-2, 8, 2, n=20, method="optimal"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_without_a_proof_that_verifies_nothing_is_impossible(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(regard.InfeasibleDesign):
        REFUSED[name]()
    for module in (reasons, exclusion_claims):
        monkeypatch.setattr(module, "verify", lambda certificate: SimpleNamespace(holds=False))
    with pytest.raises(regard.UndecidedDesign) as caught:
        REFUSED[name]()
    assert "The certificate" not in str(caught.value)
