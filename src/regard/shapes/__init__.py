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
    # Numbers and 0-d arrays of any library convert; what else float() takes does not count.
    plain = not isinstance(value, (bool, str, bytes, bytearray)) and value is not np.ma.masked
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    if plain and kind not in "bcOSUV" and getattr(value, "ndim", 0) == 0:
        with suppress(TypeError, ValueError, OverflowError, RuntimeError):
            number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number) or (positive and number <= 0):
        raise ParameterError(f"{function}: {name} must be {rule}. Got {value!r}.")
    return number


def sizes(function: str, name: str, value: object, axes: str) -> list[int]:
    """Return a tuple of lengths as ints, or say that it must be one; `axes` spells it."""
    try:
        if not isinstance(value, (tuple, list)) or not value:
            raise ParameterError
        return [integer(function, name, n, minimum=0) for n in value]
    except ParameterError:
        raise ParameterError(
            f"{function}: {name} must be None or a tuple {axes} of whole numbers ≥ 0. "
            f"Got {value!r}."
        ) from None


def allocatable(function: str, *lengths: int) -> None:
    """Check that an array of these lengths can exist at all, whatever the memory."""
    if math.prod(max(n, 1) for n in lengths) > 2**59:
        raise ParameterError(
            f"{function}: an array of {' × '.join(str(n) for n in lengths)} numbers is larger "
            f"than any memory."
        )


def choice(function: str, name: str, value: object, options: tuple[str, ...]) -> str:
    """Return `value` if it is one of `options`, or list them."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ParameterError(f"{function}: {name} must be one of {listed}. Got {value!r}.")
    return value


def at_least(
    function: str,
    name: str,
    array: Array,
    axes: str,
    *,
    rows: int | None = None,
    width: int | None = None,
) -> None:
    """Check that `array` has two axes or more; `axes` spells them.

    Where one is missing, suggests where to add it, if that gives the `rows` and the
    `width` that are needed (None: any will do).
    """
    if array.ndim >= 2:
        return
    fix = ""
    if array.ndim == 1:
        n = array.shape[0]
        if rows in (None, 1) and width in (None, n):
            fix = f" Add the missing axis: {name}[None, :]."
        elif rows in (None, n) and width in (None, 1):
            fix = f" Add the missing axis: {name}[:, None]."
    raise ShapeError(
        f"{function}: {name} needs at least 2 axes {axes}. Got {name} {show(array.shape)}.{fix}"
    )


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
        what = "is None" if value.shape == () and value[()] is None else f"has dtype {value.dtype}"
        raise ParameterError(
            f"{function}: {name} {what}. Need whole numbers: "
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
