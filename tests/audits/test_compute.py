"""Attention at the ends of the range against 60 digits, and limits against exact rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import regard
from regard.analysis import key_noise
from regard.core import reference
from regard.core.kernels import native

KERNELS = ["numpy", *(["native"] if native.instruction_sets() else [])]
RANGE = {np.float32: 38.0, np.float64: 308.0}  # powers of ten that the dtype can hold
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray, float]


def drawn(rng: np.random.Generator, dtype: Any) -> Drawn:
    """Return a problem whose entries and scale have any size, and whose scores are ordinary."""
    most = RANGE[dtype]
    while True:
        n_q, n_k, d = (int(rng.choice(sizes)) for sizes in ([1, 2, 9, 33], [1, 5, 40, 200], [1, 3]))
        a, b = rng.uniform(-most, most, 2)
        if rng.random() < 0.5:  # q·k alone is beyond the dtype, or the scale is
            product = rng.uniform(most, most + 6)
            a = rng.uniform(product - most, most)
            a, b = (a, product - a) if rng.random() < 0.7 else (-a, a - product)
        wanted = rng.uniform(-3, 1.2)  # the power of ten of the scores
        c = wanted - a - b
        if not -most - 7 < c < most:
            continue
        query = (rng.uniform(-1, 1, (n_q, d)) * 10.0**a).astype(dtype)
        key = (rng.uniform(-1, 1, (n_k, d)) * 10.0**b).astype(dtype)
        if rng.random() < 0.3:  # rows of very different sizes
            key *= (10.0 ** -rng.uniform(0, 9, (n_k, 1))).astype(dtype)
        value = rng.standard_normal((n_k, 2)).astype(dtype)
        if rng.random() < 0.2:
            value *= dtype(np.finfo(dtype).max / 8)
        return query, key, value, float(10.0**c)


def exact(query: Any, key: Any, value: Any, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return output and lse by the definition, with 60 digits."""
    with mpmath.workdps(60):
        outputs, logs = [], []
        for q in query.tolist():
            powers = [mpmath.exp(scale * mpmath.fdot(q, k)) for k in key.tolist()]
            total = mpmath.fsum(powers)
            outputs.append([float(mpmath.fdot(powers, c) / total) for c in value.T.tolist()])
            logs.append(float(mpmath.log(total)))
        return np.array(outputs), np.array(logs)


def compare(seed: int, kernel: str) -> None:
    rng = np.random.default_rng(seed)
    dtype = (np.float32, np.float64)[seed % 2]
    query, key, value, scale = drawn(rng, dtype)
    output, lse = exact(query, key, value, scale)
    size = float(np.max(np.abs(value.astype(np.float64))))
    # Scores up to 16, rounded once each way: 16 units, twice over, and the sum of a few hundred.
    tolerance = 400 * float(np.finfo(dtype).eps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", kernel)
        got, got_lse = regard.attention_with_lse(query, key, value, scale=scale)
    np.testing.assert_allclose(got / size, output / size, atol=tolerance)
    np.testing.assert_allclose(got_lse, lse, rtol=tolerance, atol=tolerance)
    defined = reference.attention(query, key, value, scale=scale)
    np.testing.assert_allclose(defined.output / size, output / size, atol=1e-13)
    np.testing.assert_allclose(defined.lse, lse, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(16))
def test_attention_is_right_at_the_ends_of_the_range(seed: int, kernel: str) -> None:
    compare(seed, kernel)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_attention_is_right_at_the_ends_of_the_range_in_two_thousand_calls(kernel: str) -> None:
    for seed in range(1000, 3000):
        compare(seed, kernel)


def limits(seed: int) -> None:
    """Compare the winners of a limit without noise with those of exact rational scores.

    Scores that differ by less than their rounding tie: 0.1 and 0.3 are no thirds of each other.
    """
    rng = np.random.default_rng(seed)
    heads, n, d = int(rng.integers(1, 4)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    queries = rng.integers(-8, 9, (heads, d)) * 10.0 ** rng.integers(-6, 10, (heads, 1))
    means = rng.integers(-8, 9, (n, d)).astype(float)
    if rng.random() < 0.5:
        means[int(rng.integers(n))] *= 1e6  # one key that blurs none of the others
    values = np.eye(n)
    law = key_noise(queries, means, np.zeros((n, d, d)), values, method="limit")
    expected = np.zeros(n)
    for q in queries.tolist():
        terms = [
            [Fraction(a) * Fraction(b) for a, b in zip(q, mu, strict=True)] for mu in means.tolist()
        ]
        scores = [sum(one) for one in terms]
        rounding = [sum(map(abs, one)) / 2**52 for one in terms]
        best = scores.index(max(scores))
        top = [
            i for i in range(n) if scores[best] - scores[i] <= (rounding[best] + rounding[i]) / 2
        ]
        expected[top] += 1 / len(top) / heads
    np.testing.assert_allclose(law.mean, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_ties_of_a_limit_are_those_of_exact_scores(seed: int) -> None:
    limits(seed)


@pytest.mark.slow
def test_ties_of_three_thousand_limits_are_those_of_exact_scores() -> None:
    for seed in range(1000, 4000):
        limits(seed)
