"""How other libraries lay out the matrices of several heads.

A layout names the axes in order: `in` is what the matrix reads, `out` what it writes, and `head`
counts the heads. Where it names no heads they lie side by side: head h has d columns from h · d on
where tokens are multiplied from the right ("in_out"), d rows where the matrix acts on columns
("out_in").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.shapes import choice, integer, show

Array = NDArray[Any]
FROM_ARRAYS = "MultiHead.from_arrays"
# The axes of W_Q, W_K and W_V, brought to (in, head, out); None: heads side by side.
LAYOUTS: dict[str, tuple[int, int, int] | None] = {
    "out_in": None,
    "in_out": None,
    "in_head_out": (0, 1, 2),
    "head_in_out": (1, 0, 2),
    "head_out_in": (2, 0, 1),
}


def unpacked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `MultiHead` for those of `MultiHead.from_arrays`."""
    layout = choice(FROM_ARRAYS, "layout", given["layout"], tuple(LAYOUTS))
    n_heads = integer(FROM_ARRAYS, "n_heads", given["n_heads"], minimum=1)
    n_kv_heads = given["n_kv_heads"]
    n_kv = n_heads
    if n_kv_heads is not None:
        n_kv = integer(FROM_ARRAYS, "n_kv_heads", n_kv_heads, minimum=1)
    if n_heads % n_kv:
        raise ParameterError(
            f"{FROM_ARRAYS}: n_kv_heads must divide n_heads. Got {n_kv} and {n_heads}."
        )
    counts = {"Q": n_heads, "K": n_kv, "V": n_kv}
    letters = _letters(given, counts, layout)
    found: dict[str, Any] = {"scale": given["scale"], "b_O": given["b_O"]}
    for letter, count in counts.items():
        side = "rows" if layout == "out_in" else "columns"
        found[f"W_{letter}"] = _per_head(f"W_{letter}", letters[f"W_{letter}"], count, side)
        bias = letters[f"b_{letter}"]
        if bias is not None:
            bias = _per_head(f"b_{letter}", bias, count, "entries")
        found[f"b_{letter}"] = bias
    found["W_O"] = None if given["W_O"] is None else _written("W_O", given["W_O"], layout)
    return found


def other_layout(given: Mapping[str, Any]) -> str:
    """Return the sentence that names the layouts in which matrices fit that were refused.

    Args:
        given: the arguments of `MultiHead.from_arrays`, or of `MultiHead`, which has no layout.
    """
    names = [name for name in ("W_Q", "W_K", "W_V", "W_O") if given.get(name) is not None]
    shapes = {name: numbers(FROM_ARRAYS, name, given[name]).array.shape for name in names}
    known = "layout" in given
    if not known and all(len(shape) == 2 for shape in shapes.values()):
        return f" For heads side by side in one matrix: {FROM_ARRAYS}(..., n_heads=...)."
    counts = (given["n_heads"], given["n_kv_heads"] or given["n_heads"]) if known else None
    fitting = {name for name in LAYOUTS if _fits(name, shapes, counts)}
    if not fitting or (given["layout"] if known else "head_in_out") in fitting:
        return ""
    told = " or ".join(repr(name) for name in LAYOUTS if name in fitting)
    call = "" if known else f"{FROM_ARRAYS} with "
    return f" The matrices fit {call}layout={told}."


def _fits(
    layout: str, shapes: Mapping[str, tuple[int, ...]], counts: tuple[int, int] | None
) -> bool:
    """Say whether matrices of these shapes go together in a layout.

    Args:
        layout: its name.
        shapes: those of W_Q, W_K, W_V, and of W_O where it is given.
        counts: how many heads and how many key heads there are; None: what the shapes say.
    """
    axes = LAYOUTS[layout]
    if axes is None and counts is None:
        return False
    wanted = counts or (None, None)
    read = []
    for name, count in zip(("W_Q", "W_K", "W_V"), (*wanted, wanted[1]), strict=True):
        one = _sizes(layout, shapes.get(name, ()), count)
        if one is None or 0 in one:
            return False
        read.append(one)
    (_, n_heads, d_k), key, (d_context, n_kv, d_v) = read
    if key != (d_context, n_kv, d_k) or n_heads % n_kv:
        return False
    written = shapes.get("W_O")
    inward = layout not in ("out_in", "head_out_in")
    if written is None or len(written) == 2:
        return written is None or written[0 if inward else 1] == n_heads * d_v
    return (
        axes is not None
        and len(written) == 3
        and written[0] == n_heads
        and written[1 if inward else 2] == d_v
    )


