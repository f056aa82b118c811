"""Read laws of random vectors: means, covariances, and the generator that draws from them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.shapes import show

__all__ = [
    "batch_axes",
    "read_covariance",
    "read_generator",
    "read_stack",
    "refuse_negative",
    "rounding",
]

Array = NDArray[np.float64]

SLACK = 1e-9  # of the largest entry: what rounding may do to a symmetric matrix
ROUNDING = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23}


def batch_axes(
    function: str, arrays: Mapping[str, Array], axes: Mapping[str, str]
) -> tuple[int, ...]:
    """Return the batch axes that arrays have together; `axes` spells the axes of each."""
    leading = (x.shape[: x.ndim - _count(axes[name])] for name, x in arrays.items())
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        need = ", ".join(f"{name} {axes[name]}" for name in arrays)
        got = ", ".join(f"{name} {show(x.shape)}" for name, x in arrays.items())
        raise ShapeError(
            f"{function}: batch axes do not broadcast. Need {need} with equal batch axes, or 1. "
            f"Got {got}."
        ) from None


def read_stack(
    function: str,
    name: str,
    x: object,
    axes: str,
    *,
    rows: int | None = None,
    width: int | None = None,
) -> Array:
    """Read finite numbers with at least the named axes, none of them empty, as float64.

    Args:
        function: whose argument it is.
        name: the argument.
        x: what was given.
        axes: its axes in words, such as "(..., n, d)"; the dots stand for batch axes.
        rows: the length that is needed on the first of the named axes, if known.
        width: the length that is needed on the last one, if known.
    """
    return _read(function, name, numbers(function, name, x).array, axes, rows, width)


def read_covariance(
    function: str,
    name: str,
    x: object,
    width: int | None = None,
    *,
    axes: str = "(..., n, d, d)",
    rows: int | None = None,
) -> Array:
    """Read covariances, symmetric and positive semidefinite up to rounding, as float64.

    What comes back is exactly symmetric. Eigenvalues may still be negative by
    rounding, so a quadratic form of it may have to be raised to zero.

    Args:
        function: whose argument it is.
        name: the argument.
        x: what was given.
        width: how many rows and columns each covariance needs, if known.
        axes: its axes in words.
        rows: the length that is needed on the first of the named axes, if it is not the matrix.
    """
    taken = numbers(function, name, x)
    needed = _count(axes)
    shape = taken.array.shape
    if taken.array.ndim == needed - 1 and width in (None, *shape[-1:]):
        fix = ""
        if needed > 2 and rows is not None and shape == (width, width):
            fix = f" For one covariance for all, pass np.broadcast_to({name}, {(rows, *shape)})."
        elif shape and shape[-2:] != (shape[-1],) * 2 and (needed == 2 or rows in (None, shape[0])):
            fix = f" For variances, pass {name}[..., None] * np.eye({shape[-1]})."
        _refuse_axes(function, name, taken.array, axes, fix)
    array = _read(function, name, taken.array, axes, rows if needed > 2 else width, width)
    if array.shape[-1] != array.shape[-2]:
        raise ShapeError(
            f"{function}: {name} must be square, {axes}. Got {name} {show(array.shape)}."
        )
    epsilon = ROUNDING.get(taken.dtype, 0.0)
    largest = np.max(np.abs(array), axis=(-2, -1), keepdims=True)
    unit = array / np.where(largest > 0, largest, 1.0)  # no overflow below, whatever the units
    turned = np.swapaxes(unit, -1, -2)
    if not np.array_equal(unit, turned):
        difference = np.abs(unit - turned)
        if np.max(difference) > max(SLACK, 4 * epsilon):
            _refuse_asymmetry(function, name, array, difference)
        # Halves first: the sum of two large entries could overflow.
        array = 0.5 * array + 0.5 * np.swapaxes(array, -1, -2)
        unit = 0.5 * (unit + turned)
    slack = max(SLACK, array.shape[-1] * epsilon)
    refuse_negative(function, name, unit, slack, unit=largest[..., 0, 0])
    return array


def rounding(function: str, name: str, x: object) -> float:
    """Return the rounding error that came in with numbers in fewer bits than float64."""
    return ROUNDING.get(numbers(function, name, x).dtype, 0.0)


def refuse_negative(
    function: str, name: str, matrices: Array, slack: float, *, unit: Array | None = None
) -> None:
    """Refuse symmetric matrices with an eigenvalue below −slack, and say how negative it is.

    Args:
        function: whose argument it is.
        name: the matrices in words.
        matrices: the matrices, their entries of size 1 at most.
        slack: how far below zero rounding may bring an eigenvalue.
        unit: what each matrix was divided by.
    """
    with suppress(np.linalg.LinAlgError):
        # Positive definite after a shift by the slack: the usual case costs no eigenvalues.
        np.linalg.cholesky(matrices + slack * np.eye(matrices.shape[-1]))
        return
    eigenvalues = np.linalg.eigvalsh(matrices)
    lowest = eigenvalues[..., 0]
    if np.min(lowest, initial=0.0) >= -slack:
        return
    at = np.unravel_index(int(np.argmin(lowest)), lowest.shape)
    size = 1.0 if unit is None else float(np.broadcast_to(unit, lowest.shape)[at])
    low, high = (float(eigenvalues[(*at, end)]) * size for end in (0, -1))
    raise ParameterError(
        f"{function}: {name}{_place(at)} must be positive semidefinite. "
        f"Its smallest eigenvalue is {low:.6g}, its largest {high:.6g}."
    )


def read_generator(function: str, rng: object) -> np.random.Generator:
    """Return a NumPy generator, made from a seed where one is given."""
    if isinstance(rng, np.random.Generator):
        return rng
    plain = isinstance(rng, (int, np.integer)) and not isinstance(rng, (bool, np.bool_))
    if not plain or rng < 0:  # type: ignore[operator]
        raise ParameterError(
            f"{function}: rng must be a numpy.random.Generator or a seed, a whole number ≥ 0. "
            f"Got {rng!r}."
        )
    return np.random.default_rng(rng)  # type: ignore[arg-type]


def _read(
    function: str, name: str, array: NDArray[Any], axes: str, rows: int | None, width: int | None
) -> Array:
    needed = _count(axes)
    if array.ndim < needed or (array.ndim > needed and "..." not in axes):
        _refuse_axes(function, name, array, axes)
    own = array.shape[array.ndim - needed :]
    if 0 in array.shape:
        raise ShapeError(f"{function}: {name} is empty. Need {axes}. Got {show(array.shape)}.")
    for position, need in ((0, rows), (-1, width)):
        if need is not None and own[position] != need:
            axis = axes.strip("(),").split(", ")[-needed:][position]
            raise ShapeError(
                f"{function}: {name} needs {axis} = {need}, {axes}. Got {name} {show(array.shape)}."
            )
    numbers_ = array.astype(np.float64, copy=False)
    finite = np.isfinite(numbers_)
    if not np.all(finite):
        at = np.unravel_index(int(np.argmin(finite)), finite.shape)
        raise ParameterError(
            f"{function}: {name} must be finite. Got {numbers_[at]} in {name}{_place(at)}."
        )
    return numbers_


def _count(axes: str) -> int:
    """Count the named axes of such as "(..., n, d)"."""
    return sum(
        bool(axis) and axis != "..." for axis in axes.strip("()").replace(" ", "").split(",")
    )


def _refuse_axes(function: str, name: str, array: NDArray[Any], axes: str, fix: str = "") -> None:
    needed = _count(axes)
    least = "at least " if "..." in axes else ""
    raise ShapeError(
        f"{function}: {name} needs {least}{needed} {'axis' if needed == 1 else 'axes'} {axes}. "
        f"Got {name} {show(array.shape)}.{fix}"
    )


def _refuse_asymmetry(function: str, name: str, array: Array, difference: Array) -> None:
    *batch, row, column = np.unravel_index(int(np.argmax(difference)), difference.shape)
    there, mirrored = array[(*batch, row, column)], array[(*batch, column, row)]
    transposed = f"{name}.T" if array.ndim == 2 else f"{name}.swapaxes(-1, -2)"
    raise ParameterError(
        f"{function}: {name}{_place(tuple(batch))} must be symmetric. Its entries ({row}, "
        f"{column}) and ({column}, {row}) are {there:.6g} and {mirrored:.6g}: they differ by "
        f"{abs(there - mirrored):.3g}. If one symmetric matrix is meant, "
        f"pass ({name} + {transposed}) / 2."
    )


def _place(index: tuple[Any, ...]) -> str:
    """Write an index the way it is typed: nothing for the whole, else [1, 2]."""
    return f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
