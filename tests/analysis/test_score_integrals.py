"""Integrals over random scores, directly: pairs of heads, and who wins where the scale grows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regard.analysis.noise.hardmax_limit import limit_atoms, nonnegative_atoms
from regard.analysis.noise.one_head import Grid
from regard.analysis.noise.random_scores import Scores
from regard.analysis.noise.two_heads import two_heads

RNG = np.random.default_rng(0)


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def scores(means: list[list[float]], covariances: np.ndarray) -> Scores:
    mu = np.array(means)
    return Scores(mu, covariances, np.zeros_like(mu))


def test_heads_without_noise_have_the_product_of_their_weights() -> None:
    means = np.array([[0.0, 1.0, -2.0], [0.5, 0.0, 3.0]])
    both, error = two_heads(means, np.zeros((3, 2, 2)))
    np.testing.assert_allclose(both, np.outer(*softmax(means)), atol=max(error, 1e-13))


@pytest.mark.parametrize("correlation", [-1.0, -0.3, 0.0, 0.7, 1.0])
def test_two_keys_of_which_one_varies_agree_with_gauss_hermite(correlation: float) -> None:
    # The weights are logistic functions of two correlated Gaussian numbers.
    means, spread = np.array([[0.3, 0.0], [-0.6, 0.0]]), np.array([1.1, 0.7])
    covariances = np.zeros((2, 2, 2))
    covariances[0] = np.outer(spread, spread) * [[1, correlation], [correlation, 1]]
    x, w = np.polynomial.hermite_e.hermegauss(120)
    w = w / w.sum()
    first, second = np.meshgrid(x, x, indexing="ij")
    other = correlation * first + math.sqrt(max(0.0, 1 - correlation**2)) * second
    a = 1 / (1 + np.exp(-(means[0, 0] + spread[0] * first)))
    b = 1 / (1 + np.exp(-(means[1, 0] + spread[1] * other)))
    alpha, beta = np.stack([a, 1 - a]), np.stack([b, 1 - b])
    expected = np.einsum("ipq,jpq,p,q->ij", alpha, beta, w, w)
    both, error = two_heads(means, covariances)
    np.testing.assert_allclose(both, expected, atol=1e-10)
    assert error < 1e-9


def test_the_weights_of_a_pair_sum_to_one() -> None:
    rng = np.random.default_rng(3)
    root = rng.standard_normal((5, 2, 2))
    both, error = two_heads(rng.standard_normal((2, 5)), root @ root.transpose(0, 2, 1))
    assert both.sum() == pytest.approx(1, abs=max(error, 1e-12))


def test_one_noisy_key_wins_with_the_chance_that_it_is_above_the_best() -> None:
    covariances = np.zeros((3, 1, 1))
    covariances[2] = 0.49
    atoms, error, _ = limit_atoms(scores([[1.0, 0.4, 0.2]], covariances), RNG)
    chances = {keys[0]: p for p, keys in atoms}
    assert chances == {(0,): pytest.approx(phi(0.8 / 0.7)), (2,): pytest.approx(phi(-0.8 / 0.7))}
    assert error < 1e-12


def test_keys_that_tie_without_noise_win_together() -> None:
    atoms, _, _ = limit_atoms(scores([[1.0, 1.0, 0.0]], np.zeros((3, 1, 1))), RNG)
    assert atoms == [(1.0, ((0, 1),))]


def test_of_equal_noisy_keys_each_wins_as_often() -> None:
    atoms, _, _ = limit_atoms(scores([[0.0] * 3], np.full((3, 1, 1), 2.0)), RNG)
    assert {keys: p for p, keys in atoms} == {
        ((i,),): pytest.approx(1 / 3, abs=1e-12) for i in range(3)
    }


def test_two_heads_with_one_noise_change_their_winners_at_points() -> None:
    # Key 0 scores z in one head and -z in the other, against 0.5 of key 1 in both.
    covariances = np.zeros((2, 2, 2))
    covariances[0] = [[1, -1], [-1, 1]]
    atoms, _, _ = limit_atoms(scores([[0.0, 0.5], [0.0, 0.5]], covariances), RNG)
    tail = phi(-0.5)
    assert {keys: p for p, keys in atoms} == {
        ((0,), (1,)): pytest.approx(tail),
        ((1,), (0,)): pytest.approx(tail),
        ((1,), (1,)): pytest.approx(1 - 2 * tail),
    }


def test_heads_that_do_not_share_noise_multiply() -> None:
    covariances = np.zeros((2, 2, 2))
    covariances[0] = np.diag([1.0, 4.0])
    atoms, _, _ = limit_atoms(scores([[0.0, 0.5], [0.0, 0.5]], covariances), RNG)
    one, two = phi(-0.5), phi(-0.25)
    chances = {keys: p for p, keys in atoms}
    assert chances[(0,), (0,)] == pytest.approx(one * two)
    assert chances[(1,), (1,)] == pytest.approx((1 - one) * (1 - two))
    assert sum(chances.values()) == pytest.approx(1)


def test_an_error_of_the_integrals_is_seen_in_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    def coarse(*_: object) -> Grid:
        return Grid(4.0, np.arange(-24.0, 12.0, 4.0))

    monkeypatch.setattr("regard.analysis.noise.two_heads.grid_for", coarse)
    means = np.array([[0.0, 1.0, -2.0], [0.5, 0.0, 3.0]])
    both, error = two_heads(means, np.zeros((3, 2, 2)))
    assert np.max(np.abs(both - np.outer(*softmax(means)))) > 1e-6
    assert error >= abs(both.sum() - 1) > 1e-6


@pytest.mark.parametrize(("blur", "winners"), [(1e-11, ((0, 1),)), (0.0, ((0,),))])
def test_scores_that_rounding_may_have_told_apart_tie(blur: float, winners: object) -> None:
    means = np.array([[1.0 + 1e-12, 1.0, 0.0]])
    law = Scores(means, np.zeros((3, 1, 1)), np.full_like(means, blur))
    assert limit_atoms(law, RNG)[0] == [(1.0, winners)]


def test_noisy_keys_win_only_above_the_best_that_does_not_vary() -> None:
    covariances = np.ones((3, 1, 1))
    covariances[2] = 0
    atoms, _, _ = limit_atoms(scores([[0.0, 0.0, 0.5]], covariances), RNG)
    chances = {keys[0]: p for p, keys in atoms}
    below = phi(0.5) ** 2  # both noisy keys are
    assert chances[2,] == pytest.approx(below)
    assert chances[0,] == pytest.approx((1 - below) / 2) == chances[1,]


def test_heads_that_follow_each_other_choose_alike_where_it_is_sampled() -> None:
    covariances = np.tile([[1.0, 2.0], [2.0, 4.0]], (3, 1, 1))  # the second is twice the first
    atoms, error, how = limit_atoms(scores([[0.0] * 3, [0.0] * 3], covariances), RNG)
    assert how.startswith("sampled")
    assert {keys: p for p, keys in atoms} == {
        ((i,), (i,)): pytest.approx(1 / 3, abs=error) for i in range(3)
    }


@pytest.mark.parametrize("shared", [True, False])
def test_given_that_no_score_is_negative_half_of_the_signs_are_left_per_key(shared: bool) -> None:
    both = [[1.0, 2.0], [2.0, 4.0]] if shared else [[1.0]]
    law = scores([[0.0] * 2] * len(both), np.tile(both, (2, 1, 1)))
    atoms, error, kept = nonnegative_atoms(law, RNG)
    assert kept == pytest.approx(1 / 4, abs=max(error, 1e-12))
    assert [p for p, _ in atoms] == pytest.approx([1 / 2] * 2, abs=max(error, 1e-12))


@pytest.mark.parametrize("means", [[-8.0, 1.0], [-8.0, 1.0, 1.0], [-8.0, -9.0]])
def test_nothing_is_left_where_a_score_is_always_negative(means: list[float]) -> None:
    law = scores([means], np.full((len(means), 1, 1), 1e-30))
    atoms, _, kept = nonnegative_atoms(law, np.random.default_rng(0))
    assert (atoms, kept) == ([], 0.0)
