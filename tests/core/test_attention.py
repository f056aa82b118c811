"""Attention by hand, at its edges, and at the edges of its tiles."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import regard
from regard.core import reference
from regard.core.kernels import numpy_tiles

RNG = np.random.default_rng(20)


def normal(*shape: int, dtype: Any = np.float64) -> Any:
    return RNG.standard_normal(shape).astype(dtype)


def assert_like_reference(query: Any, key: Any, value: Any, *args: Any, **rules: Any) -> None:
    """Compare output, weights and lse with the loops in float64."""
    expected = reference.attention(query, key, value, *args, **rules)
    tolerance = 1e-13 if np.result_type(query) == np.float64 else 3e-6
    output, weights = regard.attention_with_weights(query, key, value, *args, **rules)
    np.testing.assert_allclose(output, expected.output, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(weights, expected.weights, rtol=100 * tolerance, atol=tolerance)
    output, lse = regard.attention_with_lse(query, key, value, *args, **rules)
    np.testing.assert_allclose(output, expected.output, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(lse, expected.lse, rtol=tolerance, atol=tolerance)


def test_scores_zero_and_one_give_weights_one_and_e() -> None:
    _, weights = regard.attention_with_weights([[1.0]], [[0.0], [1.0]], np.eye(2), scale=1)
    np.testing.assert_allclose(weights, [np.array([1, np.e]) / (1 + np.e)], rtol=1e-15)


def test_the_worked_example_of_002_3bdb44851b502ebf() -> None:
    # Case G43 of the golden numbers, recomputed there to 50 digits.
    x = np.array([[2, 3], [-1, 0], [1, -2]])
    query = x @ [[1, 0, 2], [0, 1, -3]]
    key = x @ [[0, 0, -1], [-2, 0, 1]]
    value = x @ [[8, 0], [0, 9]]
    scores = regard.attention_scores(query, key, scale=1)
    np.testing.assert_array_equal(scores, [[-17, -5, 23], [4, -2, 2], [2, 8, -20]])
    output, weights = regard.attention_with_weights(query, key, value, scale=1)
    np.testing.assert_allclose(
        weights[2], [0.002472623156633069, 0.9975273768426772, 6.897303401116787e-13], rtol=1e-14
    )
    np.testing.assert_allclose(output[1], [14.996169600142055, 21.58873430737634], rtol=1e-14)
    scaled = regard.attention(query, key, value)  # the default scale is 1/sqrt(3) here
    np.testing.assert_allclose(scaled[2], [-7.271572420280542, 0.8194776990874713], rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_q", [1, 127, 128, 129])
@pytest.mark.parametrize("n_k", [511, 512, 513, 1025])
def test_lengths_around_the_tile_agree_with_the_reference(dtype: Any, n_q: int, n_k: int) -> None:
    query, key, value = normal(n_q, 3, dtype=dtype), normal(n_k, 3, dtype=dtype), normal(n_k, 2)
    rows = [0, n_q // 2, n_q - 1]
    expected = reference.attention(query[rows], key, value.astype(dtype))
    tolerance = 1e-13 if dtype == np.float64 else 2e-6
    output, lse = regard.attention_with_lse(query, key, value.astype(dtype))
    np.testing.assert_allclose(output[rows], expected.output, atol=tolerance)
    np.testing.assert_allclose(lse[rows], expected.lse, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("offset", [-600, -1, 0, 1, 385, 386, 2000])
def test_causal_order_across_tiles_agrees_with_the_reference(offset: int) -> None:
    query, key, value = normal(130, 2), normal(515, 2), normal(515, 3)
    rules: dict[str, Any] = {"is_causal": True, "causal_offset": offset}
    assert_like_reference(query, key, value, **rules)


@pytest.mark.parametrize("window", [(0, 0), (3, None), (None, 2), (140, 90), (10**30, 0)])
def test_windows_across_tiles_agree_with_the_reference(window: Any) -> None:
    query, key, value = normal(130, 2), normal(515, 2), normal(515, 3)
    assert_like_reference(query, key, value, window=window, causal_offset=380)


@pytest.mark.parametrize("large", [1e4, -1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_ten_thousand_neither_overflow_nor_vanish(large: float, dtype: Any) -> None:
    query = np.full((1, 1), large, dtype=dtype)
    key = np.array([[1], [1 - 2.0**-13], [0.5], [-1]], dtype=dtype)  # exact scores in float32
    value = np.eye(4, dtype=dtype)
    assert_like_reference(query, key, value, scale=1)


def test_a_peak_that_rises_from_tile_to_tile_agrees_with_the_reference() -> None:
    key = np.linspace(-1, 1, 1601)[:, None]
    assert_like_reference(np.array([[1e4], [-1e4], [3.0]]), key, normal(1601, 2), scale=1)


def test_five_thousand_keys_agree_with_the_reference() -> None:
    query, key, value = normal(5000, 5), normal(5000, 5), normal(5000, 3)
    output, lse = regard.attention_with_lse(query, key, value)
    rows = [0, 2500, 4999]
    expected = reference.attention(query[rows], key, value)
    np.testing.assert_allclose(output[rows], expected.output, atol=1e-14)
    np.testing.assert_allclose(lse[rows], expected.lse, rtol=1e-14)


@pytest.mark.parametrize("spread", [1.0, 30.0, 1e4])
def test_lse_agrees_with_fifty_digits(spread: float) -> None:
    key = RNG.uniform(-spread, spread, (701, 1))
    _, lse = regard.attention_with_lse([[1.0]], key, np.ones((701, 1)), scale=1)
    with mpmath.workdps(50):
        exact = mpmath.log(mpmath.fsum(mpmath.exp(mpmath.mpf(float(s))) for s in key[:, 0]))
        error = abs(mpmath.mpf(float(lse[0])) - exact) / exact
    assert error < 4e-16


@pytest.mark.parametrize(
    "shapes",
    [
        ((0, 3), (5, 3), (5, 2)),
        ((4, 3), (0, 3), (0, 2)),
        ((4, 0), (5, 0), (5, 2)),
        ((4, 3), (5, 3), (5, 0)),
        ((0, 2, 4, 3), (0, 2, 5, 3), (0, 2, 5, 2)),
        ((2, 0, 4, 3), (2, 0, 5, 3), (2, 0, 5, 2)),
    ],
)
def test_axes_of_length_zero_agree_with_the_reference(shapes: Any) -> None:
    query, key, value = (normal(*shape) for shape in shapes)
    assert_like_reference(query, key, value)
    expected = reference.attention(query, key, value)
    for stage in ("raw", "softcapped", "masked"):
        scores = regard.attention_scores(query, key, stage=stage)
        np.testing.assert_allclose(scores, getattr(expected, stage), atol=1e-14)


@pytest.mark.parametrize(
    "rules",
    [
        {"mask": np.zeros((3, 1), dtype=bool)},
        {"mask": np.full((5,), -np.inf)},
        {"is_causal": True, "causal_offset": -9},
        {"window": (0, 0), "causal_offset": 50},
        {"key_lengths": 0},
        {"key_lengths": 2, "window": (0, 0), "causal_offset": 2, "softcap": 3.0},
    ],
)
def test_a_query_with_nothing_to_attend_to_gives_zero_zero_and_minus_infinity(rules: Any) -> None:
    query, key, value = normal(3, 4), normal(5, 4), normal(5, 2)
    query[1] = np.nan
    key[1] = np.nan
    value[3] = np.inf
    output, weights = regard.attention_with_weights(query, key, value, **rules)
    np.testing.assert_array_equal(output, np.zeros((3, 2)))
    np.testing.assert_array_equal(weights, np.zeros((3, 5)))
    np.testing.assert_array_equal(
        regard.attention_with_lse(query, key, value, **rules)[1], np.full(3, -np.inf)
    )


def test_nan_and_infinity_that_are_masked_out_reach_no_row() -> None:
    query, key, value = normal(300, 4), normal(700, 4), normal(700, 2)
    clean = regard.attention(query, key[:650], value[:650])
    key[650:] = np.nan
    value[650:, 0] = np.inf
    value[660:] = np.nan
    for rules in (
        {"key_lengths": 650},
        {"mask": np.arange(700) < 650},
        {"mask": np.where(np.arange(700) < 650, 0, -np.inf)},
    ):
        np.testing.assert_allclose(regard.attention(query, key, value, **rules), clean, atol=1e-14)


def test_nan_reaches_only_the_rows_and_columns_that_attend_to_it() -> None:
    query, key, value = np.ones((4, 1)), np.ones((4, 1)), np.ones((4, 3))
    value[1, 0] = np.nan
    value[2, 1] = np.inf
    value[3, 1] = -np.inf
    output = regard.attention(query, key, value, is_causal=True)
    n, i = np.nan, np.inf
    np.testing.assert_array_equal(output, [[1, 1, 1], [n, 1, 1], [n, i, 1], [n, n, 1]])


def test_averages_of_very_large_values_do_not_overflow() -> None:
    value = np.full((1000, 1), 3e38, dtype=np.float32)
    zeros = np.zeros((1000, 1), dtype=np.float32)
    np.testing.assert_allclose(regard.attention(zeros[:1], zeros, value), [[3e38]], rtol=1e-6)


def test_batch_axes_broadcast_and_masks_may_add_to_them() -> None:
    query, key, value = normal(5, 1, 1, 3, 2), normal(7, 4, 6, 2), normal(6, 8)
    mask = RNG.random((2, 1, 1, 1, 3, 6)) < 0.8
    output = regard.attention(query, key, value, mask)
    assert output.shape == (2, 5, 7, 4, 3, 8)
    one = regard.attention(query[4, 0, 0], key[6, 3], value, mask[1, 0, 0, 0])
    np.testing.assert_array_equal(output[1, 4, 6, 3], one)


def test_key_and_value_heads_may_be_grouped_differently() -> None:
    query, key, value = normal(12, 3, 2), normal(4, 5, 2), normal(6, 5, 7)
    expected = regard.attention(query, key.repeat(3, axis=0), value.repeat(2, axis=0))
    np.testing.assert_array_equal(regard.attention(query, key, value), expected)


def test_three_axes_take_their_first_as_the_batch_of_per_batch_arguments() -> None:
    query, key, value = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 7)
    output = regard.attention(query, key, value, key_lengths=[5, 2])
    np.testing.assert_array_equal(output[0], regard.attention(query[0], key[0], value[0]))
    np.testing.assert_array_equal(
        output[1], regard.attention(query[1], key[1], value[1], key_lengths=2)
    )


@pytest.mark.parametrize("dtype", [np.float16, "bfloat16", np.float32, np.float64])
def test_results_have_the_dtype_that_came_in(dtype: Any) -> None:
    import ml_dtypes

    dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    query, key, value = (x.astype(dtype) for x in (normal(3, 4), normal(5, 4), normal(5, 2)))
    output, weights = regard.attention_with_weights(query, key, value)
    _, lse = regard.attention_with_lse(query, key, value)
    assert output.dtype == weights.dtype == regard.attention_scores(query, key).dtype == dtype
    assert lse.dtype == (np.float64 if dtype == np.float64 else np.float32)
    exact = reference.attention(query, key, value)
    np.testing.assert_allclose(lse, exact.lse, rtol=3e-6)
    # 16-bit results were computed in float32 and rounded once: half a step of the dtype away.
    half = output.dtype.itemsize == 2
    step = (0.51 if half else 8) * float(ml_dtypes.finfo(dtype).eps)
    size = step * (0.01 if half else np.abs(value).max())  # values may cancel
    np.testing.assert_allclose(output.astype(float), exact.output, rtol=step, atol=size)


def test_integers_and_lists_are_computed_in_float64() -> None:
    output = regard.attention([[0, 0]], [[1, 2], [3, 4]], [[1], [2]])
    assert output.dtype == np.float64
    np.testing.assert_array_equal(output, [[1.5]])


def test_strides_of_every_kind_are_read_correctly() -> None:
    query = normal(6, 10, 8, 2)[::-2, ::3, ::2, 1]  # (3, 4, 4), no axis contiguous
    key = normal(4, 8, 3).T[:, ::-1]  # (3, 8, 4), transposed and reversed
    value = np.broadcast_to(normal(8, 1), (8, 5))  # stride 0
    expected = reference.attention(query, key, value)
    np.testing.assert_allclose(regard.attention(query, key, value), expected.output, atol=1e-14)


@pytest.mark.parametrize("order", [">", "<"])
def test_arrays_of_either_byte_order_are_read(order: str) -> None:
    query, key, value = normal(3, 4), normal(5, 4), normal(5, 2)
    expected = regard.attention(query, key, value)
    turned = [x.astype(f"{order}f8") for x in (query, key, value)]
    np.testing.assert_array_equal(regard.attention(*turned), expected)


def test_large_problems_are_cut_into_tiles_of_one_size_and_small_ones_joined() -> None:
    rows, columns, together = numpy_tiles.tile_sizes(10_000, 10_000)
    assert together == 1
    assert rows * columns == numpy_tiles.SCORES
    rows, columns, together = numpy_tiles.tile_sizes(1, 8)
    assert rows * columns * together == numpy_tiles.SCORES
    covered = np.zeros((3, 5, 7), dtype=int)
    for index in numpy_tiles.outer_blocks(covered.shape, 14):
        covered[index] += 1
    np.testing.assert_array_equal(covered, 1)
