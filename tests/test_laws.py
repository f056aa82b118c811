"""Laws of attention that hold whatever the numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard

FEW = settings(deadline=None, derandomize=True, max_examples=60)
DTYPES = [np.float32, np.float64]

# Lengths around and across the tiles of the kernel, which are 128 by 512.
LENGTHS = st.sampled_from([1, 2, 3, 5, 8, 17, 61, 127, 128, 129, 257, 511, 512, 513])


def draw_problem(draw: Any, *, heads: bool = True) -> tuple[Any, ...]:
    """Draw query, key, value with different sizes on every axis, and the keywords of a call."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    dtype = draw(st.sampled_from(DTYPES))
    n_q, n_k = draw(LENGTHS), draw(LENGTHS)
    d_k, d_v = draw(st.sampled_from([1, 2, 7, 16, 33])), draw(st.sampled_from([1, 3, 5, 64]))
    batch = draw(st.sampled_from([1, 2, 3, 11]))
    kv_heads = draw(st.sampled_from([1, 2])) if heads else 1
    group = draw(st.sampled_from([1, 3])) if heads else 1
    query = rng.standard_normal((batch, kv_heads * group, n_q, d_k)).astype(dtype)
    key = rng.standard_normal((batch, kv_heads, n_k, d_k)).astype(dtype)
    value = rng.standard_normal((batch, kv_heads, n_k, d_v)).astype(dtype)
    rules: dict[str, Any] = {}
    if draw(st.booleans()):
        rules["mask"] = rng.random((batch, 1, n_q, n_k)) < 0.7
    elif draw(st.booleans()):
        rules["mask"] = rng.standard_normal((n_q, n_k)).astype(dtype)
    if draw(st.booleans()):
        rules["is_causal"] = True
        rules["causal_offset"] = rng.integers(-2, n_k + 1, batch)
    if draw(st.booleans()):
        rules["key_lengths"] = rng.integers(0, n_k + 1, batch)
    if draw(st.booleans()):
        rules["window"] = (int(rng.integers(0, n_k + 1)), None)
    if draw(st.booleans()):
        rules["softcap"] = 1.5
    return query, key, value, rules


@st.composite
def problems(draw: Any) -> tuple[Any, ...]:
    return draw_problem(draw)


def of_batch(b: int, rules: dict[str, Any]) -> dict[str, Any]:
    """Return the rules for one member of the batch."""
    own = dict(rules)
    for name in ("causal_offset", "key_lengths"):
        if name in own:
            own[name] = int(own[name][b])
    if "mask" in own and own["mask"].ndim == 4:
        own["mask"] = own["mask"][b]
    return own


@FEW
@given(problems())
def test_a_batch_gives_the_same_bits_as_a_loop_over_it(problem: tuple[Any, ...]) -> None:
    query, key, value, rules = problem
    output, lse = regard.attention_with_lse(query, key, value, **rules)
    for b in range(len(query)):
        alone = [x[b : b + 1] for x in (query, key, value)]
        one, one_lse = regard.attention_with_lse(*alone, **of_batch(b, rules))
        np.testing.assert_array_equal(output[b], one[0])
        np.testing.assert_array_equal(lse[b], one_lse[0])