def _sizes(layout: str, shape: tuple[int, ...], count: int | None) -> tuple[int, int, int] | None:
    """Return (in, heads, d) of a matrix of this shape, or None where it is none."""
    axes = LAYOUTS[layout]
    if len(shape) != (2 if axes is None else 3):
        return None
    if axes is not None:
        inner, heads, d = (shape[axis] for axis in axes)
        return (inner, heads, d) if count in (None, heads) else None
    inner, wide = shape if layout == "in_out" else shape[::-1]
    return (inner, count, wide // count) if count and wide % count == 0 else None


def _letters(given: Mapping[str, Any], counts: Mapping[str, int], layout: str) -> dict[str, Any]:
    """Return W_Q, W_K, W_V as (d_model, heads · d) and the biases, also out of packed ones."""
    found: dict[str, Any] = {}
    for kind in ("W", "b"):
        packed = given[f"{kind}_QKV"]
        own = {f"{kind}_{letter}": given[f"{kind}_{letter}"] for letter in "QKV"}
        if packed is None:
            missing = [name for name, array in own.items() if array is None]
            if kind == "W" and missing:
                raise ParameterError(
                    f"{FROM_ARRAYS}: {missing[0]} is missing. Give W_Q, W_K and W_V, or W_QKV."
                )
            found |= {
                name: array if array is None else _matrix(name, array, layout, counts[name[-1]])
                for name, array in own.items()
            }
            continue
        twice = [name for name, array in own.items() if array is not None]
        if twice:
            raise ParameterError(
                f"{FROM_ARRAYS}: {kind}_QKV holds {twice[0]} already. Give one of them."
            )
        found |= dict(zip(own, _cut(f"{kind}_QKV", packed, counts, layout), strict=True))
    return found


def _cut(name: str, packed: Any, counts: Mapping[str, int], layout: str) -> list[Array]:
    """Cut a packed matrix, or a packed bias, into those of queries, keys and values."""
    if LAYOUTS[layout] is not None and name == "W_QKV":
        raise ParameterError(
            f"{FROM_ARRAYS}: W_QKV has layout 'out_in' or 'in_out'. Got {layout!r}. "
            "In another layout give W_Q, W_K and W_V."
        )
    array = _matrix(name, packed, layout, 1)
    parts = sum(counts.values())
    if array.shape[-1] % parts:
        turned = array.ndim == 2 and array.shape[0] % parts == 0
        other = "in_out" if layout == "out_in" else "out_in"
        raise ShapeError(
            f"{FROM_ARRAYS}: {name} is not a multiple of n_heads + 2 n_kv_heads = {parts} wide. "
            f"Got {show(numbers(FROM_ARRAYS, name, packed).array.shape)}."
            f"{f' With layout={other!r} it is.' if turned else ''}"
        )
    width = array.shape[-1] // parts
    cuts = [counts["Q"] * width, (counts["Q"] + counts["K"]) * width]
    return np.split(array, cuts, axis=-1)


def _matrix(name: str, given: Any, layout: str, count: int) -> Array:
    """Read a matrix as (in, heads · out), or a vector."""
    array = numbers(FROM_ARRAYS, name, given).array
    axes = LAYOUTS[layout]
    if name.startswith("b"):
        if array.ndim == 2 and array.shape[0] == count and axes is not None:
            array = array.reshape(-1)
        return _of_axes(name, array, 1)
    if axes is None:
        array = _of_axes(name, array, 2)
        return array if layout == "in_out" else array.T
    apart = _of_axes(name, array, 3).transpose(axes)
    if apart.shape[1] != count:
        raise ShapeError(
            f"{FROM_ARRAYS}: {name} has {apart.shape[1]} heads in axis {axes[1]} of layout "
            f"{layout!r}, and {count} are said. Got {show(array.shape)}."
        )
    return apart.reshape(len(apart), -1)


def _written(name: str, given: Any, layout: str) -> Array:
    """Read W_O as (n_heads · d_v, d_out)."""
    array = numbers(FROM_ARRAYS, name, given).array
    if LAYOUTS[layout] is not None and array.ndim == 3:
        return array.swapaxes(1, 2) if layout == "head_out_in" else array
    array = _of_axes(name, array, 2)
    return array.T if layout in ("out_in", "head_out_in") else array


def _of_axes(name: str, array: Array, wanted: int) -> Array:
    if array.ndim != wanted:
        axes = "axis" if wanted == 1 else "axes"
        raise ShapeError(f"{FROM_ARRAYS}: {name} needs {wanted} {axes}. Got {show(array.shape)}.")
    return array


def _per_head(name: str, array: Array, count: int, side: str) -> Array:
    """Cut (in, count · d) into (count, in, d), and (count · d,) into (count, d)."""
    if array.shape[-1] % count:
        raise ShapeError(
            f"{FROM_ARRAYS}: {name} has {array.shape[-1]} {side} for {count} heads, "
            "which is no whole number for each."
        )
    cut = array.reshape(*array.shape[:-1], count, -1)
    return np.moveaxis(cut, -2, 0)
