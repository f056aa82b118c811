"""Mean and variance of q·k: golden values, other derivations, and simulation."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.analysis.moments import dot_product_moments, simulate_dot_product

FEW = settings(deadline=None, derandomize=True, max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)


def draw_law(seed: int, d: int, rank: int | None = None) -> dict[str, Any]:
    """Draw means and a joint covariance of (q, k), of the given rank."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((2 * d, 2 * d if rank is None else rank))
    joint = root @ root.T
    return {
        "mu_q": rng.standard_normal(d),
        "Sigma_q": joint[:d, :d],
        "mu_k": rng.standard_normal(d),
        "Sigma_k": joint[d:, d:],
        "cross": joint[:d, d:],
    }


def by_pairings(law: dict[str, Any]) -> tuple[float, float]:
    """Mean and variance of q·k, term by term, from the moments of products of Gaussians."""
    mean = np.concatenate([law["mu_q"], law["mu_k"]])
    covariance = np.block([[law["Sigma_q"], law["cross"]], [law["cross"].T, law["Sigma_k"]]])
    d = len(mean) // 2

    def moment(indices: tuple[int, ...]) -> float:
        """E of a product: either the first is its mean, or it is paired with another one."""
        if not indices:
            return 1.0
        first, rest = indices[0], indices[1:]
        total = mean[first] * moment(rest)
        for j, other in enumerate(rest):
            total += covariance[first, other] * moment(rest[:j] + rest[j + 1 :])
        return float(total)

    one = sum(moment((i, d + i)) for i in range(d))
    two = sum(moment((i, d + i, j, d + j)) for i in range(d) for j in range(d))
    return one, two - one**2


def test_the_moments_of_two_independent_vectors() -> None:
    found = dot_product_moments(  # G41
        [1, -2], [[2, 0.5], [0.5, 1]], [0.5, 3], [[1, -0.3], [-0.3, 2]]
    )
    np.testing.assert_allclose([found.mean, found.variance], [-5.5, 24.9], rtol=1e-14)


def test_the_moments_and_the_scale_of_equal_entries() -> None:
    mu, Sigma = np.full(64, 0.5), 2.25 * np.eye(64)
    found = dot_product_moments(mu, Sigma, mu, Sigma)  # G42
    np.testing.assert_allclose([found.mean, found.variance], [16.0, 396.0], rtol=1e-14)
    np.testing.assert_allclose(found.scale, 19.8997487421324, rtol=1e-14)
    standard = dot_product_moments(np.zeros(64), np.eye(64), np.zeros(64), np.eye(64))
    np.testing.assert_array_equal([standard.mean, standard.variance, standard.scale], [0, 64, 8])


def test_one_token_as_query_and_key_keeps_a_large_mean() -> None:
    mu, Sigma = np.full(64, 0.5), 2.25 * np.eye(64)
    found = dot_product_moments(mu, Sigma, mu, Sigma, cross=Sigma)  # G61
    np.testing.assert_allclose([found.mean, found.variance], [160.0, 792.0], rtol=1e-14)


def test_independence_needs_no_gaussian_law() -> None:
    rng = np.random.default_rng(11)
    q, k = rng.standard_normal((5, 3)), rng.standard_normal((7, 3))
    p, r = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(7))
    products, both = q @ k.T, np.outer(p, r)
    mean = np.sum(both * products)
    variance = np.sum(both * (products - mean) ** 2)

    def moments(points: Any, weights: Any) -> tuple[Any, Any]:
        centre = weights @ points
        away = points - centre
        return centre, (away * weights[:, None]).T @ away

    found = dot_product_moments(*moments(q, p), *moments(k, r))
    np.testing.assert_allclose([found.mean, found.variance], [mean, variance], rtol=1e-12)


@FEW
@given(SEEDS, st.sampled_from([1, 2, 3]), st.sampled_from([None, 1, 2]))
def test_jointly_gaussian_moments_agree_with_the_sum_over_pairings(
    seed: int, d: int, rank: int | None
) -> None:
    law = draw_law(seed, d, rank)
    found = dot_product_moments(**law)
    mean, variance = by_pairings(law)
    size = 1 + abs(mean) ** 2 + abs(variance)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12, atol=1e-13 * size)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-12, atol=1e-13 * size)


@FEW
@given(SEEDS)
def test_zero_cross_covariance_is_independence(seed: int) -> None:
    law = draw_law(seed, 5)
    law["cross"] = np.zeros((5, 5))
    gaussian = dot_product_moments(**law)
    independent = dot_product_moments(**{**law, "cross": None})
    np.testing.assert_array_equal(gaussian.mean, independent.mean)
    np.testing.assert_allclose(gaussian.variance, independent.variance, rtol=1e-14)


