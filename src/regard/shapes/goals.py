"""Read what a design is given and what it is to reach: points, weights, indices."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.shapes import integer, real, show

__all__ = [
    "read_attend",
    "read_index",
    "read_outputs",
    "read_rows",
    "read_target",
    "read_vector",
    "read_weights",
]

Array = NDArray[np.float64]

SUM_SLACK = 1e-9  # weights that a person typed with ten digits sum to 1 within this


def read_rows(
    function: str,
    name: str,
    x: object,
    axes: str,
    *,
    rows: int | None = None,
    width: int | None = None,
) -> Array:
    """Read a table of finite numbers with at least one row and one column, as float64.

    Args:
        function: whose argument it is.
        name: the argument.
        x: what was given.
        axes: its axes in words, such as "(n, d)".
        rows: how many rows are needed, if known.
        width: how many columns are needed, if known.
    """
    array = numbers(function, name, x).array
    if array.ndim != 2:
        add = array.ndim == 1 and array.size > 0
        fix = f" Add the missing axis: {name}[:, None]." if add else ""
        raise ShapeError(
            f"{function}: {name} needs 2 axes {axes}. Got {name} {show(array.shape)}.{fix}"
        )
    if 0 in array.shape:
        raise ShapeError(
            f"{function}: {name} is empty. Need {name} {axes} with at least one row and one "
            f"column. Got {name} {show(array.shape)}."
        )
    for what, got, need in (("rows", array.shape[0], rows), ("columns", array.shape[1], width)):
        if need is not None and got != need:
            fix = (
                f" {name} looks transposed: try {name}.T." if array.T.shape == (rows, width) else ""
            )
            raise ShapeError(
                f"{function}: {name} needs {need} {what}, {axes}. "
                f"Got {name} {show(array.shape)}.{fix}"
            )
    table = np.ascontiguousarray(array, dtype=np.float64)
    finite = np.isfinite(table)
    if not np.all(finite):
        row, column = np.argwhere(~finite)[0]
        raise ParameterError(
            f"{function}: {name} must be finite. Got {table[row, column]} in row {row}, "
            f"column {column}."
        )
    return table


def read_vector(function: str, name: str, x: object, length: int) -> Array:
    """Read a vector of `length` finite numbers as float64."""
    array = numbers(function, name, x).array
    if array.shape != (length,):
        raise ShapeError(
            f"{function}: {name} must be a vector of length {length}. "
            f"Got shape {show(array.shape)}."
        )
    vector = array.astype(np.float64)
    if not np.all(np.isfinite(vector)):
        first = int(np.argmin(np.isfinite(vector)))
        raise ParameterError(f"{function}: {name} must be finite. Got {vector[first]} at {first}.")
    return vector


def read_index(function: str, name: str, value: object, count: int, what: str) -> int:
    """Read the index of one of `count` things."""
    index = integer(function, name, value)
    if not 0 <= index < count:
        raise ParameterError(
            f"{function}: {name} must be the index of a {what}, 0 to {count - 1}. Got {index}."
        )
    return index


def read_weights(
    function: str, name: str, weights: Mapping[Any, Any], count: int, what: str
) -> tuple[NDArray[np.intp], Array]:
    """Read {index: weight} with weights ≥ 0 that sum to 1; indices with weight 0 are left out."""
    if not weights:
        raise ParameterError(f"{function}: {name} is empty. Need at least one {{index: weight}}.")
    read = {
        read_index(function, name, index, count, what): real(function, f"{name}[{index}]", weight)
        for index, weight in weights.items()
    }
    indices = np.array(sorted(read), dtype=np.intp)
    values = np.array([read[int(index)] for index in indices])
    _check_weights(function, name, indices, values)
    return indices[values > 0], values[values > 0]


def read_target(function: str, target: object, count: int) -> tuple[NDArray[np.intp], Array]:
    """Read a target: an index, {index: weight}, or a vector of weights, one per key."""
    if isinstance(target, Mapping):
        return read_weights(function, "target", target, count, "key")
    array = (
        None if isinstance(target, (int, np.integer)) else numbers(function, "target", target).array
    )
    if array is None or array.ndim == 0:
        single = target if array is None else array[()]
        return np.array([read_index(function, "target", single, count, "key")]), np.ones(1)
    weights = read_vector(function, "target", array, count)
    indices = np.arange(count)
    _check_weights(function, "target", indices, weights)
    return indices[weights > 0], weights[weights > 0]


def read_attend(
    function: str, attend: object, count: int
) -> dict[int, tuple[NDArray[np.intp], Array]]:
    """Read {row: token} or {row: {token: weight}} as indices and weights by row."""
    if not isinstance(attend, Mapping) or not attend:
        raise ParameterError(
            f"{function}: attend must be {{row: token}} or {{row: {{token: weight}}}}, "
            f"with at least one row. Got {reprlib.repr(attend)}."
        )
    read = {}
    for key, wanted in attend.items():
        row = read_index(function, "a row of attend", key, count, "token")
        name = f"attend[{row}]"
        if isinstance(wanted, Mapping):
            read[row] = read_weights(function, name, wanted, count, "token")
        else:
            read[row] = np.array([read_index(function, name, wanted, count, "token")]), np.ones(1)
    return dict(sorted(read.items()))


def read_outputs(function: str, outputs: object, count: int) -> dict[int, Array]:
    """Read {row: vector}, the vectors of one length."""
    if not isinstance(outputs, Mapping) or not outputs:
        raise ParameterError(
            f"{function}: outputs must be {{row: vector}}, with at least one row. "
            f"Got {reprlib.repr(outputs)}."
        )
    read: dict[int, Array] = {}
    length = None
    for key, vector in outputs.items():
        row = read_index(function, "a row of outputs", key, count, "token")
        if length is None:
            shape = numbers(function, f"outputs[{row}]", vector).array.shape
            if len(shape) != 1 or shape[0] == 0:
                raise ShapeError(
                    f"{function}: outputs[{row}] must be a vector of at least one number. "
                    f"Got shape {show(shape)}."
                )
            length = shape[0]
        read[row] = read_vector(function, f"outputs[{row}]", vector, length)
    return dict(sorted(read.items()))


def _check_weights(function: str, name: str, indices: NDArray[np.intp], weights: Array) -> None:
    if np.min(weights) < 0:
        worst = int(np.argmin(weights))
        raise ParameterError(
            f"{function}: the weights of {name} must be ≥ 0. "
            f"Got {weights[worst]:g} for index {indices[worst]}."
        )
    total = float(np.sum(weights))
    if abs(total - 1) > SUM_SLACK:
        fix = "" if total <= 0 else " Divide them by their sum."
        raise ParameterError(
            f"{function}: the weights of {name} must sum to 1. They sum to {total:.10g}.{fix}"
        )
