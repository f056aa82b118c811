"""Partial attention: any split, any order, the same result."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard import AttentionState
from regard.core import reference

EMPTY = AttentionState.empty()


def assert_same(one: AttentionState, other: AttentionState, maxulp: int = 4) -> None:
    np.testing.assert_array_max_ulp(one.output, other.output, maxulp=maxulp)
    np.testing.assert_array_max_ulp(one.lse, other.lse, maxulp=maxulp)


@st.composite
def problems(draw: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k = draw(st.sampled_from([1, 3])), draw(st.sampled_from([2, 5, 17, 61]))
    d_k, d_v = draw(st.sampled_from([1, 2, 7])), draw(st.sampled_from([1, 3]))
    # From uniform weights up to scores of ±10⁴, where a last bit of a score is a thousand ulp.
    size = draw(st.sampled_from([0.1, 1.0, 10.0, 100.0]))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    query = (size * rng.standard_normal((n_q, d_k))).astype(dtype)
    key = (size * rng.standard_normal((n_k, d_k))).astype(dtype)
    value = rng.standard_normal((n_k, d_v)).astype(dtype)
    mask = rng.random((n_q, n_k)) < 0.8 if draw(st.booleans()) else np.ones((n_q, n_k), bool)
    return query, key, value, mask


@settings(deadline=None, derandomize=True, max_examples=150)
@given(problems(), st.data())
def test_any_split_and_any_tree_order_give_the_whole_to_4_ulp(
    problem: tuple[Any, ...], data: Any
) -> None:
    query, key, value, mask = problem
    whole = EMPTY.update(query, key, value, mask, scale=1)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(key) - 1), max_size=12)))
    order = data.draw(st.permutations(range(len(key))))
    parts = [
        EMPTY.update(query, key[own], value[own], mask[:, own], scale=1)
        for own in np.split(np.array(order), cuts)
    ]
    while len(parts) > 1:
        left = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        right = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        parts.append(left.merge(right))
    assert_same(parts[0], whole)


def test_keys_one_by_one_give_the_whole_to_4_ulp_even_where_the_peak_rises_each_time() -> None:
    rng = np.random.default_rng(4)
    query = np.array([[1.0], [-1.0]])
    key = np.sort(rng.uniform(0, 3, 1500))[:, None]
    value = rng.standard_normal((1500, 2))
    state = EMPTY
    for j in range(1500):
        state = state.update(query, key[j : j + 1], value[j : j + 1], scale=1)
    assert_same(state, EMPTY.update(query, key, value, scale=1))


def test_the_states_form_a_commutative_monoid() -> None:
    rng = np.random.default_rng(5)
    query = rng.standard_normal((3, 4))
    a, b, c = (
        EMPTY.update(query, rng.standard_normal((n, 4)), rng.standard_normal((n, 2)))
        for n in (5, 7, 11)
    )
    assert_same(a.merge(b), b.merge(a), maxulp=0)
    assert_same(a.merge(b).merge(c), a.merge(b.merge(c)), maxulp=1)
    assert_same(a.merge(EMPTY), a, maxulp=0)
    assert_same(EMPTY.merge(a), a, maxulp=0)
    assert_same(AttentionState.empty((3,), 2).merge(a), a, maxulp=0)


def test_the_golden_split_of_case_g48() -> None:
    # Case G48 of the golden numbers: a query of 1 makes the keys the scores.
    scores = np.array([[1], [3], [-0.5], [2], [0.25]])
    values = np.array([[1, 0], [0, 2], [3, 1], [-1, 1], [2, -2.0]])
    first = EMPTY.update([[1.0]], scores[:2], values[:2], scale=1)
    second = EMPTY.update([[1.0]], scores[2:], values[2:], scale=1)
    np.testing.assert_allclose(
        first.output, [[0.11920292202211756, 1.7615941559557649]], rtol=1e-15
    )
    merged = first.merge(second)
    np.testing.assert_allclose(
        merged.output, [[-0.008824849767552361, 1.4212510462308754]], rtol=1e-14
    )
    np.testing.assert_allclose(merged.lse, [3.468339726374983], rtol=1e-15)


@pytest.mark.parametrize("size", [1.0, 30.0])
def test_output_and_lse_agree_with_fifty_digits(size: float) -> None:
    rng = np.random.default_rng(6)
    query, key = size * rng.standard_normal((1, 5)), size * rng.standard_normal((90, 5))
    value = rng.standard_normal((90, 1))
    state = EMPTY.update(query, key, value, scale=1)
    with mpmath.workdps(50):
        exact = mpmath.matrix(key.tolist()) * mpmath.matrix(query[0].tolist())
        terms = [mpmath.exp(s) for s in exact]
        total = mpmath.fsum(terms)
        average = mpmath.fdot(zip(terms, value[:, 0].tolist(), strict=True)) / total
        lse = mpmath.log(total)
    np.testing.assert_array_max_ulp(state.output, np.array([[float(average)]]), maxulp=3)
    np.testing.assert_array_max_ulp(state.lse, np.array([float(lse)]), maxulp=1)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"is_causal": True, "causal_offset": [2, 0]},
        {"window": (1, 0), "causal_offset": 1, "key_lengths": [7, 4]},
        {"softcap": 0.8},
        {"mask": np.arange(7) % 3 > 0},
        {"mask": np.where(np.arange(7) == 2, -np.inf, np.arange(7) / 5)},
    ],
)
def test_update_obeys_every_rule_of_attention(rules: Any) -> None:
    rng = np.random.default_rng(8)
    shapes = (2, 6, 5, 3), (2, 3, 7, 3), (2, 3, 7, 4)
    query, key, value = (rng.standard_normal(shape) for shape in shapes)
    expected = reference.attention(query, key, value, **rules)
    state = EMPTY.update(query, key, value, **rules)
    np.testing.assert_allclose(state.output, expected.output, atol=1e-14)
    np.testing.assert_allclose(state.lse, expected.lse, atol=1e-14)


def test_nan_and_infinity_reach_what_attends_to_them_and_nothing_else() -> None:
    ones = np.ones((4, 1))
    value = np.ones((4, 3))
    value[1, 0] = np.nan
    value[2, 1] = np.inf
    value[3, 1] = -np.inf
    n, i = np.nan, np.inf
    expected = [[1, 1, 1], [n, 1, 1], [n, i, 1], [n, n, 1]]
    whole = EMPTY.update(ones, ones, value, is_causal=True)
    np.testing.assert_array_equal(whole.output, expected)
    parts = [
        EMPTY.update(ones, ones[j : j + 1], value[j : j + 1], is_causal=True, causal_offset=-j)
        for j in (2, 0, 3, 1)
    ]
    joined = parts[0].merge(parts[1]).merge(parts[2].merge(parts[3]))
    np.testing.assert_array_equal(joined.output, expected)


def test_a_nan_key_spoils_the_queries_that_attend_to_it() -> None:
    key = np.array([[1.0], [np.nan], [1.0]])
    state = EMPTY.update(np.ones((3, 1)), key, np.ones((3, 2)), is_causal=True)
    np.testing.assert_array_equal(state.output, [[1, 1], [np.nan] * 2, [np.nan] * 2])
    np.testing.assert_array_equal(np.isnan(state.lse), [False, True, True])


def test_a_state_of_no_keys_has_output_zero_and_lse_minus_infinity() -> None:
    for state in (
        AttentionState.empty((2, 3), 5),
        EMPTY.update(np.ones((2, 3, 1)), np.ones((2, 0, 1)), np.ones((2, 0, 5))),
        EMPTY.update(np.ones((2, 3, 1)), np.ones((2, 4, 1)), np.ones((2, 4, 5)), key_lengths=0),
    ):
        np.testing.assert_array_equal(state.output, np.zeros((2, 3, 5)))
        np.testing.assert_array_equal(state.lse, np.full((2, 3), -np.inf))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_results_computed_apart_join_through_their_lse(dtype: Any) -> None:
    rng = np.random.default_rng(9)
    query, key, value = (
        rng.standard_normal(shape).astype(dtype) for shape in ((2, 5, 3), (2, 700, 3), (2, 700, 4))
    )
    expected = reference.attention(query, key, value, is_causal=True, causal_offset=300)
    parts = []
    for start, stop in ((0, 200), (200, 650), (650, 700)):  # the last is empty for every query
        output, lse = regard.attention_with_lse(
            query,
            key[:, start:stop],
            value[:, start:stop],
            is_causal=True,
            causal_offset=300 - start,
        )
        parts.append(AttentionState.from_lse(output, lse))
    joined = parts[2].merge(parts[0]).merge(parts[1])
    assert joined.output.dtype == dtype
    tolerance = {2: 2e-3, 4: 2e-6, 8: 1e-14}[np.dtype(dtype).itemsize]
    np.testing.assert_allclose(joined.output, expected.output, atol=tolerance)
    np.testing.assert_allclose(joined.lse, expected.lse, rtol=max(tolerance, 1e-14))


def test_scores_beyond_every_range_stay_ordered() -> None:
    state = EMPTY.update([[1.0]], [[1e300], [-1e300], [1e300]], [[1.0], [5.0], [3.0]], scale=1)
    np.testing.assert_array_equal(state.output, [[2.0]])
    np.testing.assert_allclose(state.lse, [1e300])


def test_a_state_says_what_it_holds() -> None:
    assert repr(EMPTY) == "AttentionState(of no keys)"
    state = EMPTY.update(np.ones((2, 3, 1)), np.ones((4, 1)), np.ones((4, 5)))
    assert repr(state) == "AttentionState(output=(2, 3, 5), float64)"
