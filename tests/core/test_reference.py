"""The reference against numbers and lists of pairs written out by hand."""

from __future__ import annotations

import ast
import inspect
import math
from typing import Any

import ml_dtypes
import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from regard.core import reference
from regard.core.reference import Reference, attention

Array = NDArray[np.float64]
NAN, INF = math.nan, math.inf
E = math.e


def one_query(scores: list[float], values: list[list[float]], mask: Any = None) -> Reference:
    """One query whose scores are exactly `scores`."""
    return attention([[1.0]], [[s] for s in scores], values, mask, scale=1.0)


def pairs(result: Reference) -> list[tuple[int, ...]]:
    """The (..., query, key) with a weight, after seeing that weights and scores agree on them."""
    assert_array_equal(result.weights > 0, result.masked > -INF)
    return [tuple(int(n) for n in place) for place in np.argwhere(result.weights > 0)]


def blank(n_q: int, n_k: int, *lead: int) -> tuple[Array, Array, Array]:
    """Query, key and value without content, so that only the mask decides."""
    return np.zeros((*lead, n_q, 2)), np.zeros((*lead, n_k, 2)), np.ones((*lead, n_k, 1))


# --- closed forms -----------------------------------------------------------------------


def test_scores_zero_and_one_give_one_and_e_over_their_sum() -> None:
    result = one_query([0.0, 1.0], [[3.0, 0.0], [0.0, 5.0]])
    assert_allclose(result.weights, [[1 / (1 + E), E / (1 + E)]], rtol=1e-15)
    assert_allclose(result.output, [[3 / (1 + E), 5 * E / (1 + E)]], rtol=1e-15)
    assert_allclose(result.lse, [math.log(1 + E)], rtol=1e-15)
    for stage in (result.raw, result.softcapped, result.masked):
        assert_array_equal(stage, [[0.0, 1.0]])


def test_a_single_key_is_copied_exactly() -> None:
    result = attention([[0.3, -7.0]], [[11.0, 0.1]], [[2.5, -1.25, 7.0]])
    assert_array_equal(result.weights, [[1.0]])
    assert_array_equal(result.output, [[2.5, -1.25, 7.0]])
    assert_array_equal(result.lse, result.raw[:, 0])


# 002_3bdb44851b502ebf, question 1: X = [[2, 3], [-1, 0], [1, -2]], W_V = diag(8, 9) and the
# W_Q and W_K given there. The second query is (-1, 0, -2); its printed solution has a wrong sign.
WORKED_Q = [[2, 3, -5], [-1, 0, -2], [1, -2, 8]]
WORKED_K = [[-6, 0, 1], [0, 0, 1], [4, 0, -3]]
WORKED_V = [[16, 27], [-8, 0], [8, -18]]


def test_the_worked_example_comes_out_unscaled() -> None:
    result = attention(WORKED_Q, WORKED_K, WORKED_V, scale=1)
    assert_array_equal(result.raw, [[-17, -5, 23], [4, -2, 2], [2, 8, -20]])
    weights = [
        [4.2483542552886514e-18, 6.914400106935422e-13, 0.9999999999993086],
        [0.8788782427321509, 0.002178521357197023, 0.11894323591065208],
        [0.002472623156633069, 0.9975273768426772, 6.897303401116787e-13],
    ]
    output = [
        [7.999999999988937, -17.999999999987555],
        [14.996169600142055, 21.58873430737634],
        [-7.940657044229771, 0.06676082521667771],
    ]
    assert_allclose(result.weights, weights, rtol=1e-13)
    assert_allclose(result.output, output, rtol=1e-13)


def test_without_a_scale_the_worked_example_is_divided_by_the_root_of_three() -> None:
    result = attention(WORKED_Q, WORKED_K, WORKED_V)
    root = math.sqrt(3)
    assert_allclose(result.raw[1], [4 / root, -2 / root, 2 / root], rtol=1e-15)
    row = [0.7426920888803679, 0.023247089180160156, 0.234060821939472]
    assert_allclose(result.weights[1], row, rtol=1e-13)
    assert_allclose(result.output[2], [-7.271572420280542, 0.8194776990874713], rtol=1e-13)


