"""Read the parts of a claim, which may be anything, and write its numbers.

What cannot be used is refused with `Unusable`, which names the part. Bounds are written in six
digits, rounded so that the sentence stays true.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq

from regard.certify.floats import Float64, Unusable, floats_of
from regard.language.bounds import lower_bound, upper_bound

if TYPE_CHECKING:
    from regard.certify.certificate import Certificate

Number = int | float | fmpq  # each stands for exactly one real number
_FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


def part(mapping: Mapping[str, Any], name: str) -> Any:
    """Return a part of fields or witness, which must be there."""
    if not isinstance(mapping, Mapping) or name not in mapping:
        raise Unusable(f"{name} is missing.")
    return mapping[name]


def number(value: Any, name: str) -> int | float:
    """Return a finite number."""
    if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Unusable(f"{name} must be a finite number, not {_show(value)}.")


def exact(value: Any, name: str) -> Number:
    """Return a number, also if it is written as a fraction "p/q"."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    if not isinstance(value, str):
        return number(value, name)
    found = _FRACTION.fullmatch(value)
    if found is None or int(found[2] or 1) == 0:
        raise Unusable(f"{name} must be numbers or fractions, not {_show(value)}.")
    return fmpq(int(found[1]), int(found[2] or 1))


def positive_or_zero(value: Any, name: str) -> int | float:
    """Return a finite number of at least 0."""
    if number(value, name) < 0:
        raise Unusable(f"{name} must be at least 0, not {_show(value)}.")
    return number(value, name)


def index(value: Any, name: str, n: int) -> int:
    """Return a whole number from 0 to n - 1."""
    place = number(value, name)
    if place != int(place) or not 0 <= place < n:
        raise Unusable(f"{name} must be a whole number from 0 to {n - 1}, not {_show(value)}.")
    return int(place)


def listed(value: Any, name: str, length: int | None = None) -> list[Any]:
    """Return a list (of `length` entries)."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or length not in (None, len(value)):
        need = "a list" if length is None else f"a list of {length}"
        raise Unusable(f"{name} must be {need}.")
    return list(value)


def indices(value: Any, name: str, n: int) -> list[int]:
    """Return whole numbers from 0 to n - 1, at least one and each once."""
    places = [index(place, name, n) for place in listed(value, name)]
    # One listed twice would be counted twice, in an entropy for instance.
    if not places or len(set(places)) != len(places):
        raise Unusable(f"{name} must be different indices, at least one.")
    return places


def weighted(value: Any, name: str, n: int) -> dict[int, int | float]:
    """Return the weights of {"indices": …, "weights": …} by index."""
    places = indices(part(value, "indices"), name, n)
    weights = listed(part(value, "weights"), f"the weights of {name}", len(places))
    return dict(zip(places, (number(w, f"weights of {name}") for w in weights), strict=True))


def combination(value: Any, name: str, n: int, fractions: bool = False) -> dict[int, Number]:
    """Return the entries that are not 0 of n numbers ≥ 0, not all 0, by index."""
    read = exact if fractions else number
    entries = [read(entry, name) for entry in listed(value, name, n)]
    if any(entry < 0 for entry in entries):
        raise Unusable(f"{name} has a negative entry.")
    found = {i: entry for i, entry in enumerate(entries) if entry != 0}
    if not found:
        raise Unusable(f"{name} is 0 everywhere.")
    return found


def vector(value: Any, name: str, length: int) -> Float64:
    """Return `length` finite numbers."""
    floats = floats_of(value, name)
    if floats.shape != (length,):
        raise Unusable(f"{name} must have {length} entries, and has shape {floats.shape}.")
    return floats


def matrix(value: Any, name: str, rows: int | None = None, columns: int | None = None) -> Float64:
    """Return a matrix of finite numbers with that many rows and columns (None: any)."""
    floats = floats_of(value, name)
    fits = floats.ndim == 2 and rows in (None, floats.shape[0])
    if not fits or columns not in (None, floats.shape[1]):
        need = f"({'any' if rows is None else rows}, {'any' if columns is None else columns})"
        raise Unusable(f"{name} must have shape {need}, and has {floats.shape}.")
    return floats


def given(certificate: Certificate, name: str, rows: int | None = None) -> Float64:
    """Return a matrix that the certificate is about."""
    return matrix(part(certificate.arrays, name), name, rows)


def up(value: Any) -> str:
    """Write a number in six digits, rounded up: what is at most it is at most what is written."""
    return _exponent(upper_bound(number(value, "it")))


def down(value: Any) -> str:
    """Write a number in six digits, rounded down."""
    return _exponent(lower_bound(number(value, "it")))


def exactly(value: Any) -> str:
    """Write a number with all of its digits: what a claim supposes must not be rounded at all."""
    return _exponent(repr(number(value, "it")).removesuffix(".0"))


def _exponent(text: str) -> str:
    return re.sub(r"e([+-])0*", lambda sign: "e" + sign[1].strip("+"), text)


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


@dataclass(frozen=True, slots=True)
class Parts:
    """Fields or witness of a claim, each part read by name: `claim.stated.number("bound")`."""

    of: Mapping[str, Any]

    def part(self, name: str) -> Any:
        """Return a part, which must be there and may be anything."""
        return part(self.of, name)

    def number(self, name: str) -> int | float:
        """Return a finite number."""
        return number(self.part(name), name)

    def exact(self, name: str) -> Number:
        """Return a number, also if it is written as a fraction "p/q"."""
        return exact(self.part(name), name)

    def positive_or_zero(self, name: str) -> int | float:
        """Return a finite number of at least 0."""
        return positive_or_zero(self.part(name), name)

    def radius(self) -> int | float | None:
        """Return the radius of a claim; None: it is about everything, however long."""
        return None if self.part("radius") is None else self.positive_or_zero("radius")

    def index(self, name: str, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return index(self.part(name), name, n)

    def indices(self, name: str, n: int) -> list[int]:
        """Return whole numbers from 0 to n - 1, at least one and each once."""
        return indices(self.part(name), name, n)

    def listed(self, name: str, length: int | None = None) -> list[Any]:
        """Return a list (of `length` entries)."""
        return listed(self.part(name), name, length)

    def weighted(self, name: str, n: int) -> dict[int, int | float]:
        """Return the weights of {"indices": …, "weights": …} by index."""
        return weighted(self.part(name), name, n)

    def combination(self, name: str, n: int, fractions: bool = False) -> dict[int, Number]:
        """Return the entries that are not 0 of n numbers ≥ 0, not all 0, by index."""
        return combination(self.part(name), name, n, fractions)

    def vector(self, name: str, length: int) -> Float64:
        """Return `length` finite numbers."""
        return vector(self.part(name), name, length)

    def matrix(self, name: str, rows: int | None = None, columns: int | None = None) -> Float64:
        """Return a matrix of finite numbers with that many rows and columns (None: any)."""
        return matrix(self.part(name), name, rows, columns)
