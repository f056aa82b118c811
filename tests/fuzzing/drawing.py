"""Random arrays and random calls of attention, drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

Draw = Callable[..., Any]

DTYPES: list[Any] = [
    *("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g"),
    *("F", "D", "G", "O", "U3", "S3", "M8[s]", "m8[s]", "V4", [("a", "f4"), ("b", "i2")]),
    *(">f8", ">f4", ">f2", ">i4", ">u8", ">U2", ">c16"),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4),
]
WILD = [np.nan, np.inf, -np.inf, 1.7e308, -1.7e308, 1e30, 6e4, 5e-324, -1e-310, -0.0]
LAYOUTS = [
    "plain",
    "reversed",
    "strided",
    "turned",
    "stretched",
    "read-only",
    "unaligned",
    "swapped",
]


def arrange(draw: Draw, array: np.ndarray, layouts: list[str] | None = None) -> np.ndarray:
    """Return the same numbers (for "stretched": one of them) laid out differently in memory."""
    how = draw(st.sampled_from(layouts or [name for name in LAYOUTS if name != "stretched"]))
    if array.ndim == 0 or how == "plain":
        return array
    if how == "reversed":
        return np.flip(np.flip(array).copy())
    if how == "strided":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if how == "turned":
        return np.asfortranarray(array)
    if how == "stretched" and array.size:
        return np.broadcast_to(array.ravel()[0], array.shape)
    if how == "swapped" and array.dtype.kind in "iuf":
        return array.astype(array.dtype.newbyteorder())
    if how == "unaligned" and array.dtype.kind != "O":
        memory = np.frombuffer(bytearray(b"\0" + array.tobytes()), dtype=np.uint8)
        return memory[1:].view(array.dtype).reshape(array.shape) if array.size else array
    array = array.copy()
    array.setflags(write=False)
    return array


def some_array(draw: Draw, shape: Any = None, dtype: Any = None) -> np.ndarray:
    """Draw an array of any dtype with 0 to 4 axes, its contents wild where they can be."""
    if shape is None:
        shape = tuple(draw(st.lists(st.integers(0, 5), max_size=4)))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)) if dtype is None else dtype)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype.kind == "O":
        array = rng.choice(np.array([None, 1, 2.5, "a", 2**70], dtype=object), shape)
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array = rng.choice(np.array([0, 1, 2, 3, limits.min, limits.max], dtype), shape)
    elif dtype.kind in "fc" or "float" in dtype.name:
        wild = draw(st.sampled_from([0.0, 0.1, 0.9]))
        array = np.where(rng.random(shape) < wild, rng.choice(WILD, shape), rng.normal(size=shape))
        with np.errstate(all="ignore"):
            array = array.astype(dtype)
    else:
        array = np.zeros(shape, dtype)
    return arrange(draw, array, LAYOUTS)


def calls(draw: Draw, valid: str | None = None, long: bool = False) -> dict[str, Any]:
    """Draw arguments of attention that fit each other.

    With `valid`, the name of a dtype, the numbers of the arrays have that dtype and are
    small multiples of 1/4, NaN and infinity: what attention makes of them is then certain.
    Without, dtypes differ and the numbers are wild. With `long` there are many queries
    and keys, so that a kernel has to cut them up.
    """
    length = st.sampled_from([3, 2, 5, 1, 4, 3, 2, 5, 0])  # rarely 0: nothing is left to compare
    width = st.sampled_from([2, 3, 1, 4, 2, 0])
    n_q, n_k, d_k, d_v = draw(length), draw(length), draw(width), draw(width)
    batch = tuple(draw(st.lists(st.sampled_from([2, 3, 1, 2, 3, 2, 3, 0]), max_size=2)))
    heads = draw(st.sampled_from([4, 1, 2, 6, 3, 1, 4, 6, 2, 0]))
    if long:
        n_q = draw(st.sampled_from([7, 1, 17, 2, 33, 65]))
        n_k = draw(st.sampled_from([131, 97, 193] if n_q > 7 else [421, 131, 293]))
        batch, heads = batch[:1], min(heads, 2)
    divisors = [own for own in range(1, heads + 1) if heads % own == 0] or [0]
    own_heads = {"query": heads, "key": draw(st.sampled_from(divisors))}
    own_heads["value"] = draw(st.sampled_from(divisors))
    if draw(st.integers(0, 4)) == 0 and heads:  # one query for the heads of key or value
        own_heads |= {"query": 1, draw(st.sampled_from(["key", "value"])): heads}
    tails = {"query": (n_q, d_k), "key": (n_k, d_k), "value": (n_k, d_v)}
    shapes = {}
    for name, tail in tails.items():
        outer = (*_thinned(draw, batch), own_heads[name])
        drop = draw(st.integers(0, len(outer))) if own_heads[name] == 1 else 0
        shapes[name] = outer[drop or draw(st.integers(0, len(batch))) :] + tail
    if draw(st.integers(0, 4)) == 0:
        shapes, heads = tails, 1
    call: dict[str, Any] = {
        name: _operand(draw, shape, valid, name, long) for name, shape in shapes.items()
    }

    leads = [shape[:-3] for shape in shapes.values()]
    together = np.broadcast_shapes(*leads)
    outer = (*together, heads) if any(len(shape) > 2 for shape in shapes.values()) else ()
    call["mask"] = _mask(draw, outer, n_q, n_k, valid, long)
    lead = np.broadcast_shapes(outer, np.shape(call["mask"])[:-2])
    per_batch = lead[:-1] if len(lead) > 1 else lead

    def whole(low: int, high: int) -> Any:
        if draw(st.booleans()):
            return draw(st.integers(low, high))
        rng = np.random.default_rng(draw(st.integers(0, 999)))
        return rng.integers(low, high, _thinned(draw, per_batch), endpoint=True)

    side = st.one_of(st.none(), st.integers(0, max(4, n_k)))
    call["scale"] = draw(st.sampled_from([None, None, 1.0, 0.0, -0.5, 1.25]))
    call["is_causal"] = draw(st.booleans())
    call["causal_offset"] = whole(-n_q - 1, n_k + 1) if draw(st.booleans()) else 0
    call["window"] = (draw(side), draw(side)) if draw(st.booleans()) else None
    call["key_lengths"] = whole(0, n_k) if draw(st.booleans()) else None
    call["softcap"] = draw(st.sampled_from([None, None, 0.5, 3.0, 30.0]))
    return call


# As strategies: a test that draws each part of a call by itself spends most of its time on that.
ARRAYS = st.composite(some_array)
CALLS = st.composite(calls)


def _thinned(draw: Draw, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Some of the axes as 1, to be stretched."""
    return tuple(1 if draw(st.integers(0, 3)) == 0 else n for n in axes)