@pytest.mark.parametrize("shift", [1e4, 0.0, -1e4])
def test_lse_and_weights_agree_with_fifty_digits(shift: float) -> None:
    scores = [shift + step for step in (0.25, -1.5, 2.75, -40.0, 2.5)]  # exact in binary
    result = one_query(scores, [[0.0]] * 5)
    with mpmath.workdps(50):
        exps = [mpmath.exp(mpmath.mpf(s)) for s in scores]
        total = mpmath.fsum(exps)
        lse, weights = float(mpmath.log(total)), [float(e / total) for e in exps]
    assert_allclose(result.lse, [lse], rtol=5e-16)
    assert_allclose(result.weights, [weights], rtol=2e-15)


def test_scores_twenty_thousand_apart_neither_overflow_nor_lose_the_larger() -> None:
    result = one_query([-1e4, 1e4], [[3.0], [7.0]])
    assert_array_equal(result.weights, [[0.0, 1.0]])
    assert_array_equal(result.output, [[7.0]])
    assert_array_equal(result.lse, [1e4])


@pytest.mark.parametrize(
    ("dtype", "number", "square"),
    [
        (np.float16, 1.0009765625, 1.00195407867431640625),
        (ml_dtypes.bfloat16, 1.0078125, 1.01568603515625),
    ],
)
def test_sixteen_bit_inputs_are_multiplied_in_float64(
    dtype: Any, number: float, square: float
) -> None:
    x = np.array([[number]], dtype)
    result = attention(x, x, x, np.array([[0.5]], dtype), scale=1.0)
    assert_array_equal(result.raw, [[square]])  # has more bits than the dtype
    assert_array_equal(result.masked, [[square + 0.5]])
    assert_array_equal(result.output, [[number]])
    assert {getattr(result, name).dtype for name in vars(result)} == {np.dtype(np.float64)}


# --- heads and batches --------------------------------------------------------------------

# Query heads look for feature 0; in key head g only key g has it, so key head g gives v_g.
ONE_HOT_KEYS = 1000.0 * np.eye(3)[:, :, np.newaxis]  # (3 key heads, 3 keys, 1)


def test_neighbouring_query_heads_share_a_key_head() -> None:
    values = [[[10.0], [20.0], [30.0]]]
    result = attention(np.ones((6, 1, 1)), ONE_HOT_KEYS, values)
    assert_array_equal(result.output[:, 0, 0], [10, 10, 20, 20, 30, 30])


def test_value_heads_are_shared_by_their_own_count() -> None:
    # Key heads 0 1 2 serve two heads each, value heads 0 1 three each.
    values = np.array([[10, 20, 30], [11, 21, 31]], float)[:, :, np.newaxis]
    result = attention(np.ones((6, 1, 1)), ONE_HOT_KEYS, values)
    assert_array_equal(result.output[:, 0, 0], [10, 10, 20, 21, 31, 31])


@pytest.mark.parametrize("query_shape", [(2, 5), (1, 2, 5)])
def test_a_query_with_one_head_or_none_takes_the_most_heads_of_the_others(
    query_shape: tuple[int, ...],
) -> None:
    query, key, value = np.zeros(query_shape), np.zeros((7, 5)), np.zeros((7, 3))
    many_keys, many_values, mask = (
        np.zeros((6, 7, 5)),
        np.zeros((3, 7, 3)),
        np.ones((4, 2, 7), bool),
    )
    assert attention(query, many_keys, value).output.shape == (6, 2, 3)
    assert attention(query, key, many_values).output.shape == (3, 2, 3)
    assert attention(query, many_keys, many_values).output.shape == (6, 2, 3)
    assert attention(query, key, value, mask).output.shape == (4, 2, 3)


def test_a_mask_has_one_head_or_a_head_for_each_head() -> None:
    query, key, value = blank(1, 3, 2)
    per_head = [[[True, False, False]], [[False, False, True]]]
    assert pairs(attention(query, key, value, per_head)) == [(0, 0, 0), (1, 0, 2)]
    assert pairs(attention(query, key, value, [[[False, True, False]]])) == [(0, 0, 1), (1, 0, 1)]
    assert pairs(attention(query, key, value, per_head[1])) == [(0, 0, 2), (1, 0, 2)]
    assert pairs(attention(query, key, value, [True, False, False])) == [(0, 0, 0), (1, 0, 0)]


def test_without_a_third_axis_the_result_has_none() -> None:
    result = attention(np.zeros((2, 5)), np.zeros((7, 5)), np.zeros((7, 3)))
    assert result.output.shape == (2, 3)
    assert result.lse.shape == (2,)
    for name in ("weights", "raw", "softcapped", "masked"):
        assert getattr(result, name).shape == (2, 7)


