"""stability against closed forms, the theory's numbers and a plain simulation of the keys."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import regard
from regard.analysis import key_noise, stability

P = (1 + 0.8427007929497149) / 2  # Φ(√2) = (1 + erf 1)/2
HALVES = {0: 0.5, 1: 0.5}


def along_first(n: int, alpha: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal means; noise of variance ½ along the first in its own key, and α in all."""
    covariances = np.stack([alpha * np.eye(n)] * n)
    covariances[0, 0, 0] += 0.5
    return np.eye(n), covariances


def simulated(
    queries: np.ndarray, means: np.ndarray, covariances: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Total weights (samples, n) for keys that are drawn themselves."""
    sizes, vectors = np.linalg.eigh(covariances)
    roots = vectors * np.sqrt(np.maximum(sizes, 0))[:, None, :]
    noise = np.random.default_rng(17).standard_normal((40_000, *means.shape))
    keys = means + np.einsum("nde,pne->pnd", roots, noise)
    scores = np.einsum("hd,pnd->phn", queries, keys)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    scores /= np.sum(scores, axis=-1, keepdims=True)
    return np.einsum("h,phn->pn", weights, scores)


def test_null_steering_the_noisy_head_is_twenty_times_better_than_two_naive_heads():
    means, covariances = along_first(5, alpha=1e-3)
    rest = np.sum(means[2:], axis=0)
    lengths = 4e-3 + 0.5, 2e-3 * 3
    x = 6 * lengths[1] / sum(lengths)
    designs = {
        "one": 6 * (means[0] + means[1]),
        "one, steered": x * (means[0] + means[1]) - (6 - x) * rest,
        "two": 6 * means[:2],
        "two, steered": [-6 * (means[1] + rest), 6 * means[1]],
    }
    result = stability(designs, means, covariances, means, HALVES)
    errors = [design.rmse for design in result.designs]
    np.testing.assert_allclose(errors, [0.570, 0.156, 0.182, 0.0079], rtol=0.01)
    assert result.best.name == "two, steered"
    assert result["two"].rmse > 20 * result["two, steered"].rmse


def test_error_variance_and_failure_are_those_of_a_simulation():
    rng = np.random.default_rng(3)
    roots = rng.standard_normal((5, 7, 7))
    means, covariances = rng.standard_normal((5, 7)), roots @ np.swapaxes(roots, 1, 2) / 7
    queries, values = rng.standard_normal((3, 7)), rng.standard_normal((5, 2))
    weights, target = np.array([0.9, -0.3, 0.4]), np.array([0.5, 0, 0.3, 0, 0.2])
    result = stability(
        {"three": queries},
        means,
        covariances,
        values,
        target,
        head_weights={"three": weights},
        tolerance=0.4,
    )
    design = result["three"]
    away = simulated(queries, means, covariances, weights) @ values - target @ values
    np.testing.assert_allclose(result.output, target @ values)
    np.testing.assert_allclose(design.mean_error, np.linalg.norm(np.mean(away, axis=0)), atol=0.02)
    np.testing.assert_allclose(design.variance, np.sum(np.var(away, axis=0)), rtol=0.03)
    np.testing.assert_allclose(design.rmse**2, np.mean(np.sum(away**2, axis=1)), rtol=0.03)
    share = np.mean(np.linalg.norm(away, axis=1) > 0.4)
    assert design.failure_method == "qmc"
    assert 0.1 < share < 0.9
    np.testing.assert_allclose(design.failure, share, atol=4 * 0.5 / np.sqrt(len(away)))


def test_an_average_that_is_right_in_the_mean_fails_almost_always():
    result = stability(
        {"one": 10 * np.ones(2)}, *along_first(2), np.eye(2), HALVES, tolerance=0.1 * np.sqrt(2)
    )
    assert result["one"].failure_method == "closed form"
    np.testing.assert_allclose(result["one"].failure, 1 - 0.045726778153049305, rtol=1e-12)
    np.testing.assert_allclose(result["one"].mean_error, 0, atol=1e-14)


@pytest.mark.parametrize("scale", [0.5, 3.0, 20.0])
def test_one_noisy_key_in_one_of_two_heads_fails_as_a_logit_normal_does(scale):
    means, covariances = along_first(5)
    result = stability(
        {"two": means[:2]}, means, covariances, means, HALVES, scale=scale, tolerance=0.3
    )
    # Simulated from the one Gaussian number there is: γ ~ N(1, ½) in k_a = γ μ_a.
    gamma = 1 + np.sqrt(0.5) * np.linspace(-8, 8, 200_001)
    masses = stats.norm.pdf(np.linspace(-8, 8, 200_001))
    masses /= np.sum(masses)
    first = np.exp(scale * gamma) / (np.exp(scale * gamma) + 4)
    second = np.exp(scale) / (np.exp(scale) + 4)
    outputs = np.empty((len(gamma), 5))
    outputs[:, 0] = first + (1 - second) / 4
    outputs[:, 1] = second + (1 - first) / 4
    outputs[:, 2:] = ((1 - first) / 4 + (1 - second) / 4)[:, None]
    away = np.linalg.norm(outputs / 2 - [0.5, 0.5, 0, 0, 0], axis=1)
    assert result["two"].failure_method == "closed form"
    np.testing.assert_allclose(result["two"].failure, masses @ (away > 0.3), atol=1e-4)


@pytest.mark.parametrize(("tolerance", "failure"), [(0.2, 1.0), (0.4, 0.0)])
def test_a_design_without_noise_either_fails_or_does_not(tolerance, failure):
    # Weights (⅓, ⅓, ⅓) are √(4/9 + 1/9 + 1/9) away from (1, 0, 0): 0.327 with these values.
    means = np.eye(3)
    result = stability(
        {"flat": np.zeros(3)}, means, np.zeros((3, 3, 3)), 0.4 * means, 0, tolerance=tolerance
    )
    assert result["flat"].failure == failure
    np.testing.assert_allclose(result["flat"].rmse, 0.4 * np.sqrt(2 / 3), rtol=1e-12)


def test_one_key_never_fails():
    result = stability({"only": np.ones(3)}, np.ones((1, 3)), [np.eye(3)], [[2.0, 5.0]], 0)
    assert result["only"].failure == 0
    np.testing.assert_allclose(result["only"].rmse, 0, atol=1e-14)


def test_in_the_limit_failures_are_the_chances_of_the_wrong_atoms():
    means, covariances = along_first(4)
    designs = {"one": means[0] + means[1], "two": means[:2]}
    result = stability(designs, means, covariances, means, HALVES, method="limit")
    assert [design.failure_method for design in result.designs] == ["atoms", "atoms"]
    np.testing.assert_allclose([d.failure for d in result.designs], [1, 1 - P], rtol=1e-9)
    np.testing.assert_allclose(
        result["one"].variance / result["two"].variance, 20.699978497097693, rtol=1e-9
    )


def test_failures_never_seen_are_bounded_and_not_called_impossible():
    means, covariances = along_first(5, alpha=1e-3)
    result = stability(
        {"two": [-6 * np.sum(means[1:], axis=0), 6 * means[1]]}, means, covariances, means, HALVES
    )
    assert result["two"].failure == 0
    assert 1e-5 < result["two"].failure_error < 1e-4
    assert "< 4e-05" in str(result)


def test_heads_are_correlated_though_their_queries_are_orthogonal():
    means = np.eye(2)
    covariances = np.zeros((2, 2, 2))
    covariances[0] = 0.25
    design = stability({"two": 3 * means}, means, covariances, means, HALVES)["two"]
    # Each head's own key: where the first gains weight, the second loses it.
    assert design.main.tolist() == [0, 1]
    np.testing.assert_allclose(design.correlation, [[1, -0.4519656688], [-0.4519656688, 1]])
    assert not design.independent[0, 1]
    assert not design.all_independent
    same = stability({"two": 3 * means}, means, covariances, means, 0)["two"]
    assert same.main.tolist() == [0, 0]
    np.testing.assert_allclose(same.correlation[0, 1], 0.4519656688)


@pytest.mark.parametrize("seed", range(5))
def test_heads_on_eigenvectors_of_the_noise_are_independent_in_any_coordinates(seed):
    rotated = np.linalg.qr(np.random.default_rng(seed).standard_normal((7, 5)))[0].T
    covariances = np.stack([0.01 * np.eye(7)] * 5)
    covariances[0] += np.outer(rotated[0], rotated[0]) / 2
    design = stability({"two": 5 * rotated[:2]}, rotated, covariances, np.eye(5), HALVES)["two"]
    assert design.all_independent
    np.testing.assert_array_equal(design.correlation, np.eye(2))


@pytest.mark.parametrize("method", ["exact", "qmc"])
def test_identical_heads_are_perfectly_correlated_and_no_better_than_one(method):
    means, covariances = along_first(3, alpha=0.1)
    pair = 3 * (means[0] + means[1])
    designs = {"one": pair, "twice": [pair, pair]}
    result = stability(designs, means, covariances, means, HALVES, method=method)
    np.testing.assert_allclose(result["twice"].correlation, 1, atol=1e-6)
    allowed = result["one"].law.error + result["twice"].law.error
    np.testing.assert_allclose(result["twice"].variance, result["one"].variance, atol=3 * allowed)


@pytest.mark.parametrize("method", ["exact", "qmc", "limit"])
def test_a_weight_that_does_not_vary_has_correlation_zero(method):
    means, covariances = along_first(4)
    designs = {"two": 3 * means[:2]}
    design = stability(designs, means, covariances, means, HALVES, method=method)["two"]
    np.testing.assert_array_equal(design.correlation, np.eye(2))


def test_head_weights_count_and_designs_left_out_take_the_mean():
    means, covariances = along_first(3, alpha=0.2)
    queries = 2 * means[:2]
    result = stability(
        {"mean": queries, "first": queries},
        means,
        covariances,
        means,
        0,
        head_weights={"first": [1.0, 0.0]},
    )
    alone = key_noise(queries[0], means, covariances, means)
    np.testing.assert_allclose(result["first"].law.mean, alone.mean, atol=1e-13)
    np.testing.assert_allclose(result["first"].variance, alone.variance, atol=1e-13)
    np.testing.assert_allclose(result["mean"].head_weights, [0.5, 0.5])


def test_a_comparison_prints_as_a_table():
    means, covariances = along_first(4)
    designs = {"one head": 10 * (means[0] + means[1]), "two heads": 10 * means[:2]}
    result = stability(designs, means, covariances, means, HALVES)
    # By the theory: variances 0.390606 and 0.024311; failure by the logit-normal law.
    lines = str(result).splitlines()
    assert lines[0] == "Stability under key noise"
    assert lines[3].split() == [
        "design", "heads", "mean", "error", "variance", "RMSE", "failure", "correlation"
    ]  # fmt: skip
    one, two = (line.split() for line in lines[5:7])
    assert (one[:3], one[4]) == (["one", "head", "1"], "0.391")
    assert (two[:3], two[4]) == (["two", "heads", "2"], "0.0243")
    assert (one[-1], two[-1]) == ("–", "independent")
    assert max(map(len, lines)) <= 80
    assert "<table" in result._repr_html_()
    assert repr(result["one head"]).startswith("one head: RMSE 0.62498")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"designs": {}}, "analysis.stability: designs must be {name: queries}.*without any"),
        ({"designs": np.eye(3)}, "analysis.stability: designs must be {name: queries}.*ndarray"),
        (
            {"designs": {"x": np.ones((2, 4))}},
            "analysis.stability, design 'x': queries needs d = 3",
        ),
        ({"designs": {"x": np.ones((2, 1, 3))}}, "design 'x': designs are compared on one problem"),
        ({"covariances": -np.ones((3, 3, 3))}, "design 'a': .*must be positive semidefinite"),
        ({"values": np.ones(3)}, "analysis.stability: values needs 2 axes"),
        ({"target": 3}, "analysis.stability: target must be the index of a key, 0 to 2"),
        ({"target": {0: 0.5}}, "the weights of target must sum to 1"),
        ({"tolerance": 0}, "analysis.stability: tolerance must be a positive"),
        ({"scale": [1.0, 2.0]}, "analysis.stability: scale must be a finite number"),
        ({"head_weights": [1.0]}, "analysis.stability: head_weights must be {name: weights}"),
        ({"head_weights": {"b": [1.0]}}, "head_weights names 'b', which is no design"),
        ({"head_weights": {"a": [1.0, 2.0]}}, "design 'a': head_weights needs heads = 1"),
        ({"method": "guess"}, "design 'a': method must be one of"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(changes, words):
    given = {
        "designs": {"a": np.ones(3)},
        "means": np.eye(3),
        "covariances": np.stack([np.eye(3)] * 3),
        "values": np.eye(3),
        "target": 0,
    }
    with pytest.raises(regard.RegardError, match=words):
        stability(**(given | changes))


def test_a_design_that_is_not_there_is_named_with_those_that_are():
    result = stability({"a": np.ones(3)}, np.eye(3), np.zeros((3, 3, 3)), np.eye(3), 0)
    with pytest.raises(KeyError, match="no design 'b'; there are 'a'"):
        result["b"]
