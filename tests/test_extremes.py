"""Numbers at the ends of what floats can hold, by both kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from regard import AttentionState
from regard.core.kernels import native


@pytest.fixture(params=["native", "numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "native" and not native.instruction_sets():
        pytest.skip("needs the kernel in C")
    monkeypatch.setenv("REGARD_KERNEL", request.param)


def test_an_average_of_the_largest_numbers_is_not_infinite() -> None:
    arrays = np.zeros((2, 1)), np.zeros((3, 1)), np.full((3, 1), 1.7e308)
    outputs = [
        regard.attention(*arrays),
        regard.attention_with_weights(*arrays)[0],
        regard.attention_with_lse(*arrays)[0],
        AttentionState.empty().update(*arrays).output,
    ]
    for output in outputs:
        np.testing.assert_allclose(output, np.full((2, 1), 1.7e308), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_masked_by_the_lowest_finite_number_is_a_mean(dtype: Any) -> None:
    # A common way to write a mask. It bars nothing where it is added to every key of a row.
    lowest = np.finfo(dtype).min
    query, key = np.zeros((2, 1), dtype), np.zeros((3, 1), dtype)
    value = np.array([[1], [2], [6]], dtype)
    mask = np.array([[lowest, lowest, lowest], [lowest, 0, lowest]], dtype)
    output, weights = regard.attention_with_weights(query, key, value, mask)
    np.testing.assert_allclose(output, [[3], [2]], rtol=1e-6)
    np.testing.assert_allclose(weights, [[1 / 3, 1 / 3, 1 / 3], [0, 1, 0]], rtol=1e-6)
    lse = regard.attention_with_lse(query, key, value, mask)[1]
    np.testing.assert_allclose(lse, [lowest, 0], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_q", [1, 7])
def test_of_scores_of_any_size_the_largest_wins(n_q: int, dtype: Any) -> None:
    rng = np.random.default_rng(9)
    query, value = np.ones((n_q, 1), dtype), np.array([[1], [2], [3], [4], [5]], dtype)
    for exponent in range(3, int(np.log10(float(np.finfo(dtype).max)))):
        scores = 10.0**exponent * rng.permutation([-1.0, -0.75, 0.3, 0.9, 1.0])
        for key in (scores, -np.abs(scores), np.abs(scores)):
            key = key[:, None].astype(dtype)
            rows = np.full((n_q, 1), key.max(axis=0))
            winner = np.full((n_q, 1), value[key[:, 0] == key.max()].mean())
            output, lse = regard.attention_with_lse(query, key, value, scale=1)
            np.testing.assert_allclose(output, winner, rtol=1e-6, err_msg=str(key))
            np.testing.assert_allclose(lse[:, None], rows, rtol=1e-3, err_msg=str(key))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_q", [1, 7, 70])
@pytest.mark.parametrize("sign", [-1, 1])
def test_scores_far_from_zero_are_told_apart_if_the_type_can(
    n_q: int, sign: int, dtype: Any
) -> None:
    last = 24 if dtype is np.float32 else 53  # from where 1 is less than an ulp
    value, query = np.eye(3, dtype=dtype), np.ones((n_q, 1), dtype)
    terms = np.exp([0.0, -1.0, -2.0])
    for exponent in range(4, last):
        for near in (-5, 0, 5):
            top = float(sign * (2**exponent + near - 9))
            key = np.array([[top], [top - 1], [top - 2]], dtype)
            output, lse = regard.attention_with_lse(query, key, value, scale=1)
            weights = np.tile(terms / terms.sum(), (n_q, 1))
            np.testing.assert_allclose(output, weights, rtol=1e-6, err_msg=f"{top}")
            np.testing.assert_array_equal(regard.attention(query, key, value, scale=1), output)
            expected = np.full(n_q, top + np.log(terms.sum()))
            np.testing.assert_allclose(lse, expected, rtol=float(np.finfo(dtype).eps))


def test_rows_that_lie_backwards_in_memory_give_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        n_q, n_k, d_k, d_v = rng.integers(1, 6, 4)
        arrays = [rng.normal(size=(2, *tail)) for tail in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]
        backwards = [x[:, ::-1].copy()[:, ::-1] for x in arrays]
        np.testing.assert_array_equal(regard.attention(*backwards), regard.attention(*arrays))