@pytest.mark.parametrize("lead", [(1,), (1, 1), (1, 1, 1)])
def test_axes_of_size_one_stay(lead: tuple[int, ...]) -> None:
    result = attention(np.zeros((*lead, 2, 5)), np.zeros((7, 5)), np.zeros((7, 3)))
    assert result.output.shape == (*lead, 2, 3)
    assert result.lse.shape == (*lead, 2)


def test_batch_axes_broadcast_among_query_key_value_and_mask() -> None:
    # One key per batch entry, so output = value wherever the mask allows it.
    query = np.ones((2, 1, 1, 1, 1, 1))
    key = np.arange(3.0).reshape(1, 3, 1, 1, 1, 1)
    value = 10 * np.arange(5.0).reshape(5, 1, 1, 1)
    mask = np.array([False] + 6 * [True]).reshape(7, 1, 1, 1, 1, 1, 1)
    result = attention(query, key, value, mask)
    assert result.output.shape == (7, 2, 3, 5, 1, 1, 1)
    for a, b, c, d in np.ndindex(7, 2, 3, 5):
        assert result.raw[a, b, c, d].item() == c
        assert result.output[a, b, c, d].item() == (0 if a == 0 else 10 * d)


def test_each_batch_and_head_has_its_own_query_key_and_value() -> None:
    rng = np.random.default_rng(11)
    query, key, value = (rng.normal(size=(2, 3, n, d)) for n, d in ((5, 7), (11, 7), (11, 13)))
    result = attention(query, key, value)
    for b, h in np.ndindex(2, 3):
        alone = attention(query[b, h], key[b, h], value[b, h])
        for name in vars(result):
            assert_array_equal(getattr(result, name)[b, h], getattr(alone, name))
    assert len(np.unique(result.output)) == result.output.size


# --- which keys are allowed -----------------------------------------------------------------


def test_causal_queries_see_keys_up_to_their_own_index() -> None:
    result = attention(*blank(2, 3), is_causal=True)
    assert pairs(result) == [(0, 0), (1, 0), (1, 1)]
    assert_allclose(result.weights, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], rtol=1e-15)


def test_causal_offset_moves_the_diagonal_both_ways() -> None:
    later = attention(*blank(2, 3), is_causal=True, causal_offset=1)
    assert pairs(later) == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    earlier = attention(*blank(3, 2), is_causal=True, causal_offset=-1)
    assert pairs(earlier) == [(1, 0), (2, 0), (2, 1)]


def test_causal_offset_alone_changes_nothing() -> None:
    assert len(pairs(attention(*blank(2, 3), causal_offset=-7))) == 6


def test_a_window_counts_keys_left_and_right_of_the_query() -> None:
    both = attention(*blank(3, 5), window=(1, 2))
    assert pairs(both) == [
        (0, 0), (0, 1), (0, 2),
        (1, 0), (1, 1), (1, 2), (1, 3),
        (2, 1), (2, 2), (2, 3), (2, 4),
    ]  # fmt: skip
    assert pairs(attention(*blank(3, 5), window=(0, 0))) == [(0, 0), (1, 1), (2, 2)]


def test_a_window_side_of_none_is_unbounded() -> None:
    left_only = attention(*blank(3, 3), window=(0, None))
    assert pairs(left_only) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    right_only = attention(*blank(3, 3), window=(None, 0))
    assert pairs(right_only) == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    assert len(pairs(attention(*blank(3, 3), window=(None, None)))) == 9


def test_causal_offset_moves_the_window_also_without_is_causal() -> None:
    result = attention(*blank(2, 5), window=(1, 1), causal_offset=2)
    assert pairs(result) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (1, 4)]


def test_a_boolean_mask_allows_where_it_is_true() -> None:
    result = attention(*blank(2, 3), [[True, False, True], [False, True, False]])
    assert pairs(result) == [(0, 0), (0, 2), (1, 1)]


def test_a_float_mask_is_added_and_forbids_where_it_is_minus_infinity() -> None:
    result = one_query([0.0, 2.0, 5.0], [[3.0], [7.0], [100.0]], [[1.0, 0.0, -INF]])
    assert pairs(result) == [(0, 0), (0, 1)]
    assert_array_equal(result.masked, [[1.0, 2.0, -INF]])
    assert_allclose(result.output, [[(3 + 7 * E) / (1 + E)]], rtol=1e-15)


