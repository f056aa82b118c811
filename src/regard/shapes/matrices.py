"""Fit the matrices of a head to each other, and tokens to the matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import common_dtype, computing, numbers
from regard.errors import ShapeError
from regard.shapes import at_least, real, show

Array = NDArray[Any]
Axes = tuple[str, ...]


def read_matrices(
    function: str, given: Mapping[str, Any], expected: Mapping[str, Axes]
) -> dict[str, Any]:
    """Read the matrices of a head and check that their shapes fit each other.

    `expected` names the axes of each. An axis that occurs twice has one length;
    "n_heads*d_v" is the product of two others; n_kv_heads divides n_heads.

    Returns the arrays (floats; None where none was given), the scale, and under
    "dtype" the name of the dtype that they came in.
    """
    taken = {
        name: numbers(function, name, given[name])
        for name in expected
        if given[name] is not None or name in ("W_Q", "W_K", "W_V")
    }
    sizes: dict[str, tuple[int, str]] = {}
    for name, one in taken.items():
        axes = expected[name]
        if one.array.ndim != len(axes):
            raise ShapeError(
                f"{function}: {name} needs {len(axes)} {'axis' if len(axes) == 1 else 'axes'} "
                f"{_spell(axes)}. "
                f"Got {name} {show(one.array.shape)}."
            )
        for axis, size in zip(axes, one.array.shape, strict=True):
            if axis == "n_heads*d_v":
                known = sizes["n_heads"][0] * sizes["d_v"][0], "W_V"
            else:
                known = sizes.setdefault(axis, (size, name))
            if size != known[0]:
                other = known[1]
                without = " without W_O" if name == "b_O" and "W_O" not in taken else ""
                raise ShapeError(
                    f"{function}: {name} does not match {other} in {axis} ({size} vs {known[0]}). "
                    f"Need {other} {_spell(expected[other])}, {name} {_spell(axes)}{without}. "
                    f"Got {other} {show(taken[other].array.shape)}, "
                    f"{name} {show(one.array.shape)}."
                )
    heads, shared = (sizes.get(axis, (1, ""))[0] for axis in ("n_heads", "n_kv_heads"))
    if heads != shared and (shared == 0 or heads % shared):
        raise ShapeError(
            f"{function}: heads of W_Q are not a multiple of heads of W_K ({heads} vs {shared}). "
            f"Need W_Q {_spell(expected['W_Q'])}, W_K {_spell(expected['W_K'])} "
            f"with n_kv_heads dividing n_heads. "
            f"Got W_Q {show(taken['W_Q'].array.shape)}, W_K {show(taken['W_K'].array.shape)}."
        )
    if heads == 0:
        raise ShapeError(
            f"{function}: W_Q needs at least 1 head. Need W_Q {_spell(expected['W_Q'])}. "
            f"Got W_Q {show(taken['W_Q'].array.shape)}."
        )
    dtype = common_dtype(*(one.dtype for one in taken.values()))
    arrays = {
        name: taken[name].array.astype(computing(dtype), copy=False) if name in taken else None
        for name in expected
    }
    scale = given["scale"]
    return arrays | {
        "scale": None if scale is None else real(function, "scale", scale),
        "dtype": dtype,
    }


def _spell(axes: Axes) -> str:
    return f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"


def fit_tokens(function: str, name: str, tokens: Array, axis: str, matrix: Array) -> None:
    """Check that tokens (..., n, width) are as wide as the matrix that reads them is high."""
    expected = matrix.shape[-2]
    at_least(function, name, tokens, f"(..., n, {axis})", width=expected)
    width = tokens.shape[-1]
    if width != expected:
        reader = "W_Q" if axis == "d_model" else "W_K and W_V"
        fix = ""
        if (name, axis) == ("x", "d_context"):
            fix = " Pass the tokens to attend to as context=."
        elif tokens.shape[-2] == expected:
            fix = f" {name} looks transposed: try {name}.swapaxes(-1, -2)."
        raise ShapeError(
            f"{function}: {name} does not match {reader} in {axis} ({width} vs {expected}). "
            f"Need {name} (..., n, {axis}). Got {name} {show(tokens.shape)}.{fix}"
        )


def fit_context(function: str, x: Array, context: Array) -> tuple[int, ...]:
    """Return the batch axes that x (*batch, n, d_model) and the context have together."""
    try:
        return np.broadcast_shapes(x.shape[:-2], context.shape[:-2])
    except ValueError:
        raise ShapeError(
            f"{function}: batch axes do not broadcast. Need x (*batch, n, d_model), "
            f"context (*batch, n_context, d_context) with equal batch axes, or 1. "
            f"Got x {show(x.shape)}, context {show(context.shape)}."
        ) from None


def fit_positions(function: str, x: Array, context: Array, positions: Array) -> None:
    """Check that positions (..., rows, width) have a row for each token of x and the context."""
    width = x.shape[-1]
    if context.shape[-1] != width:
        raise ShapeError(
            f"{function}: positions are added to x and to context, and need both to have one "
            f"width ({width} vs {context.shape[-1]}). Got x {show(x.shape)}, "
            f"context {show(context.shape)}, positions {show(positions.shape)}."
        )
    n = max(x.shape[-2], context.shape[-2])
    if positions.ndim < 2 or positions.shape[-1] != width or positions.shape[-2] < n:
        raise ShapeError(
            f"{function}: positions must have a row for each token: "
            f"(..., {n} or more, {width}). Got positions {show(positions.shape)}."
        )
    for tokens in (x, context):
        try:
            np.broadcast_shapes(tokens.shape[:-2], positions.shape[:-2])
        except ValueError:
            raise ShapeError(
                f"{function}: the batch axes of positions do not broadcast. "
                f"Got tokens {show(tokens.shape)}, positions {show(positions.shape)}."
            ) from None
