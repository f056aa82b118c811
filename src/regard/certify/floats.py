"""Arrays of float64 from whatever holds numbers, without rounding any of them.

A claim about 2**53 + 1 must not be checked of 2**53: what no float64 is equal to is refused, and an
array that is compared with a certificate's is compared as it is.
"""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


class Unusable(Exception):
    """A part of a claim that is missing or cannot be read; the message is a sentence about it."""


def floats_of(value: Any, name: str) -> Float64:
    """Return numbers as a float64 array, each of them exactly, and all finite."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise Unusable(f"{name} has rows of different lengths.") from None
    if array.dtype.kind not in "iuf" or (array is not value and not _plain_numbers(value, name)):
        raise Unusable(f"{name} must hold numbers only.")
    with np.errstate(over="ignore"):  # of a wide float, which then differs
        floats = array.astype(np.float64, copy=False)
    if differing(floats, array).any():
        raise Unusable(f"{name} holds a number that no float64 is equal to.")
    if not np.isfinite(floats).all():
        raise Unusable(f"{name} holds a number that is not finite.")
    return floats


def _plain_numbers(value: Any, name: str) -> bool:
    """Are all entries of nested lists numbers that a float64 can hold, and none a bool?"""
    if isinstance(value, list | tuple):
        return all(_plain_numbers(entry, name) for entry in value)
    if isinstance(value, float):
        return True
    if isinstance(value, np.ndarray | np.generic):
        return floats_of(np.asarray(value), name).shape == value.shape
    return isinstance(value, int) and not isinstance(value, bool) and float(value) == value


def differing(floats: Float64, array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an array of the same shape differs from floats, whatever numbers it holds.

    NumPy compares an int64 with a float64 after rounding it, so that 2**53 + 1 would equal 2**53.
    """
    if array.dtype == object:
        pairs = zip(floats.ravel().tolist(), array.ravel().tolist(), strict=True)
        unequal = [not (_real(x) and bool(_python(x) == mine)) for mine, x in pairs]
        return np.array(unequal, dtype=np.bool_).reshape(floats.shape)
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return np.asarray(floats != array)
    away = np.array(floats != array)
    large = np.abs(floats) >= 2.0**53
    mine, its = floats[large].tolist(), array[large].tolist()
    away[large] = [int(a) != b for a, b in zip(mine, its, strict=True)]
    return np.asarray(away)


def _real(value: Any) -> bool:
    """Is it a number that Python compares with floats exactly?"""
    return isinstance(value, Real | Decimal | fmpq) and not isinstance(value, bool)


def _python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
