"""The straight way through a short call gives the bits and the messages of the readable one."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.core.kernels import native

pytestmark = pytest.mark.skipif(
    native.straight is None or os.environ.get("REGARD_KERNEL") == "numpy",
    reason="the kernel in C is not installed, or not in use",
)
FUNCTIONS = (regard.attention, regard.attention_with_weights, regard.attention_with_lse)
NOTHING = (None, False, 0, None, None)  # scale, is_causal, causal_offset, window, key_lengths


def outcome(function: Any, arguments: tuple[Any, ...], rules: dict[str, Any]) -> Any:
    try:
        return function(*arguments, **rules)
    except regard.RegardError as problem:
        return type(problem), str(problem)


def both(function: Any, arguments: tuple[Any, ...], rules: dict[str, Any]) -> tuple[Any, Any]:
    """Return what the straight way and the readable way make of a call."""
    straight = outcome(function, arguments, rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "straight", None)
        return straight, outcome(function, arguments, rules)


def assert_same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8))
    elif isinstance(one, tuple) and not isinstance(one[0], type):
        for x, y in zip(one, other, strict=True):
            assert_same(x, y)
    else:
        assert one == other


@st.composite
def calls(draw: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64, np.float32, np.float64, np.float16]))
    n_q, n_k = (draw(st.sampled_from([1, 2, 5, 16, 67])) for _ in range(2))
    d_k, d_v = (draw(st.sampled_from([1, 3, 16, 0])) for _ in range(2))
    batch = draw(st.sampled_from([(), (3,), (2, 3)]))
    heads = draw(st.sampled_from([(), (1, 1), (4, 4), (4, 2), (4, 1), (1, 4), (4, 3)]))
    outer = [(*batch, *heads[:1]), (*batch, *heads[1:])] if heads else [(), ()]
    shapes = ((*outer[0], n_q, d_k), (*outer[1], n_k, d_k), (*outer[1], n_k, d_v))
    arrays = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    disturbed = draw(st.integers(0, 2))
    how = draw(st.sampled_from(["not"] * 4 + ["turned", "apart", "backwards", "nan", "list",
                                             "shape", "dtype", "odd", "swapped"]))  # fmt: skip
    x = arrays[disturbed]
    if how == "turned":
        x = np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    elif how == "apart":
        x = np.repeat(x, 2, axis=-2)[..., ::2, :]
    elif how == "backwards":
        x = x[..., ::-1, :]
    elif how == "nan" and x.size:
        x.reshape(-1)[0] = draw(st.sampled_from([np.nan, np.inf, -np.inf, 6e4]))
    elif how == "list":
        x = x.tolist()
    elif how == "shape":
        x = x[..., :-1] if draw(st.booleans()) else x[None]
    elif how == "dtype":
        x = x.astype(draw(st.sampled_from([np.float32, np.int64, np.complex64])))
    elif how == "odd":
        x = np.frombuffer(b"?" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    elif how == "swapped":
        x = x.astype(x.dtype.newbyteorder())
    arrays[disturbed] = x
    rules: dict[str, Any] = {}
    choices = {
        "scale": [0.3, -0.3, 0.0, 1, np.float64(0.5), 1e-30, 1e300, float("nan"), "a"],
        "is_causal": [True, True, np.True_, 1],
        "causal_offset": [2, -3, n_k - n_q, 2**70, 1.5, True, np.int64(1)],
        "window": [(1, 0), (None, 2), (0, None), (None, None), [1, 1], (1,), (-1, 1), (True, 1)],
        "key_lengths": [0, n_k, n_k - 1, n_k + 1, -1, np.int64(1), True, 0.5],
    }
    for name, options in choices.items():
        if draw(st.integers(0, 2)) == 0:
            rules[name] = draw(st.sampled_from(options))
    return tuple(arrays), rules


@settings(deadline=None, derandomize=True, max_examples=400)
@given(calls(), st.sampled_from(FUNCTIONS))
def test_drawn_calls_have_the_bits_and_the_messages_of_the_readable_way(
    call: Any, function: Any
) -> None:
    assert_same(*both(function, *call))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (2, 3, 5, 7)])
@pytest.mark.parametrize(
    "rules", [NOTHING, (0.5, True, 1, None, None), (None, False, 0, (2, None), 3)]
)
def test_the_usual_calls_do_go_straight(dtype: Any, shape: Any, rules: tuple[Any, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    assert native.straight(x, x, x, *rules, 0).shape == shape
    assert [one.shape for one in native.straight(x, x, x, *rules, 1)] == [shape, shape[:-1]]
    assert native.straight(x, x, x, *rules, 2)[1].shape == (*shape[:-1], 5)


def test_grouped_heads_go_straight() -> None:
    query, key = np.ones((2, 6, 5, 7)), np.ones((2, 3, 11, 7))
    assert native.straight(query, key, key, *NOTHING, 0).shape == (2, 6, 5, 7)


def test_long_calls_and_other_kernels_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones((5, 7))
    long = np.ones((1, 4001, 64))
    assert native.straight(long, long, long, *NOTHING, 0) is None
    for name, value in (("REGARD_KERNEL", "numpy"), ("REGARD_KERNEL", "other")):
        monkeypatch.setenv(name, value)
        assert native.straight(x, x, x, *NOTHING, 0) is None
    monkeypatch.setenv("REGARD_KERNEL", "native")
    assert native.straight(x, x, x, *NOTHING, 0) is not None
    for wanted in ("none", "0", "-1", "1.5", " 2"):
        monkeypatch.setenv("REGARD_THREADS", wanted)
        assert native.straight(x, x, x, *NOTHING, 0) is None


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_bits_do_not_depend_on_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    for shapes in (((8, 1, 64), (8, 1024, 64)), ((3, 301, 16), (3, 203, 16))):
        query, key = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
        expected = both(regard.attention, (query, key, key), {})[1]
        monkeypatch.setenv("REGARD_THREADS", threads)
        np.testing.assert_array_equal(native.straight(query, key, key, *NOTHING, 0), expected)
        monkeypatch.delenv("REGARD_THREADS")