@FEW
@given(problems())
def test_heads_give_the_same_bits_as_a_loop_over_them(problem: tuple[Any, ...]) -> None:
    query, key, value, rules = problem
    output = regard.attention(query, key, value, **rules)
    group = query.shape[1] // key.shape[1]
    for h in range(query.shape[1]):
        own = slice(h // group, h // group + 1)
        alone = regard.attention(query[:, h : h + 1], key[:, own], value[:, own], **rules)
        np.testing.assert_array_equal(output[:, h], alone[:, 0])


@FEW
@given(problems())
def test_one_thread_gives_the_same_bits_as_two_and_five(problem: tuple[Any, ...]) -> None:
    query, key, value, rules = problem
    results = []
    for threads in ("1", "2", "5"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("REGARD_THREADS", threads)
            results.append(regard.attention_with_weights(query, key, value, **rules))
    for output, weights in results[1:]:
        np.testing.assert_array_equal(output, results[0][0])
        np.testing.assert_array_equal(weights, results[0][1])


def test_many_threads_give_the_same_bits_as_one_on_a_large_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    query, key, value = rng.standard_normal((3, 2, 3, 1031, 19)).astype(np.float32)
    monkeypatch.setenv("REGARD_THREADS", "1")
    expected = regard.attention(query, key, value, is_causal=True)
    monkeypatch.setenv("REGARD_THREADS", "7")
    np.testing.assert_array_equal(regard.attention(query, key, value, is_causal=True), expected)


@FEW
@given(problems())
def test_all_functions_return_the_same_output(problem: tuple[Any, ...]) -> None:
    query, key, value, rules = problem
    output = regard.attention(query, key, value, **rules)
    np.testing.assert_array_equal(
        regard.attention_with_weights(query, key, value, **rules)[0], output
    )
    np.testing.assert_array_equal(regard.attention_with_lse(query, key, value, **rules)[0], output)


@FEW
@given(problems())
def test_weights_scores_lse_and_output_fit_each_other(problem: tuple[Any, ...]) -> None:
    query, key, value, rules = problem
    tolerance = 2e-5 if query.dtype == np.float32 else 1e-13
    output, weights = regard.attention_with_weights(query, key, value, **rules)
    _, lse = regard.attention_with_lse(query, key, value, **rules)
    mask = rules.get("mask")
    others = {name: rule for name, rule in rules.items() if name != "mask"}
    scores = regard.attention_scores(query, key, mask, stage="masked", **others)
    nothing = np.isneginf(lse)
    np.testing.assert_array_equal(nothing, np.isneginf(scores).all(axis=-1))
    np.testing.assert_allclose(weights.sum(axis=-1), np.where(nothing, 0, 1), atol=tolerance)
    shift = np.where(nothing, 0, lse)[..., None]
    np.testing.assert_allclose(weights, np.exp(scores - shift), atol=tolerance)
    np.testing.assert_array_equal(output[nothing], 0)
    group = query.shape[1] // value.shape[1]
    np.testing.assert_allclose(output, weights @ value.repeat(group, axis=1), atol=4 * tolerance)


@FEW
@given(problems(), st.randoms(use_true_random=False))
def test_permuting_keys_with_their_values_changes_nothing(
    problem: tuple[Any, ...], random: Any
) -> None:
    query, key, value, _ = problem
    order = list(range(key.shape[-2]))
    random.shuffle(order)
    tolerance = 1e-5 if query.dtype == np.float32 else 1e-14
    output, lse = regard.attention_with_lse(query, key, value)
    same, same_lse = regard.attention_with_lse(query, key[..., order, :], value[..., order, :])
    np.testing.assert_allclose(same, output, atol=tolerance)
    np.testing.assert_allclose(same_lse, lse, rtol=tolerance, atol=tolerance)


@FEW
@given(problems(), st.floats(-50, 50))
def test_adding_a_constant_to_the_scores_moves_only_the_lse(
    problem: tuple[Any, ...], constant: float
) -> None:
    query, key, value, _ = problem
    tolerance = 1e-4 if query.dtype == np.float32 else 1e-12
    output, lse = regard.attention_with_lse(query, key, value)
    mask = np.full((1, 1), constant)
    same, moved = regard.attention_with_lse(query, key, value, mask)
    np.testing.assert_allclose(same, output, atol=tolerance)
    np.testing.assert_allclose(moved, lse + constant, atol=tolerance)


@FEW
@given(problems())
def test_the_output_lies_in_the_box_around_the_values(problem: tuple[Any, ...]) -> None:
    query, key, value, _ = problem
    rounding = 1e-5 if query.dtype == np.float32 else 1e-14
    output = regard.attention(query, key, value)
    group = query.shape[1] // value.shape[1]
    low = value.min(axis=-2, keepdims=True).repeat(group, axis=1) - rounding
    high = value.max(axis=-2, keepdims=True).repeat(group, axis=1) + rounding
    assert (low <= output).all()
    assert (output <= high).all()


@FEW
@given(problems())
def test_equal_values_come_out_as_they_are(problem: tuple[Any, ...]) -> None:
    query, key, value, _ = problem
    constant = np.full_like(value, 2.5)
    tolerance = 2e-6 if query.dtype == np.float32 else 5e-15
    np.testing.assert_allclose(regard.attention(query, key, constant), 2.5, rtol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_very_large_scale_copies_the_value_of_the_best_key(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    query, key, value = (rng.standard_normal(s).astype(dtype) for s in ((5, 3), (7, 3), (7, 2)))
    best = (query @ key.T).argmax(axis=-1)
    np.testing.assert_array_equal(regard.attention(query, key, value, scale=1e6), value[best])


def test_a_scale_of_zero_is_the_plain_mean_of_the_values() -> None:
    rng = np.random.default_rng(3)
    query, key, value = (rng.standard_normal(s) for s in ((5, 3), (7, 3), (7, 2)))
    np.testing.assert_allclose(
        regard.attention(query, key, value, scale=0),
        np.broadcast_to(value.mean(axis=0), (5, 2)),
        rtol=1e-14,
    )


@pytest.mark.parametrize("shape", [(5, 1, 3, 4), (3, 2, 130, 4)])
def test_a_nan_in_one_problem_does_not_touch_a_bit_of_the_others(shape: Any) -> None:
    rng = np.random.default_rng(11)
    query, key, value = rng.standard_normal((3, *shape))
    expected = regard.attention_with_weights(query, key, value)
    value[1, 0, 2] = np.nan
    spoiled = regard.attention_with_weights(query, key, value)
    assert np.isnan(spoiled[0][1, 0]).all()
    for got, want in zip(spoiled, expected, strict=True):
        others = np.ones(shape[:2], dtype=bool)
        others[1, 0] = False
        np.testing.assert_array_equal(got[others], want[others])