def test_a_float_mask_of_zeros_and_ones_is_not_a_boolean_mask() -> None:
    result = one_query([0.0, 0.0], [[1.0], [2.0]], [[0.0, 1.0]])
    assert_allclose(result.weights, [[1 / (1 + E), E / (1 + E)]], rtol=1e-15)


def test_keys_from_the_key_length_on_are_padding() -> None:
    assert pairs(attention(*blank(2, 3), key_lengths=2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(pairs(attention(*blank(2, 3), key_lengths=3))) == 6


def test_all_rules_together_allow_what_each_allows() -> None:
    mask = np.ones((3, 7), bool)
    mask[1, 2] = False
    result = attention(
        *blank(3, 7), mask, is_causal=True, causal_offset=2, window=(2, 5), key_lengths=4
    )
    # causal: j <= i + 2; window: i <= j; lengths: j < 4; mask: not (1, 2)
    assert pairs(result) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 3), (2, 2), (2, 3)]


def test_offsets_and_lengths_per_batch_hold_for_all_heads_of_that_batch() -> None:
    tensors = blank(1, 3, 2, 3)  # two batches, three heads
    offsets = attention(*tensors, is_causal=True, causal_offset=[0, 1])
    first = [(0, h, 0, 0) for h in range(3)]
    second = [(1, h, 0, j) for h in range(3) for j in range(2)]
    assert pairs(offsets) == first + second
    assert pairs(attention(*tensors, key_lengths=np.array([1, 2]))) == first + second
    windows = attention(*tensors, window=(0, 0), causal_offset=[2, 1])
    assert pairs(windows) == [(b, h, 0, 2 - b) for b in range(2) for h in range(3)]


def test_with_as_many_heads_as_batches_a_number_still_belongs_to_its_batch() -> None:
    result = attention(*blank(1, 3, 2, 2), key_lengths=[1, 2])
    assert pairs(result) == [
        (0, 0, 0, 0), (0, 1, 0, 0),
        (1, 0, 0, 0), (1, 0, 0, 1), (1, 1, 0, 0), (1, 1, 0, 1),
    ]  # fmt: skip


def test_with_two_batch_axes_the_numbers_have_both() -> None:
    result = attention(*blank(1, 7, 2, 3, 1), key_lengths=[[1, 2, 3], [4, 5, 6]])
    assert_array_equal((result.weights > 0).sum(axis=(-3, -2, -1)), [[1, 2, 3], [4, 5, 6]])


def test_with_three_axes_the_leading_one_is_the_batch() -> None:
    lengths = attention(*blank(1, 3, 2), key_lengths=[2, 1])
    assert pairs(lengths) == [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
    offsets = attention(*blank(1, 3, 2), is_causal=True, causal_offset=[1, 0])
    assert pairs(offsets) == [(0, 0, 0), (0, 0, 1), (1, 0, 0)]


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (1, 3)])
def test_a_single_number_in_an_array_is_for_every_batch(lead: tuple[int, ...]) -> None:
    result = attention(*blank(1, 5, *lead), is_causal=True, causal_offset=[2], key_lengths=[[4]])
    expected = np.broadcast_to([[True, True, True, False, False]], (*lead, 1, 5))
    assert_array_equal(result.weights > 0, expected)


# --- rows with nothing, and sizes of zero ------------------------------------------------------


def assert_empty_row(result: Reference, *row: int) -> None:
    assert_array_equal(result.output[row], 0.0)
    assert_array_equal(result.weights[row], 0.0)
    assert_array_equal(result.lse[row], -INF)
    assert_array_equal(result.masked[row], -INF)


def test_a_row_with_nothing_to_attend_to_gives_zero() -> None:
    result = attention(*blank(2, 3), [[False, False, False], [False, True, False]])
    assert_empty_row(result, 0)
    assert_array_equal(result.output[1], [1.0])


def test_a_row_of_minus_infinity_in_a_float_mask_gives_zero() -> None:
    result = one_query([1.0, INF, NAN], [[NAN], [2.0], [INF]], [[-INF, -INF, -INF]])
    assert_empty_row(result, 0)


def test_a_key_length_of_zero_gives_zero() -> None:
    result = attention(*blank(2, 3, 2, 1), key_lengths=[0, 3])
    assert_empty_row(result, 0, 0, 0)
    assert_empty_row(result, 0, 0, 1)
    assert len(pairs(result)) == 6


