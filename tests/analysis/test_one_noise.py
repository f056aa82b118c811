"""Heads that one normal number moves, and winners of which none may be negative."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from regard.analysis.noise.hardmax_limit import limit_atoms, nonnegative_atoms
from regard.analysis.noise.one_noise import OneNoise
from regard.analysis.noise.random_scores import Scores

MEANS = np.array([[1.0, 2.0, 0.5], [0.3, 0.0, -0.4]])
LINE = np.array([1.5, -0.5])
PHI = NormalDist().cdf


def one_noise() -> Scores:
    """Two heads over three keys, of which the first varies."""
    covariances = np.zeros((3, 2, 2))
    covariances[0] = np.outer(LINE, LINE)
    return Scores(MEANS, covariances, np.full(MEANS.shape, 1e-15))


def test_one_noise_is_read_off_the_covariances() -> None:
    moved = OneNoise.of(one_noise())
    assert moved is not None
    assert (moved.key, moved.varies) == (0, True)
    np.testing.assert_allclose(moved.line * np.sign(moved.line[0]), LINE, rtol=1e-12)


def test_two_keys_that_vary_are_not_one_noise() -> None:
    covariances = np.zeros((3, 2, 2))
    covariances[:2] = np.outer(LINE, LINE)
    assert OneNoise.of(Scores(MEANS, covariances, np.full(MEANS.shape, 1e-15))) is None


def test_one_key_that_two_numbers_move_is_not_one_noise() -> None:
    covariances = np.zeros((3, 2, 2))
    covariances[0] = np.diag([1.0, 2.0])
    assert OneNoise.of(Scores(MEANS, covariances, np.full(MEANS.shape, 1e-15))) is None


@pytest.mark.parametrize("bounds", [(-math.inf, math.inf), (-0.5, 1.0), (0.25, math.inf)])
def test_moments_are_sums_over_a_fine_grid(bounds: tuple[float, float]) -> None:
    moved = OneNoise.of(one_noise())
    assert moved is not None
    rng = np.random.default_rng(1)
    mixing = rng.standard_normal((2, 3, 5))
    mean, covariance = moved.moments(mixing, *bounds)
    z = np.linspace(max(bounds[0], -9.0), min(bounds[1], 9.0), 200_001)
    mass = np.exp(-z * z / 2)
    mass[[0, -1]] /= 2  # the trapezoidal rule
    mass /= np.sum(mass)
    scores = np.repeat(MEANS[None], len(z), axis=0)
    scores[:, :, 0] += z[:, None] * LINE
    weights = np.exp(scores)
    weights /= np.sum(weights, axis=-1, keepdims=True)
    outputs = np.einsum("zhn,hnv->zv", weights, mixing)
    expected = mass @ outputs
    np.testing.assert_allclose(mean, expected, atol=1e-9)
    away = outputs - expected
    np.testing.assert_allclose(covariance, (away * mass[:, None]).T @ away, atol=1e-9)


def test_no_score_is_below_a_bound_between_two_numbers() -> None:
    moved = OneNoise.of(one_noise())
    assert moved is not None
    # 1 + 1.5 z ≥ 0 and 0.3 − 0.5 z ≥ 0.
    np.testing.assert_allclose(moved.above(0.0), (-2 / 3, 0.6), rtol=1e-12)


def test_winners_along_a_line_have_differences_of_phi() -> None:
    # Head 1: 1 + 1.5 z against 2; head 2: 0.3 − 0.5 z against 0. Changes at z = 2/3 and z = 0.6.
    atoms, _, _ = limit_atoms(one_noise(), np.random.default_rng(0))
    found = {keys: chance for chance, keys in atoms}
    assert set(found) == {((1,), (0,)), ((1,), (1,)), ((0,), (1,))}
    np.testing.assert_allclose(found[(1,), (0,)], PHI(0.6), rtol=1e-12)
    np.testing.assert_allclose(found[(1,), (1,)], PHI(2 / 3) - PHI(0.6), rtol=1e-11)
    np.testing.assert_allclose(found[(0,), (1,)], 1 - PHI(2 / 3), rtol=1e-12)


def test_without_negative_scores_the_winners_are_those_between_the_bounds() -> None:
    atoms, _, kept = nonnegative_atoms(one_noise(), np.random.default_rng(0))
    ((chance, keys),) = atoms
    assert keys == ((1,), (0,))
    np.testing.assert_allclose(chance, 1, rtol=1e-12)
    np.testing.assert_allclose(kept, PHI(0.6) - PHI(-2 / 3), rtol=1e-12)


@pytest.mark.parametrize("still", [-0.5, 0.7])
def test_one_head_without_negative_scores_is_an_integral(still: float) -> None:
    means, deviations = np.array([[0.4, 0.9, still]]), np.array([0.8, 0.5, 0.0])
    covariances = (deviations**2)[:, None, None]
    scores = Scores(means, covariances, np.full((1, 3), 1e-15))
    atoms, _, kept = nonnegative_atoms(scores, np.random.default_rng(0))
    found = {keys[0]: chance for chance, keys in atoms}
    one, two = NormalDist(0.4, 0.8), NormalDist(0.9, 0.5)
    np.testing.assert_allclose(kept, (1 - one.cdf(0)) * (1 - two.cdf(0)), rtol=1e-12)
    floor = max(0.0, still)
    s = np.linspace(floor, 8.0, 20_001)
    density = np.array([one.pdf(x) * (two.cdf(x) - two.cdf(0)) for x in s])
    first = np.trapezoid(density, s) / kept
    np.testing.assert_allclose(found[(0,)], first, rtol=1e-6)
    lost = max(0.0, one.cdf(still) - one.cdf(0)) * max(0.0, two.cdf(still) - two.cdf(0)) / kept
    np.testing.assert_allclose(found.get((2,), 0.0), lost, atol=1e-12)
    np.testing.assert_allclose(sum(found.values()), 1, rtol=1e-9)


def test_heads_that_share_the_noise_of_two_keys_are_sampled_without_negative_scores() -> None:
    means = np.array([[0.6, 0.4, 0.3], [0.2, 0.7, 0.1]])
    root = np.array([[0.5, 0.0], [0.2, 0.4]])
    covariances = np.zeros((3, 2, 2))
    covariances[:2] = root @ root.T
    scores = Scores(means, covariances, np.full((2, 3), 1e-15))
    atoms, error, kept = nonnegative_atoms(scores, np.random.default_rng(0))
    noise = np.random.default_rng(5).standard_normal((10**6, 2, 2)) @ root.T
    s = np.repeat(means[None], 10**6, axis=0)
    s[:, :, :2] += np.swapaxes(noise, 1, 2)
    inside = s[np.all(s[:, :, :2] >= 0, axis=(1, 2))]
    np.testing.assert_allclose(kept, len(inside) / len(s), atol=3e-3)
    top = np.argmax(inside, axis=-1)
    for chance, ((one,), (two,)) in atoms:
        seen = np.mean((top[:, 0] == one) & (top[:, 1] == two))
        assert abs(chance - seen) <= error
