"""Calls that nobody would write by hand: either refused in words, or right."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import regard
from fuzzing import Draw, arrange, calls, numbers_of, some_array
from peers.required import peer
from regard import AttentionState
from regard.core import reference
from regard.core.kernels import numpy_tiles

FEW = settings(
    deadline=None,
    derandomize=True,
    max_examples=150,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=600)

ANYTHING: list[Any] = [
    *(None, True, False, np.True_, 0, 1, -1, 3, 2**63, 2**70, -(2**70)),
    *(0.5, -2.5, float("nan"), float("inf"), 1e300, 1e-300, 5e-324, 1j, Decimal(2), Fraction(1, 3)),
    *("", "1", "mean", "masked", "halves", b"1", bytearray(b"1"), range(3), slice(2), float),
    *(
        (),
        (1,),
        (0, 2),
        (None, 1),
        (2**70, 0),
        (-1, 1),
        (1.5, 2),
        (2, 3),
        [],
        [1, 2],
        [[1], [2, 3]],
    ),
    *({}, {"a": 1}, {3}, object(), np.float32(2), np.int8(3), np.longdouble(2), np.complex64(1j)),
    *(np.datetime64(1, "s"), np.timedelta64(1, "s"), np.ma.masked, np.array(3), np.array(0.5)),
    *(np.array([1, 2]), np.array([[1]]), np.array("1"), np.array(None), np.array(True)),
    *(np.ma.masked_array([1.0, 2.0], [True, False]), np.zeros(3, dtype=[("a", "f4")])),
]
FUNCTIONS = {
    "attention": regard.attention,
    "attention_with_weights": regard.attention_with_weights,
    "attention_with_lse": regard.attention_with_lse,
    "attention_scores": regard.attention_scores,
    "AttentionState.update": AttentionState.empty().update,
}


# --- anything at all ----------------------------------------------------------------------


def anything(draw: Draw) -> Any:
    return draw(st.sampled_from(ANYTHING)) if draw(st.booleans()) else some_array(draw)


def disturbed(draw: Draw, arguments: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Put something else in the place of up to three of the named arguments."""
    wrong = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    return arguments | {name: anything(draw) for name in wrong}


def looks(x: Any) -> Any:
    """Everything about an argument that a call could change."""
    if type(x) is np.ndarray and x.dtype.kind != "O":
        return x.tobytes(), x.shape, x.strides, x.dtype, x.flags.writeable
    return repr(x)


def refused_or_done(name: str, call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Return what a call gives, or None after seeing that it was refused by name."""
    before = {key: looks(x) for key, x in arguments.items()}
    result, message = None, f"{name}: "
    try:
        result = call(**arguments)
    except regard.RegardError as refusal:
        message = str(refusal)
    assert message.startswith(f"{name}: "), message
    for key, x in arguments.items():
        np.testing.assert_equal(looks(x) == before[key], True, f"{name} changed {key}")
    return result


def check(result: Any, shape: tuple[int, ...], dtype: Any, arguments: dict[str, Any]) -> None:
    """See that an array is what was to be expected, and the caller's to keep."""
    assert type(result) is np.ndarray
    np.testing.assert_equal(result.shape, shape)
    np.testing.assert_equal(result.dtype, np.dtype(dtype))
    assert result.flags.writeable
    for name, x in arguments.items():
        if isinstance(x, np.ndarray):
            assert not np.may_share_memory(result, x), f"memory of {name}"


def dtype_of(*arrays: Any) -> np.dtype[Any]:
    """The one dtype of the floats among the arrays, or else the least that holds them."""
    names = {np.asarray(x).dtype.newbyteorder("=") for x in arrays if x is not None}
    floats = {dtype for dtype in names if "float" in dtype.name}
    if len(floats) == 1:
        return floats.pop()
    return np.dtype(np.float32 if floats and np.dtype("f8") not in floats else np.float64)


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float64 if dtype == np.float64 else np.float32)


def outer_axes(*arrays: Any) -> tuple[int, ...]:
    """The axes before the last two that these arrays, the query first, have together."""
    shapes = [np.shape(x) for x in arrays if x is not None]
    if all(len(shape) < 3 for shape in shapes):
        return ()
    counts = [shape[-3] if len(shape) > 2 else 1 for shape in shapes]
    heads = counts[0] if counts[0] != 1 else max(set(counts) - {1}, default=1)
    return (*np.broadcast_shapes(*(shape[:-3] for shape in shapes)), heads)