def test_scores_that_are_all_minus_infinity_by_arithmetic_give_zero() -> None:
    assert_empty_row(one_query([-INF, -INF], [[3.0], [NAN]]), 0)


def test_no_keys_give_zero() -> None:
    result = attention(np.ones((2, 5)), np.ones((0, 5)), np.ones((0, 3)))
    assert_array_equal(result.output, np.zeros((2, 3)))
    assert_array_equal(result.lse, [-INF, -INF])
    assert result.weights.shape == result.masked.shape == (2, 0)


def test_no_queries_and_no_value_columns_give_empty_arrays() -> None:
    no_queries = attention(np.ones((3, 0, 5)), np.ones((3, 7, 5)), np.ones((3, 7, 2)))
    assert no_queries.output.shape == (3, 0, 2)
    assert no_queries.weights.shape == (3, 0, 7)
    assert no_queries.lse.shape == (3, 0)
    no_columns = attention(np.zeros((2, 5)), np.zeros((4, 5)), np.zeros((4, 0)))
    assert no_columns.output.shape == (2, 0)
    assert_array_equal(no_columns.weights, np.full((2, 4), 0.25))


@pytest.mark.parametrize("scale", [None, 3.0])
def test_without_features_all_scores_are_zero(scale: float | None) -> None:
    result = attention(
        np.zeros((2, 0)), np.zeros((4, 0)), [[1.0], [2.0], [3.0], [6.0]], scale=scale
    )
    assert_array_equal(result.raw, np.zeros((2, 4)))
    assert_array_equal(result.output, [[3.0], [3.0]])


@pytest.mark.parametrize("lead", [(0, 3), (2, 0), (0,)])
def test_no_batches_and_no_heads_give_empty_arrays(lead: tuple[int, ...]) -> None:
    key, value = np.ones((*lead, 7, 2)), np.ones((*lead, 7, 3))
    assert attention(np.ones((*lead, 5, 2)), key, value).output.shape == (*lead, 5, 3)
    one_head = np.ones((*lead[:-1], 1, 5, 2))
    assert attention(one_head, key, value).output.shape == (*lead, 5, 3)


# --- NaN and infinity ----------------------------------------------------------------------


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize(
    "rule",
    [
        {"mask": [[True, True, False]]},
        {"mask": [[0.0, 0.0, -INF]]},
        {"mask": [[0.0, 0.0, NAN]], "key_lengths": 2},
        {"is_causal": True, "causal_offset": 1},
        {"window": (1, 1)},
        {"window": (0, 1), "key_lengths": 2},
    ],
)
def test_what_is_not_allowed_does_not_reach_the_row(rule: dict[str, Any], bad: float) -> None:
    key, value = [[0.0], [1.0], [bad]], [[3.0], [7.0], [bad]]
    result = attention([[1.0]], key, value, scale=1.0, **rule)
    assert_allclose(result.weights, [[1 / (1 + E), E / (1 + E), 0.0]], rtol=1e-15)
    assert_allclose(result.output, [[(3 + 7 * E) / (1 + E)]], rtol=1e-15)
    assert_allclose(result.lse, [math.log(1 + E)], rtol=1e-15)
    assert_array_equal(result.raw, [[0.0, 1.0, bad]])  # still shown here
    assert_array_equal(result.softcapped, [[0.0, 1.0, bad]])
    assert_array_equal(result.masked, [[0.0, 1.0, -INF]])


@pytest.mark.parametrize("scores", [[NAN, 0.0, 2000.0], [0.0, NAN, 2000.0], [2000.0, 0.0, NAN]])
def test_a_nan_score_makes_its_row_nan_but_not_the_weights_of_other_keys(
    scores: list[float],
) -> None:
    # The fourth key is not allowed, the fifth has a score of -inf by arithmetic.
    result = one_query([*scores, 1.0, -INF], [[1.0, 1.0]] * 5, [[True, True, True, False, True]])
    assert_array_equal(result.weights, [[NAN, NAN, NAN, 0.0, 0.0]])
    assert_array_equal(result.output, [[NAN, NAN]])
    assert_array_equal(result.lse, [NAN])


def test_a_nan_in_one_row_leaves_the_other_rows_alone() -> None:
    result = attention([[NAN], [0.0]], [[1.0], [2.0]], [[3.0], [5.0]])
    assert_array_equal(result.output, [[NAN], [4.0]])


