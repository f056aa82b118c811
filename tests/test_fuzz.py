"""Calls that nobody would write by hand: either refused in words, or right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import regard
from fuzzing.anything import ANYTHING, DISTURBED, EVERY_CALL, FUNCTIONS
from fuzzing.drawing import ARRAYS, CALLS, arrange
from fuzzing.judging import (
    TOLERANCE,
    agree_with_the_reference,
    check,
    dtype_of,
    outer_axes,
    refused_or_done,
    wide,
)
from peers.required import peer
from regard import AttentionState
from regard.core.kernels import native, numpy_tiles

FEW = settings(
    deadline=None,
    derandomize=True,
    max_examples=50,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize(
    ("name", "call", "arguments", "argument"),
    [
        pytest.param(*one, argument, id=f"{one[0]}-{argument}")
        for one in EVERY_CALL
        for argument in one[2]
    ],
)
def test_an_argument_that_is_anything_at_all_is_refused_by_name_or_fits(
    name: str, call: Callable[..., Any], arguments: dict[str, Any], argument: str
) -> None:
    escaped = []
    for thing in ANYTHING:
        try:
            refused_or_done(name, call, arguments | {argument: thing})
        except Exception as problem:  # all that escapes, not only the first
            escaped.append(f"{argument}={thing!r}: {type(problem).__name__}: {problem}")
    assert not escaped, "\n".join(escaped)


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(FEW)
@given(data=st.data())
def test_attention_is_refused_by_name_or_has_the_right_shape(name: str, data: Any) -> None:
    arguments = data.draw(CALLS())
    if name == "attention_scores":
        del arguments["value"]
        arguments["stage"] = data.draw(st.sampled_from(["raw", "softcapped", "masked"]))
    arguments = data.draw(DISTURBED(arguments, list(arguments)))
    note(arguments)
    result = refused_or_done(name, FUNCTIONS[name], arguments)
    if result is None:
        return
    query, key, value = (arguments.get(array) for array in ("query", "key", "value"))
    rows = (*outer_axes(query, key, value, arguments["mask"]), np.shape(query)[-2])
    dtype = dtype_of(query, key, value)
    n_k, d_v = np.shape(key)[-2], np.shape(value)[-1:]
    if isinstance(result, AttentionState):
        result = result.output, result.lse
    results = result if isinstance(result, tuple) else (result,)
    check(results[0], (*rows, n_k) if value is None else rows + d_v, dtype, arguments)
    if name == "attention_with_weights":
        check(results[1], (*rows, n_k), dtype, arguments)
    elif len(results) == 2:
        check(results[1], rows, wide(dtype), arguments)


@pytest.mark.parametrize("name", ["Head", "MultiHead"])
@settings(FEW)
@given(data=st.data())
def test_a_head_is_refused_by_name_or_has_the_right_shape(name: str, data: Any) -> None:
    draw = data.draw
    size = st.integers(0, 4)
    many, n_heads = name == "MultiHead", draw(st.sampled_from([1, 2, 4, 0]))
    d_model, d_k, d_v, d_out = draw(size), draw(size), draw(size), draw(size)
    d_context = draw(st.sampled_from([d_model, d_model, 3]))
    axes = {"W_Q": (d_model, d_k), "W_K": (d_context, d_k), "W_V": (d_context, d_v)}
    axes |= {"W_O": (d_v, d_out), "b_Q": (d_k,), "b_K": (d_k,), "b_V": (d_v,)}
    if many:
        axes = {matrix: (n_heads, *shape) for matrix, shape in axes.items()}
    axes |= {"b_O": (d_out,)}
    dtype = draw(st.sampled_from([np.float64, np.float32, np.float16, ml_dtypes.bfloat16]))
    given = {matrix: draw(ARRAYS(shape, dtype)) for matrix, shape in axes.items()}
    for matrix in draw(st.lists(st.sampled_from(["W_O", "b_Q", "b_K", "b_V", "b_O"]))):
        given[matrix] = None
    given["scale"] = draw(st.sampled_from([None, None, 0.5, 1e30]))
    if many:
        given["combine"] = draw(st.sampled_from(["concat", "mean"]))
    given = draw(DISTURBED(given, list(given)))
    note(given)
    head = refused_or_done(name, getattr(regard, name), given)
    if head is None:
        return
    repr(head)
    for product in (head.A, head.QK, head.OV):
        np.testing.assert_equal(product.shape[:-2], np.shape(given["W_Q"])[:-2])
        assert not any(np.may_share_memory(product, x) for x in given.values() if x is not None)

    batch = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    n, n_context = draw(size), draw(size)
    call = {"x": draw(ARRAYS((*batch, n, d_model), dtype)), "context": None}
    if draw(st.booleans()) or d_context != d_model:
        call["context"] = draw(ARRAYS((*batch[1:], n_context, d_context), dtype))
    else:
        n_context = n
    call["positions"] = draw(st.sampled_from([None, np.ones((5, d_model))]))
    call["mask"] = draw(st.sampled_from([None, np.ones((n, n_context), dtype=bool)]))
    call["is_causal"] = draw(st.booleans())
    call = draw(DISTURBED(call, list(call)))
    note(call)
    output = refused_or_done(name, head, call)
    if output is None:
        return
    shapes = [np.shape(x)[:-2] for key, x in call.items() if key in ("x", "context", "positions")]
    mask_axes = np.shape(call["mask"])[: -3 if many else -2]
    shape = (*np.broadcast_shapes(*shapes, mask_axes), np.shape(call["x"])[-2])
    width = np.shape(given["W_V"])[-1] if given["W_O"] is None else np.shape(given["W_O"])[-1]
    if many and given["W_O"] is None and given["combine"] == "concat":
        width *= len(given["W_Q"])
    matrices = [given[matrix] for matrix in axes]
    dtypes = dtype_of(*matrices, call["x"], call["context"])
    check(output, (*shape, width), dtypes, given | call)


@settings(FEW)
@given(data=st.data())
def test_positions_are_refused_by_name_or_have_the_right_shape(data: Any) -> None:
    draw = data.draw
    numbers = st.one_of(st.integers(0, 9), st.integers(-3, 9), st.sampled_from(ANYTHING))
    given = {"n": draw(numbers), "d_model": draw(st.sampled_from([2, 4, 6])), "base": 10000.0}
    given |= {"start": draw(numbers)}
    if draw(st.booleans()):
        given[draw(st.sampled_from(["d_model", "base"]))] = draw(st.sampled_from(ANYTHING))
    note(given)
    table = refused_or_done("sinusoidal", regard.sinusoidal, given)
    if table is not None:
        check(table, (int(given["n"]), int(given["d_model"])), np.float64, {})

    batch, n = draw(st.lists(st.integers(0, 3), max_size=2)), draw(st.integers(0, 4))
    dtype = draw(st.sampled_from(["f8", "f4", "f2", ">f8", ml_dtypes.bfloat16, "i4"]))
    x = draw(ARRAYS((*batch, n, draw(st.sampled_from([2, 4]))), dtype))
    given = {"x": x, "positions": draw(ARRAYS((n,), draw(st.sampled_from(["f8", "f2", "i8"]))))}
    given |= {"base": draw(st.sampled_from([10000.0, 0.5, 1e-300])), "layout": "halves"}
    given = draw(DISTURBED(given, list(given)))
    note(given)
    turned = refused_or_done("rotary", regard.rotary, given)
    if turned is not None:
        check(turned, np.shape(given["x"]), dtype_of(given["x"]), given)


@settings(FEW)
@given(data=st.data())
def test_states_are_refused_by_name_or_have_the_right_shape(data: Any) -> None:
    draw = data.draw
    rows, d_v = tuple(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))), 2
    given = {"rows": rows, "d_v": d_v}
    for name in draw(st.lists(st.sampled_from(["rows", "d_v"]), max_size=2)):
        given[name] = draw(st.sampled_from(ANYTHING))  # no array: its numbers would be sizes
    empty = refused_or_done("AttentionState.empty", AttentionState.empty, given)
    dtype = draw(st.sampled_from([np.float64, np.float32, np.float16, ml_dtypes.bfloat16]))
    parts = {"output": draw(ARRAYS((*rows, d_v), dtype)), "lse": draw(ARRAYS(rows, dtype))}
    parts = draw(DISTURBED(parts, ["output", "lse"]))
    note((given, parts))
    state = refused_or_done("AttentionState.from_lse", AttentionState.from_lse, parts)
    for one, made in ((empty, given), (state, parts)):
        if one is None:
            continue
        repr(one)
        if one is empty:
            axes = (1,) if made["rows"] is None else tuple(int(n) for n in made["rows"])
            shape, kept = (*axes, int(made["d_v"])), np.dtype(np.float64)
        else:
            shape, kept = np.shape(made["output"]), dtype_of(made["output"])
        check(one.output, shape, kept, made)
        check(one.lse, shape[:-1], wide(kept), made)
        other = draw(st.sampled_from([empty, state, AttentionState.empty(), *ANYTHING]))
        both = refused_or_done("AttentionState.merge", one.merge, {"other": other})
        if both is not None:
            np.testing.assert_equal(both.output.shape[:-1], both.lse.shape)


KERNELS = ["in C", "in C, with long arrays", "in NumPy", "in NumPy, with tiny tiles"]


@pytest.mark.parametrize("kernel", KERNELS)
@settings(FEW)
@given(data=st.data())
def test_attention_is_what_the_reference_says(kernel: str, data: Any) -> None:
    _compared(kernel, data)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@settings(FEW, max_examples=500)
@given(data=st.data())
def test_attention_is_what_the_reference_says_in_many_calls(kernel: str, data: Any) -> None:
    _compared(kernel, data)


def _compared(kernel: str, data: Any) -> None:
    if "in C" in kernel and not native.instruction_sets():
        pytest.skip("needs the kernel in C")
    dtype = data.draw(st.sampled_from(["float64", "float64", *TOLERANCE]))
    arguments = data.draw(CALLS(dtype, long="long" in kernel))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", "native" if "in C" in kernel else "numpy")
        if "tiny" in kernel:
            patch.setattr(numpy_tiles, "ROWS", 2)
            patch.setattr(numpy_tiles, "COLUMNS", 3)
            patch.setattr(numpy_tiles, "SCORES", 6)
        agree_with_the_reference(arguments, dtype)


@pytest.mark.parametrize("kernel", ["native", "numpy"])
@settings(FEW)
@given(data=st.data())
def test_how_the_numbers_lie_in_memory_does_not_matter(kernel: str, data: Any) -> None:
    if kernel == "native" and not native.instruction_sets():
        pytest.skip("needs the kernel in C")
    arguments = data.draw(CALLS(valid="float64"))
    plain = {
        name: np.array(x, order="C") if isinstance(x, np.ndarray) else x
        for name, x in arguments.items()
    }
    lying = {name: arrange(data.draw, x) for name, x in plain.items() if isinstance(x, np.ndarray)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", kernel)
        expected = regard.attention(**plain)
        np.testing.assert_array_equal(regard.attention(**plain | lying), expected)


@pytest.mark.parametrize("library", ["torch", "jax"])
@settings(FEW)
@given(data=st.data())
def test_arrays_of_another_library_give_one_with_the_same_numbers(library: str, data: Any) -> None:
    package = peer(library)
    # JAX makes float32 of float64 unless it is told otherwise.
    dtype = data.draw(st.sampled_from(["float32", "float16"]))
    arguments = data.draw(CALLS(valid=dtype))
    convert = package.asarray if library == "torch" else package.numpy.asarray
    theirs = {
        name: convert(x.astype(x.dtype.newbyteorder("="))) if isinstance(x, np.ndarray) else x
        for name, x in arguments.items()
    }
    note(arguments)
    result = regard.attention(**theirs)
    assert isinstance(result, package.Tensor if library == "torch" else package.Array)
    np.testing.assert_array_equal(np.asarray(result), regard.attention(**arguments), strict=True)
