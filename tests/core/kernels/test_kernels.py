"""Both kernels, and every instruction set of the one in C, compute the same thing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.core import kernels, reference
from regard.core.call import Call, Rules
from regard.core.kernels import native

SETS = native.instruction_sets()
needs_native = pytest.mark.skipif(not SETS, reason="the kernel in C is not installed")


def attend(
    instruction_set: str, *arrays: Any, mask: Any = None, with_weights: bool = True, **rules: Any
) -> Any:
    """Run one instruction set of the kernel in C; return output, lse and weights."""
    names = ("query", "key", "value")
    call = Call("test", dict(zip(names, arrays, strict=True)), mask, Rules(**rules))
    rows = (*call.layout.outer, call.layout.n_q)
    shapes = (*rows, call.layout.d_v), rows, (*rows, call.layout.n_k)
    # 7 is what must not be left anywhere: the kernel fills every entry.
    results = [np.full(shape, 7, dtype=call.compute) for shape in shapes]
    output, lse, weights = (call._split(result) for result in results)
    native.attend(
        call.problem,
        output,
        lse,
        weights if with_weights else None,
        instruction_set=instruction_set,
    )
    return results


@st.composite
def problems(draw: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    n_q = draw(st.sampled_from([1, 2, 3, 4, 5, 8, 9, 16, 17, 63, 64, 65, 130]))
    n_k = draw(st.sampled_from([0, 1, 2, 7, 8, 95, 96, 97, 191, 193, 300]))
    d_k, d_v = (draw(st.sampled_from([0, 1, 3, 8, 17, 64, 67])) for _ in range(2))
    kv_heads, group = draw(st.sampled_from([1, 2])), draw(st.sampled_from([1, 3]))
    query = rng.standard_normal((2, kv_heads * group, n_q, d_k)).astype(dtype)
    key = rng.standard_normal((2, kv_heads, n_k, d_k)).astype(dtype)
    value = rng.standard_normal((2, kv_heads, n_k, d_v)).astype(dtype)
    rules: dict[str, Any] = {}
    kind = draw(st.sampled_from(["none", "bool", "padding", "added", "per key"]))
    if kind == "bool":
        rules["mask"] = rng.random((2, 1, n_q, n_k)) < 0.7
    elif kind == "padding":
        rules["mask"] = rng.random((2, 1, 1, n_k)) < 0.7
    elif kind == "added":
        rules["mask"] = np.where(rng.random((n_q, n_k)) < 0.2, -np.inf, rng.random((n_q, n_k)))
    elif kind == "per key":
        rules["mask"] = rng.standard_normal((n_k,)).astype(dtype)
    if draw(st.booleans()):
        rules |= {"is_causal": True, "causal_offset": rng.integers(-3, n_k + 1, 2)}
    if draw(st.booleans()):
        rules["key_lengths"] = rng.integers(0, n_k + 1, 2)
    if draw(st.booleans()):
        rules["window"] = (int(rng.integers(0, n_k + 1)), 3)
    if draw(st.booleans()):
        rules["softcap"] = 1.5
    if draw(st.booleans()):
        rules["scale"] = draw(st.sampled_from([0.0, -0.7, 2.0, 1e-3, -6.5, 13.0]))
    return query, key, value, rules


@needs_native
@settings(deadline=None, derandomize=True, max_examples=150)
@given(problems(), st.sampled_from(SETS or ("none",)))
def test_every_instruction_set_agrees_with_the_numpy_tiles(
    problem: tuple[Any, ...], instruction_set: str
) -> None:
    *arrays, rules = problem
    got = attend(instruction_set, *arrays, **rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", "numpy")
        output, weights = regard.attention_with_weights(*arrays, **rules)
        lse = regard.attention_with_lse(*arrays, **rules)[1]
    tolerance = 2e-13 if output.dtype == np.float64 else 1e-4
    for ours, theirs in zip(got, (output, lse, weights), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("n_q", [1, 3, 20])
def test_long_keys_are_cut_into_parts_and_joined(instruction_set: str, n_q: int) -> None:
    rng = np.random.default_rng(1)
    query, key, value = (rng.standard_normal(s) for s in ((n_q, 5), (20011, 5), (20011, 3)))
    query *= 3
    output, lse, weights = attend(instruction_set, query, key, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", "numpy")
        expected = regard.attention_with_weights(query, key, value)
        expected_lse = regard.attention_with_lse(query, key, value)[1]
    np.testing.assert_allclose(output, expected[0], atol=1e-13)
    np.testing.assert_allclose(weights, expected[1], atol=1e-15, rtol=1e-10)
    np.testing.assert_allclose(lse, expected_lse, rtol=1e-14)


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (1, 8), (2, 7), (2, 32), (1, 33)])
def test_tiny_problems_have_the_same_bits_with_and_without_more_outputs(
    instruction_set: str, dtype: Any, n_q: int, n_k: int
) -> None:
    # Where nothing but the output is wanted, tiny problems take a shorter way.
    rng = np.random.default_rng(5)
    for d_k, d_v in ((1, 5), (7, 3), (9, 19), (16, 16), (23, 70)):
        sizes = ((21, n_q, d_k), (21, n_k, d_k), (21, n_k, d_v))
        arrays = [rng.standard_normal(size).astype(dtype) for size in sizes]
        arrays[0][13] *= 1e9 if dtype is np.float32 else 1e18  # scores that are far away
        arrays[2][20, 0, 2] = np.inf
        names = ("query", "key", "value")
        call = Call("test", dict(zip(names, arrays, strict=True)), None, Rules())
        output = np.full((21, n_q, d_v), 7, dtype=dtype)
        native.attend(
            call.problem, call._split(output), None, None, instruction_set=instruction_set
        )
        np.testing.assert_array_equal(output, attend(instruction_set, *arrays)[0])


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("low", [-1e9, float(np.finfo(np.float32).min), -np.inf])
@pytest.mark.parametrize("n_q", [1, 70])
def test_padding_on_the_left_needs_no_second_computation(
    monkeypatch: pytest.MonkeyPatch, instruction_set: str, low: float, n_q: int
) -> None:
    # Whole tiles of scores so low that scaling them would overflow, before those that count.
    rng = np.random.default_rng(3)
    sizes = ((n_q, 5), (701, 5), (701, 3))
    query, key, value = (rng.standard_normal(size).astype(np.float32) for size in sizes)
    mask = np.where(np.arange(701) < 500, low, 0).astype(np.float32)[None, :]
    expected = reference.attention(query, key[500:], value[500:]).output
    monkeypatch.delattr(native.second_try, "attend")
    output, _, weights = attend(instruction_set, query, key, value, mask=mask)
    np.testing.assert_allclose(output, expected, atol=1e-6)
    np.testing.assert_array_equal(weights[:, :500], np.zeros((n_q, 500)))


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("rules", [{}, {"is_causal": True}, {"window": (300, 5)}])
def test_rows_that_collide_in_the_caches_give_the_same_bits(
    instruction_set: str, rules: dict[str, Any]
) -> None:
    # Rows 512 bytes apart and 2048 queries or more: tiles are copied. Rows 16 bytes apart: not.
    rng = np.random.default_rng(4)
    apart = rng.standard_normal((3, 2050, 32, 4)).astype(np.float32).swapaxes(1, 2)[:, :2]
    close = np.ascontiguousarray(apart)
    assert apart.strides[-2] == 512
    got, expected = (
        attend(instruction_set, *arrays, with_weights=False, **rules) for arrays in (apart, close)
    )
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("n_q", [1, 9])
def test_powers_of_two_are_exact_and_others_within_an_ulp(instruction_set: str, n_q: int) -> None:
    # With a value of 1 for one key and 0 for the other, output / (1 - output) is the ratio of
    # two exponentials. Scores of -n log 2 make it a power of 2.
    n = np.arange(0, 100.0)
    key = np.stack([np.zeros((100, 1)), -n[:, None]], axis=1)
    value = np.broadcast_to(np.array([[0.0], [1.0]]), (100, 2, 1))
    query = np.full((100, n_q, 1), np.log(2))
    weights = attend(instruction_set, query, key, value, scale=1.0)[2]
    np.testing.assert_allclose(weights[:, 0, 1] / weights[:, 0, 0], 2.0**-n, rtol=3e-14)
    rng = np.random.default_rng(2)
    x = -np.exp(rng.uniform(-20, 5, (100, 1, 1)))
    pair = np.concatenate([np.zeros_like(x), x], axis=1)
    ones = np.ones((100, n_q, 1))
    weights = attend(instruction_set, ones, pair, value, scale=1.0)[2][:, 0]
    with mpmath.workdps(40):
        exact = [float(1 / (1 + mpmath.exp(-mpmath.mpf(s)))) for s in x.ravel().tolist()]
    np.testing.assert_allclose(weights[:, 1], exact, rtol=2e-14)


@needs_native
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("n_q", [1, 9])
def test_softcap_is_accurate_for_small_and_large_scores(
    dtype: Any, instruction_set: str, n_q: int
) -> None:
    scores = np.array([1e-6, 1e-3, 0.1, 0.6, 0.63, 1, 5, 19, 1000, -0.3, -2, -1000], dtype=dtype)
    value = np.ones((12, 1), dtype=dtype)
    ones = np.ones((n_q, 1), dtype=dtype)
    # The lse of one key is its capped score.
    for s in scores:
        lse = attend(instruction_set, ones, np.array([[s]]), value[:1], scale=1.0, softcap=2.0)[1]
        expected = 2 * np.tanh(np.float64(s) / 2)
        tolerance = 2e-15 if dtype == np.float64 else 1e-6
        np.testing.assert_allclose(lse, expected, rtol=tolerance, atol=1e-30)


@needs_native
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("n_q", [2, 70])
def test_infinity_and_nan_come_out_as_in_the_reference(instruction_set: str, n_q: int) -> None:
    rng = np.random.default_rng(3)
    query, key, value = (rng.standard_normal(s) for s in ((n_q, 3), (130, 3), (130, 4)))
    key[50] = np.nan
    value[20, 1] = np.inf
    value[90, 2] = np.nan
    rules = {"is_causal": True, "causal_offset": 120 - n_q // 2, "mask": np.arange(130) != 50}
    expected = reference.attention(query, key, value, **rules)
    output, lse, weights = attend(instruction_set, query, key, value, **rules)
    np.testing.assert_allclose(output, expected.output, atol=1e-13)
    np.testing.assert_allclose(lse, expected.lse, atol=1e-13)
    np.testing.assert_allclose(weights, expected.weights, atol=1e-14)


@pytest.mark.parametrize("kernel", ["numpy", *(["native"] if SETS else [])])
def test_the_variable_chooses_the_kernel(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_KERNEL", kernel)
    assert kernels.chosen() == kernel


def test_without_the_variable_the_kernel_in_c_is_used_if_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REGARD_KERNEL", raising=False)
    assert kernels.chosen() == ("native" if SETS else "numpy")


def test_another_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_KERNEL", "fast")
    with pytest.raises(regard.ParameterError) as error:
        regard.attention([[1.0]], [[1.0]], [[1.0]])
    assert str(error.value) == (
        "regard: the environment variable REGARD_KERNEL must be 'native' or 'numpy'. Got 'fast'."
    )


def test_a_kernel_that_is_asked_for_and_absent_is_an_error() -> None:
    # None in sys.modules makes the import fail, as it does where nothing was compiled.
    program = (
        "import os, sys\n"
        "sys.modules['regard.core.kernels._native'] = None\n"
        "import regard\n"
        "one = [[1.0]]\n"
        "print(regard.attention(one, one, one))\n"
        "os.environ['REGARD_KERNEL'] = 'native'\n"
        "try:\n"
        "    regard.attention(one, one, one)\n"
        "except regard.ParameterError as error:\n"
        "    print(error)\n"
    )
    environment = {"PATH": "/usr/bin"}
    printed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert printed == (
        "[[1.]]\n"
        "regard: REGARD_KERNEL is 'native', but the kernel in C is not installed. "
        "Install a C compiler and then regard again, or unset REGARD_KERNEL.\n"
    )


@needs_native
def test_an_instruction_set_that_is_not_there_is_refused() -> None:
    one = np.ones((1, 1))
    with pytest.raises(ValueError, match="this machine has no kernel sse9"):
        attend("sse9", one, one, one)


@needs_native
def test_arrays_of_different_axes_are_refused_by_the_module_itself() -> None:
    x, wrong = np.ones((2, 3, 4)), np.ones((5, 3, 4))
    rest = (None, None, None, x.copy(), None, None, 1.0, 0.0, 0, 1)
    with pytest.raises(ValueError, match="share their outer axes"):
        native._native.job(SETS[0], x, wrong, x, *rest)
