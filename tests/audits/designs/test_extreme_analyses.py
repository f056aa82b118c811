"""Analyses of numbers of extreme size: a finite result, or a message that names the number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import regard
from audits.designs.extreme_inputs import SIZES, Rng, table
from regard import analysis

EYE = np.eye(2)
NOISE = np.broadcast_to(EYE, (2, 2, 2))


def _noise(rng: Rng, n: int, d: int) -> Any:
    factors = table(rng, n, d, d)
    with np.errstate(all="ignore"):
        found = np.einsum("nij,nkj->nik", factors, factors)
    if np.isfinite(found).all():
        return (found + np.swapaxes(found, 1, 2)) / 2
    return np.broadcast_to(np.eye(d) * rng.choice(SIZES), (n, d, d))


def key_noise(rng: Rng) -> Any:
    n, d = int(rng.integers(2, 4)), int(rng.integers(1, 3))
    law = analysis.key_noise(
        table(rng, 1, d), table(rng, n, d), _noise(rng, n, d), table(rng, n, 2)
    )
    law.sample(2, rng)
    return law.mean, law.covariance, law.quantile(0.3, [1.0, 0.0]), law.probability([1.0, 0.0], 0.0)


def limit(rng: Rng) -> Any:
    n, d = int(rng.integers(2, 4)), int(rng.integers(1, 3))
    law = analysis.key_noise(
        table(rng, 2, d), table(rng, n, d), np.zeros((n, d, d)), table(rng, n, 2), method="limit"
    )
    return law.mean, law.covariance


def positional(rng: Rng) -> Any:
    d = int(2 * rng.integers(1, 5))
    A = table(rng, d, d) if rng.random() < 0.5 else np.eye(d) * rng.choice(SIZES)
    found = analysis.positional_kernel(A)
    return str(found) and found.toeplitz_share


def sensitivity(rng: Rng) -> Any:
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return analysis.sensitivity(table(rng, d), table(rng, n, d), table(rng, n, 2)).norm_bound


def worst_case(rng: Rng) -> Any:
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    size = float(rng.choice(SIZES))
    found = analysis.worst_case(table(rng, d), table(rng, n, d), table(rng, n), radius=size)
    return found.lower, found.upper


DRAWN: tuple[Callable[[Rng], Any], ...] = (key_noise, limit, positional, sensitivity, worst_case)


@pytest.mark.parametrize("call", DRAWN, ids=lambda call: call.__name__)
@pytest.mark.parametrize("count", [16, pytest.param(300, marks=pytest.mark.slow)])
def test_results_are_finite_or_the_number_is_named(call: Callable[[Rng], Any], count: int) -> None:
    finite = 0
    for seed in range(count):
        try:
            found = call(np.random.default_rng([33, seed]))
        except regard.RegardError:
            continue
        parts = found if isinstance(found, tuple) else (found,)
        assert all(np.isfinite(part).all() for part in parts), seed
        finite += 1
    assert finite >= count // 4


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: analysis.key_noise([1.0, 0.0], EYE, NOISE, 1e200 * EYE), "values"),
        (lambda: analysis.stability({"q": [1.0, 0]}, EYE, NOISE, 1e200 * EYE, 0), "values"),
        (lambda: analysis.positional_kernel(1e-310 * np.eye(8)), "A"),
        (lambda: analysis.positional_kernel(1.7e308 * np.ones((4, 4))), "A"),
        (lambda: analysis.sensitivity([0.0, 1], 1e308 * EYE, 1e10 * EYE, scale=1e-308), "keys"),
    ],
)
def test_an_extreme_number_is_named(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(regard.ParameterError, match=f": {name} must not be that (large|small)"):
        call()


@pytest.mark.parametrize("size", [1e-200, 1e-40, 1e40, 1e150])
def test_values_of_any_size_have_their_law(size: float) -> None:
    """The output is linear in the values."""
    law = analysis.key_noise([1.0, 0.0], EYE, NOISE, [[1.0], [3.0]])
    scaled = analysis.key_noise([1.0, 0.0], EYE, NOISE, [[size], [3 * size]])
    np.testing.assert_allclose(scaled.mean, size * law.mean, rtol=1e-14)
    deviation = float(np.sqrt(law.covariance[0, 0]))
    if size > 1e-150:  # else the variance is below all floats
        np.testing.assert_allclose(np.sqrt(scaled.covariance), size * deviation, rtol=1e-14)