PLAIN = {
    "query": np.ones((2, 3, 5)),
    "key": np.ones((2, 4, 5)),
    "value": np.ones((2, 4, 1)),
    "mask": np.ones((3, 4), dtype=bool),
    **{"scale": 0.5, "is_causal": True, "causal_offset": 1, "window": (2, 2)},
    **{"key_lengths": 3, "softcap": 30.0},
}
MATRICES = {"W_Q": np.ones((5, 2)), "W_K": np.ones((5, 2)), "W_V": np.ones((5, 3))}
MATRICES |= {"W_O": np.ones((3, 4)), "b_Q": np.ones(2), "b_K": np.ones(2), "b_V": np.ones(3)}
STACKS = {name: np.stack([x, x]) for name, x in MATRICES.items()}
LAST = {"b_O": np.ones(4), "scale": 0.5}
TOKENS = {"x": np.ones((6, 5)), "context": np.ones((7, 5)), "positions": np.ones((7, 5))}
TOKENS |= {"mask": np.ones((6, 7), dtype=bool), "is_causal": False}
ROWS = {"output": np.ones((3, 2)), "lse": np.ones(3)}
EVERY_CALL: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    *((name, call, PLAIN) for name, call in FUNCTIONS.items() if name != "attention_scores"),
    (
        "attention_scores",
        regard.attention_scores,
        {name: x for name, x in PLAIN.items() if name != "value"} | {"stage": "raw"},
    ),
    ("Head", regard.Head, MATRICES | LAST),
    ("Head", regard.Head(**MATRICES, **LAST), TOKENS),
    ("MultiHead", regard.MultiHead, STACKS | LAST | {"combine": "mean"}),
    ("MultiHead", regard.MultiHead(**STACKS, **LAST), TOKENS),
    ("sinusoidal", regard.sinusoidal, {"n": 3, "d_model": 4, "base": 9.0, "start": 1}),
    (
        "rotary",
        regard.rotary,
        {"x": np.ones((3, 4)), "positions": 2, "base": 9.0, "layout": "halves"},
    ),
    ("AttentionState.empty", AttentionState.empty, {"rows": (2, 3), "d_v": 2}),
    ("AttentionState.from_lse", AttentionState.from_lse, ROWS),
    (
        "AttentionState.merge",
        AttentionState.empty((3,), 2).merge,
        {"other": AttentionState.empty()},
    ),
]


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
    arguments = calls(data.draw)
    if name == "attention_scores":
        del arguments["value"]
        arguments["stage"] = data.draw(st.sampled_from(["raw", "softcapped", "masked"]))
    arguments = disturbed(data.draw, arguments, list(arguments))
    note(str(arguments))
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
    given = {matrix: some_array(draw, shape, dtype) for matrix, shape in axes.items()}
    for matrix in draw(st.lists(st.sampled_from(["W_O", "b_Q", "b_K", "b_V", "b_O"]))):
        given[matrix] = None
    given["scale"] = draw(st.sampled_from([None, None, 0.5, 1e30]))
    if many:
        given["combine"] = draw(st.sampled_from(["concat", "mean"]))
    given = disturbed(draw, given, list(given))
    note(str(given))
    head = refused_or_done(name, getattr(regard, name), given)
    if head is None:
        return
    read = (n_heads,) if many and given["W_K"] is not None else ()
    repr(head)
    for product in (head.A, head.QK, head.OV):
        np.testing.assert_equal(product.shape[:-2], read)
        assert not any(np.may_share_memory(product, x) for x in given.values() if x is not None)

    batch = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    n, n_context = draw(size), draw(size)
    call = {"x": some_array(draw, (*batch, n, d_model), dtype), "context": None}
    if draw(st.booleans()) or d_context != d_model:
        call["context"] = some_array(draw, (*batch[1:], n_context, d_context), dtype)
    else:
        n_context = n
    call["positions"] = draw(st.sampled_from([None, np.ones((5, d_model))]))
    call["mask"] = draw(st.sampled_from([None, np.ones((n, n_context), dtype=bool)]))
    call["is_causal"] = draw(st.booleans())
    call = disturbed(draw, call, list(call))
    note(str(call))
    output = refused_or_done(name, head, call)
    if output is None:
        return
    shapes = [np.shape(x)[:-2] for key, x in call.items() if key in ("x", "context", "positions")]
    mask_axes = np.shape(call["mask"])[: -3 if many else -2]
    shape = (*np.broadcast_shapes(*shapes, mask_axes), np.shape(call["x"])[-2])
    width = np.shape(given["W_V"])[-1] if given["W_O"] is None else np.shape(given["W_O"])[-1]
    if many and given["W_O"] is None and given["combine"] == "concat":
        width *= n_heads
    matrices = [given[matrix] for matrix in axes]
    dtypes = dtype_of(*matrices, call["x"], call["context"])
    check(output, (*shape, width), dtypes, given | call)