@FEW
@given(SEEDS)
def test_query_and_key_may_trade_places_and_turn_together(seed: int) -> None:
    law = draw_law(seed, 5)
    found = dot_product_moments(**law)
    swapped = dot_product_moments(
        law["mu_k"], law["Sigma_k"], law["mu_q"], law["Sigma_q"], law["cross"].T
    )
    R = np.linalg.qr(np.random.default_rng(seed + 1).standard_normal((5, 5)))[0]
    turned = {n: R @ x @ R.T if x.ndim == 2 else R @ x for n, x in law.items()}
    turned["Sigma_q"], turned["Sigma_k"] = (
        (turned[n] + turned[n].T) / 2 for n in ("Sigma_q", "Sigma_k")
    )
    for other in (swapped, dot_product_moments(**turned)):
        np.testing.assert_allclose(other.mean, found.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(other.variance, found.variance, rtol=1e-10)


@FEW
@given(SEEDS)
def test_dividing_by_the_scale_gives_variance_one(seed: int) -> None:
    law = draw_law(seed, 3)
    law.pop("cross")
    s = dot_product_moments(**law).scale
    law["mu_q"], law["Sigma_q"] = law["mu_q"] / s, law["Sigma_q"] / s**2
    np.testing.assert_allclose(dot_product_moments(**law).variance, 1.0, rtol=1e-12)


def test_a_batch_gives_what_each_of_its_laws_gives() -> None:
    laws = [draw_law(seed, 3) for seed in range(10)]
    stacked = {
        name: np.stack([law[name] for law in laws]).reshape(5, 2, *laws[0][name].shape)
        for name in laws[0]
    }
    stacked["mu_q"] = stacked["mu_q"][:, :1]
    found = dot_product_moments(**stacked)
    assert np.shape(found.mean) == np.shape(found.variance) == np.shape(found.scale) == (5, 2)
    for i, j in itertools.product(range(5), range(2)):
        one = dot_product_moments(**{**laws[2 * i + j], "mu_q": laws[2 * i]["mu_q"]})
        np.testing.assert_allclose(found.mean[i, j], one.mean, rtol=1e-14)
        np.testing.assert_allclose(found.variance[i, j], one.variance, rtol=1e-14)


def test_known_vectors_have_no_variance() -> None:
    zero = np.zeros((3, 3))
    found = dot_product_moments([1, 2, 3], zero, [4, 5, 6], zero)
    np.testing.assert_array_equal([found.mean, found.variance, found.scale], [32, 0, 0])
    drawn = simulate_dot_product([1, 2, 3], zero, [4, 5, 6], zero, samples=7)
    np.testing.assert_array_equal([drawn.mean, drawn.variance], [32, 0])
    np.testing.assert_array_equal([drawn.mean_error, drawn.variance_error], [0, 0])


@pytest.mark.parametrize("rank", [None, 1, 2, 4])
@pytest.mark.parametrize("joint", [True, False])
def test_simulation_agrees_within_its_standard_errors(rank: int | None, joint: bool) -> None:
    for seed in range(5):
        law = draw_law(100 + seed, 3, rank)
        if not joint:
            law.pop("cross")
        exact = dot_product_moments(**law)
        drawn = simulate_dot_product(**law, samples=20_000, rng=seed)
        assert abs(drawn.mean - exact.mean) <= 4.5 * drawn.mean_error
        assert abs(drawn.variance - exact.variance) <= 4.5 * drawn.variance_error


def test_the_standard_errors_are_neither_too_small_nor_too_large() -> None:
    laws = [draw_law(seed, 2) for seed in range(500)]
    stacked = {name: np.stack([law[name] for law in laws]) for name in laws[0]}
    exact = dot_product_moments(**stacked)
    drawn = simulate_dot_product(**stacked, samples=5000, rng=np.random.default_rng(13))
    for name in ("mean", "variance"):
        away = (getattr(drawn, name) - getattr(exact, name)) / getattr(drawn, name + "_error")
        # The root mean square of 500 standard deviations is 1 ± 0.03.
        assert 0.88 < np.sqrt(np.mean(away**2)) < 1.15


def test_the_standard_errors_of_a_gaussian_score_are_the_known_ones() -> None:
    # A known query: q·k is Gaussian with variance 4, and the variance of n has error 4 √(2 / n).
    drawn = simulate_dot_product([2, 0], np.zeros((2, 2)), [1, 3], np.eye(2), samples=20_000)
    np.testing.assert_allclose(drawn.mean_error, 2 / np.sqrt(20_000), rtol=0.03)
    np.testing.assert_allclose(drawn.variance_error, 4 * np.sqrt(2 / 20_000), rtol=0.06)


def test_simulation_depends_on_its_generator_alone() -> None:
    law = draw_law(17, 3)
    before = np.random.get_state()[1].copy()  # type: ignore[index, union-attr]
    one = simulate_dot_product(**law, samples=101, rng=23)
    two = simulate_dot_product(**law, samples=101, rng=np.random.default_rng(23))
    other = simulate_dot_product(**law, samples=101, rng=24)
    assert one.mean == two.mean
    assert one.variance == two.variance
    assert one.mean != other.mean
    after = np.random.get_state()[1]  # type: ignore[index]
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("unit", [1e-80, 1e80])
def test_the_units_of_query_and_key_do_not_matter(unit: float) -> None:
    law = draw_law(29, 3)
    other = dict(law)
    for name, power in (("mu_q", 1), ("Sigma_q", 2), ("cross", 1)):
        other[name] = law[name] * unit**power
    one, two = dot_product_moments(**law), dot_product_moments(**other)
    np.testing.assert_allclose(two.mean, one.mean * unit, rtol=1e-12)
    np.testing.assert_allclose(two.variance, one.variance * unit**2, rtol=1e-12)
    drawn = (simulate_dot_product(**x, samples=1009, rng=1) for x in (law, other))
    first, second = ((x.mean, x.mean_error, np.sqrt(x.variance)) for x in drawn)
    np.testing.assert_allclose(np.array(second) / unit, first, rtol=1e-9)


def test_a_joint_covariance_that_none_has_is_refused() -> None:
    for function in (dot_product_moments, simulate_dot_product):
        with pytest.raises(regard.ParameterError) as caught:
            function([0], [[4]], [0], [[1]], [[3]])
        assert str(caught.value) == (
            f"{function.__name__}: [[Sigma_q, cross], [cross.T, Sigma_k]], with q and k each in "
            "units of its largest standard deviation, must be positive semidefinite. "
            "Its smallest eigenvalue is -0.5, its largest 2.5."
        )


def test_a_query_without_variance_has_no_covariance() -> None:
    with pytest.raises(regard.ParameterError, match=r"Its smallest eigenvalue is -0\.2"):
        dot_product_moments([0], [[0]], [0], [[1]], [[0.5]])


def test_one_token_in_float32_is_accepted() -> None:
    root = np.random.default_rng(31).standard_normal((61, 2)).astype(np.float32)
    Sigma = root @ root.T
    zero = np.zeros(61)
    found = dot_product_moments(zero, Sigma, zero, Sigma, cross=Sigma)
    np.testing.assert_allclose(found.mean, np.trace(Sigma.astype(float)), rtol=1e-12)


@pytest.mark.parametrize("function", [dot_product_moments, simulate_dot_product])
def test_moments_beyond_float64_are_refused(function: Any) -> None:
    huge = 1e200 * np.eye(2)
    with pytest.raises(regard.ParameterError) as caught:
        function([0, 0], huge, [0, 0], huge)
    assert str(caught.value) == (
        f"{function.__name__}: the moments are too large for float64. Pass q or k in larger units."
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mu_k": np.zeros(3)}, "mu_k needs d = 2, (..., d). Got mu_k (3,)."),
        ({"cross": np.zeros((2, 3))}, "cross needs d = 2, (..., d, d). Got cross (2, 3)."),
        (
            {"mu_k": np.zeros((5, 2)), "Sigma_k": np.zeros((7, 2, 2))},
            "batch axes do not broadcast. Need mu_q (..., d), Sigma_q (..., d, d), "
            "mu_k (..., d), Sigma_k (..., d, d) with equal batch axes, or 1. "
            "Got mu_q (2,), Sigma_q (2, 2), mu_k (5, 2), Sigma_k (7, 2, 2).",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(changed: dict[str, Any], words: str) -> None:
    fits = {"mu_q": np.zeros(2), "Sigma_q": np.eye(2), "mu_k": np.zeros(2), "Sigma_k": np.eye(2)}
    for function in (dot_product_moments, simulate_dot_product):
        with pytest.raises(regard.ShapeError) as caught:
            function(**{**fits, **changed})
        assert str(caught.value) == f"{function.__name__}: {words}"


def test_a_simulation_needs_two_samples() -> None:
    with pytest.raises(regard.ParameterError) as caught:
        simulate_dot_product([0], [[1]], [0], [[1]], samples=1)
    assert str(caught.value) == ("simulate_dot_product: samples must be a whole number ≥ 2. Got 1.")


def test_the_moments_print_as_a_summary() -> None:
    found = dot_product_moments([1, -2], [[2, 0.5], [0.5, 1]], [0.5, 3], [[1, -0.3], [-0.3, 2]])
    assert str(found) == (
        "Moments of q·k\n"
        "==============\n"
        "\n"
        "For independent q and k, of any law with these means and covariances.\n"
        "\n"
        "mean                         -5.5\n"
        "variance                     24.9\n"
        "standard deviation           4.98999\n"
        "for variance 1, multiply by  0.200401"
    )
    assert ">24.9</td>" in found._repr_html_()
    several = dot_product_moments(np.zeros((3, 1)), [[1]], np.ones(1), np.ones((3, 1, 1)))
    assert "batch                        (3,)" in str(several)
    drawn = str(simulate_dot_product([0], [[1]], [0], [[1]], samples=101))
    assert drawn.startswith("Moments of q·k by simulation")
    assert "samples             101" in drawn
