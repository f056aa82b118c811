"""Gradients of attention: by hand, by golden numbers, by differences, and at the edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard
from regard.analysis import gradients

# softmax(scale QKᵀ + mask)V with L = Σ G ∘ Y, worked out in 30 digits apart from this code.
CAUSAL = {
    "arguments": (
        [[1, 0], [0, 1], [1, 1]],
        [[1, 2], [0, 1], [-1, 1]],
        [[1, 0], [2, -1], [0, 3]],
        [[1, 0], [0, 1], [1, -1]],
    ),
    "options": {"is_causal": True},
    "value": [
        [1.733681106496889, -0.06391955717023204],
        [0.1783701547276046, 0.15186829594573847],
        [0.08794873877550644, -0.08794873877550644],
    ],
    "weights": [[1, 2, 0], [0, -1, 3], [1, 3, -3]],
    "scores": [
        [0, 0, 0],
        [0.22118101637021303, -0.22118101637021303, 0],
        [-0.0036283130538628215, 0.35585820583404904, -0.3522298927801862],
    ],
    "query": [
        [0, 0],
        [0.1563985965451104, 0.1563985965451104],
        [0.24649854095682613, -0.0025656047646540722],
    ],
    "key": [
        [-0.0025656047646540722, 0.15383299178045634],
        [0.2516297504861343, 0.09523115394102388],
        [-0.24906414572148022, -0.24906414572148022],
    ],
}
FULL = {
    "arguments": ([[1, 2], [0, -1]], [[1, 0], [1, 1], [0, 2]], [[1], [0], [-2]], [[1], [1]]),
    "options": {"scale": 1.0},
    "value": [[0.7003599827341617], [0.5042249313972168], [0.7954150858686216]],
    "weights": [[1, 0, -2], [1, 0, -2]],
    "scores": [
        [0.08343051634106939, 0.3569763052644929, -0.44040682160556227],
        [0.34247947562426123, -0.11873731294945583, -0.2237421626748054],
    ],
    "query": [
        [0.44040682160556227, -0.5238373379466317],
        [0.2237421626748054, -0.5662216382990666],
    ],
    "key": [
        [0.08343051634106939, -0.17561844294212245],
        [0.3569763052644929, 0.8326899234784416],
        [-0.44040682160556227, -0.6570714805363191],
    ],
}
NAMES = ("query", "key", "value", "scores", "weights")


@pytest.mark.parametrize("case", [CAUSAL, FULL], ids=["causal", "full"])
def test_the_numbers_are_those_of_a_computation_in_more_digits(case: dict[str, Any]) -> None:
    found = gradients(*case["arguments"], **case["options"])
    for name in NAMES:
        np.testing.assert_allclose(getattr(found, name), case[name], rtol=1e-12, atol=1e-15)


def test_through_projections_the_numbers_are_those_of_more_digits() -> None:
    X = np.array([[1.0, 0], [0, 1], [1, -1]])
    W_Q, W_K = np.array([[1.0, 0], [1, 1]]), np.array([[0.0, 1], [1, 0]])
    W_V, G = np.array([[1.0, -1], [2, 0]]), np.array([[1.0, 0], [0, 0], [0, 1]])
    found = gradients(X @ W_Q, X @ W_K, X @ W_V, G)
    dX = found.query @ W_Q.T + found.key @ W_K.T + found.value @ W_V.T
    expected = [
        [0.638212242020265, 0.7358979034635083],
        [-0.10428258170700438, 1.4387069083156092],
        [0.24531033366127994, 0.14111088087272555],
    ]
    np.testing.assert_allclose(dX, expected, rtol=1e-12)
    dW_K = [[-0.2867562178848852, 0.1767680834378125], [0.5140878688178219, -0.26515212515671877]]
    np.testing.assert_allclose(X.T @ found.key, dW_K, rtol=1e-12)


def test_two_equal_scores_by_hand() -> None:
    # A = (1/2, 1/2), dA = (10, 20), ρ = 15, dS = (−5/2, 5/2), dq = −5/2 · 1 + 5/2 · 3 = 5.
    found = gradients([[0.0]], [[1.0], [3.0]], [[10.0], [20.0]], [[1.0]], scale=1)
    np.testing.assert_array_equal(found.scores, [[-2.5, 2.5]])
    np.testing.assert_array_equal(found.query, [[5.0]])
    np.testing.assert_array_equal(found.key, [[0.0], [0.0]])  # the query is 0
    np.testing.assert_array_equal(found.value, [[0.5], [0.5]])


SHAPES = {
    "one head": ((3, 5), (7, 5), (7, 2), None),
    "batch and heads": ((2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13), None),
    "grouped": ((2, 6, 5, 7), (2, 3, 11, 7), (2, 3, 11, 2), None),
    "one key head": ((6, 5, 7), (1, 11, 7), (1, 11, 2), None),
    "keys and values grouped otherwise": ((6, 5, 7), (2, 11, 7), (3, 11, 2), None),
    "a shared key": ((2, 3, 5, 7), (11, 7), (3, 11, 2), None),
    "a batch of masks": ((5, 7), (11, 7), (11, 2), (3, 5, 11)),
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_they_are_the_slopes_of_the_loss(shapes: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(5)
    Q, K, V = (rng.normal(size=shape) for shape in shapes[:3])
    mask = None if shapes[3] is None else rng.random(shapes[3]) < 0.6
    G = rng.normal(size=regard.attention(Q, K, V, mask, scale=0.7).shape)

    def loss(Q: Any, K: Any, V: Any) -> float:
        return float(np.sum(G * regard.attention(Q, K, V, mask, scale=0.7)))

    found = gradients(Q, K, V, G, mask, scale=0.7)
    for name, place in (("query", 0), ("key", 1), ("value", 2)):
        arrays = [Q, K, V]
        step = rng.normal(size=arrays[place].shape)
        ends = []
        for sign in (1, -1):
            moved = list(arrays)
            moved[place] = arrays[place] + sign * 1e-5 * step
            ends.append(loss(*moved))
        slope = (ends[0] - ends[1]) / 2e-5
        gradient = getattr(found, name)
        assert gradient.shape == arrays[place].shape
        np.testing.assert_allclose(np.sum(gradient * step), slope, rtol=1e-6, atol=1e-8)


def test_rows_of_the_scores_and_columns_of_the_keys_sum_to_0() -> None:
    rng = np.random.default_rng(2)
    Q, K, V, G = (rng.normal(size=shape) for shape in ((3, 5), (7, 5), (7, 2), (3, 2)))
    found = gradients(Q, K, V, G)
    np.testing.assert_allclose(np.sum(found.scores, axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(np.sum(found.key, axis=0), 0, atol=1e-14)


def test_a_query_that_may_attend_to_nothing_has_no_gradient_and_gives_none() -> None:
    rng = np.random.default_rng(3)
    Q, K, V, G = (rng.normal(size=shape) for shape in ((3, 5), (7, 5), (7, 2), (3, 2)))
    mask = np.ones((3, 7), bool)
    mask[1] = False
    found = gradients(Q, K, V, G, mask)
    np.testing.assert_array_equal(found.query[1], np.zeros(5))
    np.testing.assert_array_equal(found.scores[1], np.zeros(7))
    rest = gradients(Q[[0, 2]], K, V, G[[0, 2]])
    np.testing.assert_allclose(found.key, rest.key, rtol=1e-14)
    np.testing.assert_allclose(found.value, rest.value, rtol=1e-14)


def test_what_is_masked_out_may_be_nan() -> None:
    rng = np.random.default_rng(4)
    Q, K, V, G = (rng.normal(size=shape) for shape in ((3, 5), (7, 5), (7, 2), (3, 2)))
    mask = np.ones((3, 7), bool)
    mask[:, 6] = False
    mask[1:, 5] = False
    right = gradients(Q, K, V, G, mask)
    K[6], V[6] = math.nan, math.inf
    found = gradients(Q, K, V, G, mask)
    for name in ("query", "key", "value", "scores"):
        np.testing.assert_allclose(getattr(found, name), getattr(right, name), rtol=1e-13)
    K[5] = math.nan  # query 0 attends to it, the others do not
    found = gradients(Q, K, V, G, mask)
    assert np.all(np.isnan(found.query[0]))
    np.testing.assert_allclose(found.query[1:], right.query[1:], rtol=1e-13)


def test_a_float_mask_is_added_and_its_gradient_is_that_of_the_scores() -> None:
    rng = np.random.default_rng(6)
    Q, K, V, G = (rng.normal(size=shape) for shape in ((3, 5), (7, 5), (7, 2), (3, 2)))
    bias, step = rng.normal(size=(3, 7)), rng.normal(size=(3, 7))
    ends = [np.sum(G * regard.attention(Q, K, V, bias + s * 1e-5 * step)) for s in (1, -1)]
    found = gradients(Q, K, V, G, bias)
    np.testing.assert_allclose(np.sum(found.scores * step), (ends[0] - ends[1]) / 2e-5, rtol=1e-6)


def test_float32_comes_back_as_float32_and_is_rounded_once() -> None:
    rng = np.random.default_rng(7)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((3, 5), (7, 5), (7, 2), (3, 2))]
    found = gradients(*arrays)
    wide = gradients(*(array.astype(np.float64) for array in arrays))
    for name in NAMES:
        assert getattr(found, name).dtype == np.float32
        np.testing.assert_array_equal(getattr(found, name), getattr(wide, name).astype(np.float32))


def test_saturated_weights_have_a_gradient_below_the_bound_of_theory() -> None:
    # One score 5 above nine equal ones: |J|₂ = r (1 − r) n/(n − 1), at most 2 (n − 1) e^−5.
    V = np.eye(10)
    scores = np.zeros((10, 1))
    scores[0] = 5.0
    columns = [gradients([[1.0]], scores, V, V[[j]], scale=1).scores[0] for j in range(10)]
    largest = np.linalg.norm(np.array(columns), 2)
    np.testing.assert_allclose(largest, 0.05989496837171234, rtol=1e-12)


def test_another_shape_of_the_gradient_is_refused_by_name() -> None:
    with pytest.raises(regard.ShapeError) as error:
        gradients(np.ones((3, 5)), np.ones((7, 5)), np.ones((7, 2)), np.ones((2, 3)))
    assert str(error.value) == (
        "gradients: grad_output must have the shape of the output, (..., n_q, d_v) = (3, 2). "
        "Got grad_output (2, 3)."
    )


def test_it_prints_shapes_and_sizes() -> None:
    text = repr(gradients([[0.0]], [[1.0], [3.0]], [[10.0], [20.0]], [[1.0]], scale=1))
    assert text.startswith("Gradients of attention\n")
    for part in ("query", "(1, 1)", "-2.5 to 2.5"):
        assert part in text
