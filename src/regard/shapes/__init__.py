"""Check arguments at the edge of the public functions, and word what is wrong with them.

Every public function hands its raw arguments to this package; the code behind
that edge checks nothing. Here: numbers, words and counts of axes.
:mod:`regard.shapes.layout` fits query, key, value and mask to each other,
:mod:`regard.shapes.matrices` the matrices of a head and its tokens.
"""

from __future__ import annotations

import math
import operator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError, ShapeError

Array = NDArray[Any]


def show(shape: tuple[int, ...]) -> str:
    """Write a shape the way NumPy prints it."""
    return str(tuple(int(n) for n in shape))


def integer(function: str, name: str, value: object, *, minimum: int | None = None) -> int:
    """Return `value` as an int, or say that it must be a whole number (of at least `minimum`)."""
    rule = "a whole number" if minimum is None else f"a whole number ≥ {minimum}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{function}: {name} must be {rule}. Got {value!r}.") from None
    if minimum is not None and number < minimum:
        raise ParameterError(f"{function}: {name} must be {rule}. Got {number}.")
    return number


def real(function: str, name: str, value: object, *, positive: bool = False) -> float:
    """Return `value` as a finite float, or say that it must be one."""
    rule = "a positive finite number" if positive else "a finite number"
    if getattr(value, "requires_grad", False):
        raise ParameterError(
            f"{function}: {name} requires grad, and regard computes no gradients. "
            f"Pass {name}.detach()."
        )
    number = math.nan
    # numpy scalars and 0-d arrays of any library convert; strings and booleans do not count.
    if not isinstance(value, (bool, np.bool_, str, bytes)) and getattr(value, "ndim", 0) == 0:
        with suppress(TypeError, ValueError, OverflowError, RuntimeError):
            number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number) or (positive and number <= 0):
        raise ParameterError(f"{function}: {name} must be {rule}. Got {value!r}.")
    return number


def choice(function: str, name: str, value: object, options: tuple[str, ...]) -> str:
    """Return `value` if it is one of `options`, or list them."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ParameterError(f"{function}: {name} must be one of {listed}. Got {value!r}.")
    return value


def at_least(function: str, name: str, array: Array, ndim: int, axes: str) -> Array:
    """Return `array` if it has `ndim` axes or more; `axes` spells them."""
    if array.ndim < ndim:
        fix = f" Add the missing axis: {name}[None, :]." if array.ndim == 1 and ndim == 2 else ""
        raise ShapeError(
            f"{function}: {name} needs at least {ndim} axes {axes}. "
            f"Got {name} {show(array.shape)}.{fix}"
        )
    return array


def boolean(function: str, name: str, value: object) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{function}: {name} must be True or False. Got {value!r}.")
    return bool(value)


def window_sides(function: str, window: object) -> tuple[int | None, int | None]:
    """Return `window` as (left, right), each a whole number ≥ 0 or None for no limit."""
    rule = (
        f"{function}: window must be None or a pair (left, right) of whole numbers ≥ 0, "
        "None for a side without limit."
    )
    if window is None:
        return None, None
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise ParameterError(f"{rule} Got {window!r}.")
    try:
        left, right = (
            None if side is None else integer(function, "window", side, minimum=0)
            for side in window
        )
    except ParameterError:
        raise ParameterError(f"{rule} Got {window!r}.") from None
    return left, right


def per_batch(function: str, name: str, value: Array, batch: tuple[int, ...]) -> Array:
    """Return whole numbers, one for all or one per batch, as int64 that broadcasts to `batch`."""
    if value.dtype.kind not in "iu":
        raise ParameterError(
            f"{function}: {name} has dtype {value.dtype}. Need whole numbers: "
            f"one for all, or one per batch in an integer array."
        )
    limit = 2**61  # far beyond every length, and sums of two still fit int64
    numbers = np.clip(value, -limit if value.dtype.kind == "i" else 0, limit).astype(np.int64)
    if numbers.size == 1:
        return numbers.reshape(())
    fits = numbers.ndim == len(batch) and all(
        got in (1, need) for got, need in zip(numbers.shape, batch, strict=True)
    )
    if not fits:
        raise ShapeError(
            f"{function}: {name} must be one number, or one per batch: shape {show(batch)}. "
            f"Got {name} {show(value.shape)}."
        )
    return numbers
