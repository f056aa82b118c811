"""How far the output moves: golden values, derivatives in many digits, bounds that hold."""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.analysis.output_sensitivity import diameter, sensitivity

FEW = settings(deadline=None, derandomize=True, max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)
UP = 1 + 1e-12  # what rounding may add to a number that meets its bound


def draw(seed: int, n: int, d: int, d_v: int, size: float = 1.0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    query, keys = rng.standard_normal(d), size * rng.standard_normal((n, d))
    return query, keys, rng.standard_normal((n, d_v))


def in_digits(query: Any, keys: Any, values: Any, scale: float, moved: Any = None) -> Any:
    """The output in 250 digits."""
    with mpmath.workdps(250):
        scores = [
            scale * mpmath.fsum(mpmath.mpf(a) * b for a, b in zip(row, query, strict=True))
            for row in keys.tolist()
        ]
        if moved is not None:
            scores = [s + float(m) for s, m in zip(scores, moved, strict=True)]
        top = max(scores)
        powers = [mpmath.exp(s - top) for s in scores]
        total = mpmath.fsum(powers)
        return [
            mpmath.fsum(p * v for p, v in zip(powers, column, strict=True)) / total
            for column in values.T.tolist()
        ]


def test_a_query_equal_to_its_key_gives_the_golden_weight() -> None:
    found = sensitivity([1, 0, 0, 0], np.eye(4), np.eye(4))  # G47
    np.testing.assert_allclose(found.weights[0], 0.4753668864186717, rtol=1e-13)
    np.testing.assert_allclose(
        np.linalg.norm(found.output - [1, 0, 0, 0]), 0.6057941387039428, rtol=1e-13
    )


def test_the_output_is_the_golden_one() -> None:
    scores = np.array([1, 3, -0.5, 2, 0.25])  # G48
    values = [[1, 0], [0, 2], [3, 1], [-1, 1], [2, -2]]
    found = sensitivity([1.0], scores[:, None], values)
    np.testing.assert_allclose(
        found.output, [-0.008824849767552361, 1.4212510462308754], rtol=1e-12
    )
    np.testing.assert_allclose(found.weights, np.exp(scores - 3.468339726374983), rtol=1e-12)


def test_only_differences_of_scores_count() -> None:
    for scores, weight in (
        ([5.0, 1.0, 0.0, -2.0], 1 - 0.02530832534520062),  # G55
        ([0.1, 0.001], 0.524729805230163),
        ([1000.0, 990.0], 0.9999546021312976),
    ):
        found = sensitivity([1.0], np.array(scores)[:, None], np.eye(len(scores)))
        np.testing.assert_allclose(found.weights[0], weight, rtol=1e-12)


@pytest.mark.parametrize("size", [0.3, 1.0, 30.0])
def test_the_jacobian_is_the_derivative_of_the_output(size: float) -> None:
    query, keys, values = draw(3, n=7, d=3, d_v=2, size=size)
    found = sensitivity(query, keys, values, scale=1.5)
    step = mpmath.mpf(10) ** -80
    for j in range(3):
        ahead, behind = list(map(mpmath.mpf, query)), list(map(mpmath.mpf, query))
        with mpmath.workdps(250):
            ahead[j] += step
            behind[j] -= step
            change = [
                (a - b) / (2 * step)
                for a, b in zip(
                    in_digits(ahead, keys, values, 1.5),
                    in_digits(behind, keys, values, 1.5),
                    strict=True,
                )
            ]
        largest = np.max(np.abs(found.jacobian))
        np.testing.assert_allclose(
            found.jacobian[:, j], [float(x) for x in change], rtol=1e-10, atol=1e-12 * largest
        )
    np.testing.assert_allclose(found.norm, np.linalg.norm(found.jacobian, 2), rtol=1e-14)


def test_a_nearly_certain_choice_keeps_its_small_jacobian() -> None:
    # Two keys at a gap of 200: weight · (1 − weight) = e^−200 up to a factor of 1 − 2e^−200.
    found = sensitivity([200.0], [[1.0], [0.0]], [[1e3 + 1.0], [1e3]])
    np.testing.assert_allclose(found.jacobian, [[math.exp(-200)]], rtol=1e-13)
    moved = sensitivity([200.0], [[1.0], [0.0]], [[3.0], [2.0]], perturbation=[0.0, 1.0])
    np.testing.assert_allclose(moved.change, math.exp(-199) - math.exp(-200), rtol=1e-13)


def test_two_keys_of_equal_weight_meet_the_bound_of_the_jacobian() -> None:
    found = sensitivity([2.0, 0.0], [[0.0, 1.5], [0.0, -1.5]], [[1, 2], [4, 6]], scale=0.5)
    np.testing.assert_allclose(found.norm, 5 * 3 * 0.5 / 4, rtol=1e-14)
    np.testing.assert_allclose(found.norm_bound, 5 * 3 * 0.5 / 4, rtol=1e-14)


@pytest.mark.parametrize("oscillation", [1e-9, 0.1, 1.0, 20.0, 70.0])
def test_two_keys_that_swap_weights_meet_the_bound_of_the_change(oscillation: float) -> None:
    query, keys, values = [1.0], [[oscillation / 2], [0.0]], [[0.0, 3.0], [4.0, 0.0]]
    for perturbation in ([0.0, oscillation], [7.0 - oscillation, 7.0], oscillation / 2):
        found = sensitivity(query, keys, values, perturbation=perturbation)
        np.testing.assert_allclose(found.change_bound, 5 * math.tanh(oscillation / 4), rtol=1e-6)
        np.testing.assert_allclose(found.change, found.change_bound, rtol=1e-6)


@FEW
@given(
    SEEDS,
    st.sampled_from([1, 2, 3, 11]),
    st.sampled_from([1, 3]),
    st.floats(-3, 3),
    st.sampled_from([1e-12, 1e-3, 1.0, 50.0, 1e4]),
)
def test_no_bound_is_exceeded(seed: int, n: int, d_v: int, scale: float, size: float) -> None:
    query, keys, values = draw(seed, n, 5, d_v, size=2.0)
    moved = size * np.random.default_rng(seed + 1).standard_normal(n)
    found = sensitivity(query, keys, values, scale=scale, perturbation=moved)
    assert found.norm <= found.norm_bound * UP
    assert found.change <= found.change_bound * UP
    np.testing.assert_allclose(found.oscillation, np.ptp(moved), rtol=1e-14)
    before, after = (in_digits(query, keys, values, scale, m) for m in (None, moved))
    with mpmath.workdps(250):
        true = mpmath.sqrt(mpmath.fsum((a - b) ** 2 for a, b in zip(after, before, strict=True)))
    np.testing.assert_allclose(
        float(found.change), float(true), rtol=1e-8, atol=1e-13 * min(1.0, size)
    )


@FEW
@given(SEEDS, st.sampled_from([2, 3, 7]), st.sampled_from([1, 2]), st.floats(1e-3, 3))
def test_a_bound_on_the_scores_bounds_every_change_within_it(
    seed: int, n: int, d_v: int, eta: float
) -> None:
    query, keys, values = draw(seed, n, 3, d_v)
    found = sensitivity(query, keys, values, perturbation=eta)
    assert found.oscillation == 2 * eta
    # In every direction the farthest output has all changes at +eta or −eta.
    scores = keys @ query
    corners = np.array(list(itertools.product([-eta, eta], repeat=n)))
    powers = np.exp(scores + corners - np.max(scores))
    outputs = (powers / np.sum(powers, axis=1, keepdims=True)) @ values
    farthest = np.max(np.linalg.norm(outputs - found.output, axis=1))
    assert farthest <= found.change_bound * UP
    assert 0.7 * farthest <= found.change <= farthest * UP
    if d_v == 1:
        np.testing.assert_allclose(found.change, farthest, rtol=1e-10)


def test_no_change_changes_nothing() -> None:
    query, keys, values = draw(5, 7, 3, 2)
    for perturbation in (0.0, np.zeros(7), np.full(7, 3.0)):
        found = sensitivity(query, keys, values, perturbation=perturbation)
        np.testing.assert_array_equal([found.change, found.change_bound], [0.0, 0.0])


def test_a_batch_gives_what_each_of_its_problems_gives() -> None:
    rng = np.random.default_rng(7)
    query, keys = rng.standard_normal((5, 1, 3)), rng.standard_normal((2, 7, 3))
    values, scale = rng.standard_normal((7, 11)), rng.standard_normal((5, 2))
    moved = rng.standard_normal((2, 7))
    for perturbation in (None, moved, 0.25):
        found = sensitivity(query, keys, values, scale=scale, perturbation=perturbation)
        for i, j in itertools.product(range(5), range(2)):
            own = moved[j] if perturbation is moved else perturbation
            one = sensitivity(query[i, 0], keys[j], values, scale=scale[i, j], perturbation=own)
            for name in (
                "output",
                "weights",
                "jacobian",
                "norm",
                "norm_bound",
                "value_diameter",
                "key_diameter",
                "oscillation",
                "change",
                "change_bound",
            ):
                if getattr(one, name) is not None:
                    np.testing.assert_allclose(
                        getattr(found, name)[i, j], getattr(one, name), rtol=1e-11, atol=1e-14
                    )
        assert (found.change is None) == (perturbation is None)


def test_the_diameter_is_the_largest_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    for n, offset in ((1, 0.0), (2, 0.0), (31, 1e6), (31, 0.0)):
        points = rng.standard_normal((3, n, 5)) + offset
        expected = [max(np.linalg.norm(a - b) for a in some for b in some) for some in points]
        for chunk in (1, 100, 2**20):
            monkeypatch.setattr(sys.modules[diameter.__module__], "CHUNK", chunk)
            found, exact = diameter(points)
            assert exact
            np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_diameter_of_very_many_points_is_a_bound_and_says_so() -> None:
    points = np.random.default_rng(13).standard_normal((5003, 2))
    found, exact = diameter(points)
    true, _ = diameter(points[:5000])
    assert not exact
    assert true <= found <= 2 * true * 1.01
    said = sensitivity(np.zeros(2), points, points)
    assert not said.exact_diameters
    assert "diameter of the keys    at most" in str(said)
    assert "The diameters are those of balls around the" in str(said)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"keys": np.zeros((5, 3))}, "keys needs d = 2, (..., n, d). Got keys (5, 3)."),
        ({"values": np.zeros((3, 1))}, "values needs n = 5, (..., n, d_v). Got values (3, 1)."),
        ({"values": np.zeros(5)}, "values needs at least 2 axes (..., n, d_v). Got values (5,)."),
        ({"query": [np.nan, 0]}, "query must be finite. Got nan in query[0]."),
        (
            {"perturbation": -1.0},
            "perturbation as one number bounds every |change| of a score and must be ≥ 0. Got -1.",
        ),
        (
            {"perturbation": [1.0, 2.0]},
            "perturbation needs n = 5, (..., n). Got perturbation (2,).",
        ),
        (
            {"query": [1e200, 0], "keys": np.full((5, 2), 1e200)},
            "the scores scale · keys @ query are too large for float64. Pass a smaller scale.",
        ),
        (
            {"scale": np.ones(3), "query": np.zeros((7, 2))},
            "batch axes do not broadcast. Need query (..., d), keys (..., n, d), "
            "values (..., n, d_v), scale (...) with equal batch axes, or 1. "
            "Got query (7, 2), keys (5, 2), values (5, 1), scale (3,).",
        ),
    ],
)
def test_what_cannot_be_used_is_named(changed: dict[str, Any], words: str) -> None:
    fits: dict[str, Any] = {
        "query": np.zeros(2),
        "keys": np.zeros((5, 2)),
        "values": np.zeros((5, 1)),
    }
    with pytest.raises((regard.ShapeError, regard.ParameterError)) as caught:
        sensitivity(**{**fits, **changed})
    assert str(caught.value) == f"sensitivity: {words}"


def test_the_sensitivity_prints_as_a_summary() -> None:
    found = sensitivity([-1.0], [[0.0], [1.0]], [[0.0], [1.0]], perturbation=1.0)
    assert str(found) == (
        "Sensitivity of the output\n"
        "=========================\n"
        "\n"
        "c is the output over 2 keys.\n"
        "\n"
        "‖∂c/∂q‖                    0.196612\n"
        "no query exceeds           0.25\n"
        "diameter of the values     1\n"
        "diameter of the keys       1\n"
        "oscillation of the scores  2\n"
        "‖Δc‖                       0.462117\n"
        "never more than            0.462117"
    )
    assert ">0.4621</td>" in found._repr_html_()