def _operand(
    draw: Draw, shape: tuple[int, ...], valid: str | None, name: str, long: bool
) -> np.ndarray:
    if valid is None:
        dtype = draw(st.sampled_from(["f8", "f4", "f2", ml_dtypes.bfloat16, ">f8", "i4", "u8"]))
        return some_array(draw, shape, dtype)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    reach = 32 if valid == "float64" else 8
    array = rng.integers(-reach, reach, shape, endpoint=True) / 4
    if valid == "int64":
        return array.astype(np.int64)
    # In long arrays even rare NaN would reach every row, and leave nothing to compare.
    wild = draw(st.sampled_from([0.0, 0.0, 0.003] if long else [0.0, 0.0, 0.05, 0.3]))
    values = [np.nan, np.inf, -np.inf, np.inf, -np.inf, *([1e308] if valid == "float64" else [])]
    choice = rng.choice(values if name == "value" else values[:5], shape)
    array = np.where(rng.random(shape) < wild, choice, array)
    return arrange(draw, array.astype(np.dtype(valid)))


def _mask(
    draw: Draw, outer: tuple[int, ...], n_q: int, n_k: int, valid: str | None, long: bool
) -> np.ndarray | None:
    """Draw a mask of any rank that fits scores (*outer, n_q, n_k), or None."""
    kind = draw(st.sampled_from(["none", "bool", "bool", "float", "float"]))
    if kind == "none":
        return None
    shape = _thinned(draw, (*outer, n_q, n_k))
    shape = shape[draw(st.integers(0, len(shape))) :]
    if len(shape) == len(outer) + 2 and draw(st.integers(0, 2)) == 0:
        if outer and outer[-1] == 1:
            shape = (*shape[:-3], 3, *shape[-2:])  # heads that only the mask has
        shape = (*draw(st.sampled_from([(2,), (2, 1)])), *shape)  # and batch axes
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    often = draw(st.sampled_from([0.2, 0.7, 0.95]))
    if kind == "bool":
        return arrange(draw, rng.random(shape) < often)
    added = rng.integers(-8, 8, shape, endpoint=True) / 4
    wild = [-np.inf] if long else draw(st.sampled_from([[-np.inf], [-np.inf, np.inf, np.nan]]))
    mask = np.where(rng.random(shape) < often, added, rng.choice(wild, shape))
    dtype = "float64" if valid in (None, "int64") else valid
    return arrange(draw, mask.astype(np.dtype(dtype)))