@settings(FEW)
@given(data=st.data())
def test_positions_are_refused_by_name_or_have_the_right_shape(data: Any) -> None:
    draw = data.draw
    numbers = st.one_of(st.integers(-3, 9), st.sampled_from(ANYTHING))
    given = {"n": draw(numbers), "d_model": draw(st.sampled_from([2, 4, 6])), "base": 10000.0}
    given = disturbed(draw, given | {"start": draw(numbers)}, ["d_model", "base"])
    table = refused_or_done("sinusoidal", regard.sinusoidal, given)
    if table is not None:
        check(table, (int(given["n"]), int(given["d_model"])), np.float64, {})

    batch, n = draw(st.lists(st.integers(0, 3), max_size=2)), draw(st.integers(0, 4))
    dtype = draw(st.sampled_from(["f8", "f4", "f2", ">f8", ml_dtypes.bfloat16, "i4"]))
    x = some_array(draw, (*batch, n, draw(st.sampled_from([2, 4]))), dtype)
    given = {"x": x, "positions": some_array(draw, (n,), draw(st.sampled_from(["f8", "f2", "i8"])))}
    given |= {"base": draw(st.sampled_from([10000.0, 0.5, 1e-300])), "layout": "halves"}
    given = disturbed(draw, given, list(given))
    turned = refused_or_done("rotary", regard.rotary, given)
    if turned is not None:
        check(turned, np.shape(given["x"]), dtype_of(given["x"]), given)


@settings(FEW)
@given(data=st.data())
def test_states_are_refused_by_name_or_have_the_right_shape(data: Any) -> None:
    draw = data.draw
    rows, d_v = tuple(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))), 2
    given = disturbed(draw, {"rows": rows, "d_v": d_v}, ["rows", "d_v"])
    empty = refused_or_done("AttentionState.empty", AttentionState.empty, given)
    dtype = draw(st.sampled_from([np.float64, np.float32, np.float16, ml_dtypes.bfloat16]))
    parts = {"output": some_array(draw, (*rows, d_v), dtype), "lse": some_array(draw, rows, dtype)}
    parts = disturbed(draw, parts, ["output", "lse"])
    state = refused_or_done("AttentionState.from_lse", AttentionState.from_lse, parts)
    for one, made in ((empty, given), (state, parts)):
        if one is None:
            continue
        repr(one)
        axes = [1] if one is empty and made["rows"] is None else None
        if axes is None:
            axes = [int(n) for n in made["rows"]] if one is empty else np.shape(made["output"])[:-1]
        width = made["d_v"] if one is empty else np.shape(made["output"])[-1]
        kept = np.dtype(np.float64) if one is empty else dtype_of(made["output"])
        check(one.output, (*axes, width), kept, made)
        check(one.lse, tuple(axes), wide(kept), made)
        other = draw(st.sampled_from([empty, state, AttentionState.empty(), *ANYTHING]))
        both = refused_or_done("AttentionState.merge", one.merge, {"other": other})
        if both is not None:
            np.testing.assert_equal(both.output.shape[:-1], both.lse.shape)


# --- calls that have an answer ------------------------------------------------------------


TOLERANCE = {"float64": 1e-12, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2, "int64": 1e-12}