def test_a_nan_in_a_float_mask_counts_as_a_nan_score() -> None:
    result = one_query([0.0, 1.0], [[3.0], [5.0]], [[0.0, NAN]])
    assert_array_equal(result.weights, [[NAN, NAN]])
    assert_array_equal(result.lse, [NAN])


def test_a_score_of_plus_infinity_gives_nan() -> None:
    result = one_query([0.0, INF, -INF], [[3.0], [5.0], [7.0]])
    assert_array_equal(result.weights, [[NAN, NAN, 0.0]])
    assert_array_equal(result.output, [[NAN]])
    assert_array_equal(result.lse, [NAN])


def test_a_score_of_minus_infinity_by_arithmetic_hides_its_value() -> None:
    result = one_query([0.0, -INF, 1.0], [[3.0], [NAN], [7.0]])
    assert_allclose(result.weights, [[1 / (1 + E), 0.0, E / (1 + E)]], rtol=1e-15)
    assert_allclose(result.output, [[(3 + 7 * E) / (1 + E)]], rtol=1e-15)


def test_a_nan_or_infinite_value_that_is_attended_to_reaches_its_own_column_only() -> None:
    values = [[3.0, NAN, 1.0], [5.0, 2.0, INF]]
    assert_array_equal(one_query([0.0, 0.0], values).output, [[4.0, NAN, INF]])
    # A weight that is too small for float64 still counts as attending: 0 * NaN is NaN.
    assert_array_equal(one_query([-1e4, 1e4], values).output, [[5.0, NAN, INF]])


def test_scores_that_overflow_follow_the_rules_for_infinity_without_a_warning() -> None:
    huge = np.float64(1e200)
    result = attention([[huge]], [[huge], [-huge]], [[3.0], [5.0]], scale=huge)
    assert_array_equal(result.raw, [[INF, -INF]])
    assert_array_equal(result.weights, [[NAN, 0.0]])


# --- softcap ----------------------------------------------------------------------------------


def test_softcap_bounds_the_scores_before_the_mask_is_added() -> None:
    result = attention(
        [[1.0]], [[1.0], [4.0], [0.0]], [[1.0]] * 3, [[10.0, 0.0, -INF]], scale=1.0, softcap=2.0
    )
    capped = [2 * math.tanh(0.5), 2 * math.tanh(2.0), 0.0]
    assert_array_equal(result.raw, [[1.0, 4.0, 0.0]])
    assert_allclose(result.softcapped, [capped], rtol=1e-15)
    assert_allclose(result.masked, [[capped[0] + 10.0, capped[1], -INF]], rtol=1e-15)
    a, b = math.exp(capped[0] + 10.0), math.exp(capped[1])
    assert_allclose(result.weights, [[a / (a + b), b / (a + b), 0.0]], rtol=1e-14)


def test_softcap_comes_after_the_scale() -> None:
    result = attention([[3.0]], [[4.0]], [[1.0]], scale=0.5, softcap=6.0)
    assert_allclose(result.softcapped, [[6 * math.tanh(1.0)]], rtol=1e-15)


def test_softcap_makes_infinite_scores_finite() -> None:
    result = attention([[1.0]], [[INF], [-INF]], [[3.0], [5.0]], scale=1.0, softcap=0.5)
    assert_array_equal(result.masked, [[0.5, -0.5]])
    assert_allclose(result.output, [[(3 * E + 5) / (E + 1)]], rtol=1e-15)


@pytest.mark.parametrize("softcap", [None, 0.0])
def test_a_softcap_of_zero_or_none_is_no_softcap(softcap: float | None) -> None:
    result = attention([[1.0]], [[7.0]], [[1.0]], scale=1.0, softcap=softcap)
    assert_array_equal(result.softcapped, [[7.0]])


# --- independence -------------------------------------------------------------------------------


def test_the_reference_shares_no_code_with_the_rest_and_leaves_the_arithmetic_to_python() -> None:
    tree = list(ast.walk(ast.parse(inspect.getsource(reference))))
    imported = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    for node in tree:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module))
    assert imported <= {"__future__", "math", "typing", "dataclasses", "numpy", "numpy.typing"}
    from_numpy = {
        node.attr
        for node in tree
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
    }
    containers = {"asarray", "zeros", "newaxis", "float64", "bool_"}
    assert from_numpy <= containers | {"broadcast_shapes", "broadcast_to", "ndindex"}
    assert not any(isinstance(getattr(node, "op", None), ast.MatMult) for node in tree)
