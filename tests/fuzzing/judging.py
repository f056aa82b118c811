"""What has to be true of every call, and of those that have an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import note

import regard
from regard import AttentionState
from regard.core import reference

TOLERANCE = {"float64": 1e-12, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2, "int64": 1e-12}


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


def agree(actual: Any, expected: np.ndarray, tolerance: float, size: Any, what: str) -> None:
    """NaN and infinity in the same places, and everything else within tolerance · size."""
    actual = np.asarray(actual).astype(np.float64)
    np.testing.assert_allclose(
        actual / size, expected / size, rtol=0, atol=tolerance, err_msg=what, strict=True
    )


def largest(x: Any, axis: Any = None) -> Any:
    """The largest finite number in size, and 1 where there is none but 0."""
    x = np.asarray(x).astype(np.float64)
    size = np.abs(np.where(np.isfinite(x), x, 0)).max(axis=axis, initial=0)
    return np.where(size == 0, 1.0, size)


def agree_with_the_reference(arguments: dict[str, Any], dtype: str) -> None:
    note(arguments)  # written out only where a test fails
    expected = reference.attention(**arguments)
    tolerance = TOLERANCE[dtype]
    value = arguments["value"]
    size = largest(value, axis=tuple(range(value.ndim - 1)))  # of each column by itself
    # The log-sum-exp of +inf is +inf by its formula and NaN where that is inf - inf.
    endless = np.isposinf(expected.masked).any(axis=-1)
    span = np.maximum(1, largest(expected.masked))

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
        agree(got, scores, tolerance, np.maximum(1, largest(scores)), stage)