def agree(actual: Any, expected: np.ndarray, tolerance: float, size: float, what: str) -> None:
    """NaN and infinity in the same places, and everything else within tolerance · size."""
    actual = np.asarray(actual).astype(np.float64)
    np.testing.assert_equal(actual.shape, expected.shape, what)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(actual), finite, what)
    np.testing.assert_array_equal(actual[~finite], expected[~finite], what)
    np.testing.assert_allclose(
        actual[finite], expected[finite], rtol=0, atol=tolerance * size, err_msg=what
    )


def largest(x: Any) -> float:
    """The largest finite number in size."""
    x = np.asarray(x).astype(np.float64)
    return float(np.abs(x[np.isfinite(x)]).max(initial=0))


def agree_with_the_reference(arguments: dict[str, Any], dtype: str) -> None:
    note(f"attention(**{arguments})")
    expected = reference.attention(**arguments)
    tolerance = TOLERANCE[dtype]
    size = largest(arguments["value"])
    # The log-sum-exp of +inf is +inf by its formula and NaN where that is inf - inf.
    endless = np.isposinf(expected.masked).any(axis=-1)
    span = max(1.0, largest(expected.masked))

    def output_and_lse(output: Any, lse: Any, what: str) -> None:
        agree(output, expected.output, tolerance, size, f"output of {what}")
        lse = np.array(lse, dtype=np.float64)
        assert not np.isfinite(lse[endless]).any()
        assert not np.isneginf(lse[endless]).any()
        agree(np.where(endless, 0, lse), np.where(endless, 0, expected.lse), tolerance, span, what)

    agree(regard.attention(**arguments), expected.output, tolerance, size, "attention")
    output, weights = regard.attention_with_weights(**arguments)
    agree(output, expected.output, tolerance, size, "attention_with_weights")
    agree(weights, expected.weights, tolerance, 1.0, "weights")
    output_and_lse(*regard.attention_with_lse(**arguments), "attention_with_lse")
    state = AttentionState.empty().update(**arguments)
    output_and_lse(state.output, state.lse, "AttentionState")
    rest = {name: x for name, x in arguments.items() if name != "value"}
    # The scores know nothing of axes that only the value has; here the query has them all.
    query = rest["query"]
    rest["query"] = np.broadcast_to(query, expected.raw.shape[:-2] + query.shape[-2:])
    for stage in ("raw", "softcapped", "masked"):
        scores = getattr(expected, stage)
        got = regard.attention_scores(**rest, stage=stage)
        agree(got, scores, tolerance, max(1.0, largest(scores)), stage)


@pytest.mark.parametrize("tile", ["of the usual size", "of 2 rows and 3 columns"])
@settings(MANY)
@given(data=st.data())
def test_attention_is_what_the_reference_says(tile: str, data: Any) -> None:
    dtype = data.draw(st.sampled_from(["float64", "float64", *TOLERANCE]))
    arguments = calls(data.draw, valid=dtype)
    with pytest.MonkeyPatch.context() as patch:
        if tile == "of 2 rows and 3 columns":
            patch.setattr(numpy_tiles, "ROWS", 2)
            patch.setattr(numpy_tiles, "COLUMNS", 3)
            patch.setattr(numpy_tiles, "SCORES", 6)
        agree_with_the_reference(arguments, dtype)


@settings(FEW)
@given(data=st.data())
def test_how_the_numbers_lie_in_memory_does_not_matter(data: Any) -> None:
    arguments = calls(data.draw, valid="float64")
    plain = {
        name: np.array(x, order="C") if isinstance(x, np.ndarray) else x
        for name, x in arguments.items()
    }
    expected = regard.attention(**plain)
    lying = {name: arrange(data.draw, x) for name, x in plain.items() if numbers_of(x)}
    np.testing.assert_array_equal(regard.attention(**plain | lying), expected)


@settings(FEW)
@given(data=st.data())
def test_tensors_give_a_tensor_with_the_same_numbers(data: Any) -> None:
    torch = peer("torch")
    dtype = data.draw(st.sampled_from(["float64", "float32", "float16"]))
    arguments = calls(data.draw, valid=dtype)
    tensors = {
        name: torch.from_numpy(x.copy()) if isinstance(x, np.ndarray) else x
        for name, x in arguments.items()
    }
    result = regard.attention(**tensors)
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), regard.attention(**arguments))
