"""What a certificate is, how it is written as JSON data, and how its parts are read.

A certificate holds the arrays it is about and claims about them. A claim has a
kind, the numbers it is made of (its fields) and what proves it (its witness).
Nothing in it is taken on trust: what a part must look like is asked for here,
each time it is read, and a part that does not is `Unusable`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from regard.certify.floats import Float64 as Float64
from regard.certify.floats import Unusable as Unusable
from regard.certify.floats import floats_of
from regard.errors import ParameterError

Number = int | float | fmpq  # each stands for exactly one real number

SCHEMA = 1
_FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


@dataclass(frozen=True, eq=False)
class Claim:
    """One claim: its kind, its numbers, and the witness that proves it."""

    kind: str
    fields: Mapping[str, Any]
    witness: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Certificate:
    """Claims about given arrays, with all that is needed to check them.

    Args:
        arrays: float64 arrays by name: `keys`, `values`, `tokens`, `W_V`, `S`, `T`.
        claims: what is claimed of them.
        scale: what the scores are multiplied by.
    """

    arrays: Mapping[str, Float64]
    claims: tuple[Claim, ...]
    scale: float = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; its numbers read back to the same bits."""
        from regard.certify.verification import statement  # it imports this module

        return {
            "schema": SCHEMA,
            "scale": _plain(self.scale),
            "arrays": {name: _plain(np.asarray(array)) for name, array in self.arrays.items()},
            "claims": [
                {
                    "kind": claim.kind,
                    **_plain(claim.fields),
                    "witness": _plain(claim.witness),
                    "statement": statement(claim),
                }
                for claim in self.claims
            ],
        }

    @staticmethod
    def from_dict(data: Any) -> Certificate:
        """Read what `to_dict` wrote; damaged data is a ParameterError, which is a ValueError."""
        try:
            return _certificate(data)
        except (Unusable, TypeError, ValueError, OverflowError, RecursionError) as problem:
            raise ParameterError(
                f"Certificate.from_dict: data is not a certificate: {problem}"
            ) from None


def _plain(value: Any) -> Any:
    """Return arrays as nested lists and exact fractions as "p/q"."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, fmpq | Fraction) else value


def _certificate(data: Any) -> Certificate:
    if not isinstance(data, Mapping):
        raise Unusable(f"it must be a dict, not {type(data).__name__}.")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise Unusable(f"its schema is {data['schema']!r}, and {SCHEMA} can be read.")
    arrays, claims = data.get("arrays"), data.get("claims")
    if not isinstance(arrays, Mapping) or not all(isinstance(name, str) for name in arrays):
        raise Unusable('"arrays" must be a dict of arrays by name.')
    if not isinstance(claims, list | tuple):
        raise Unusable('"claims" must be a list.')
    return Certificate(
        {name: floats_of(array, f'array "{name}"') for name, array in arrays.items()},
        tuple(_claim(claim) for claim in claims),
        _scale(data.get("scale", 1.0)),
    )


def _scale(value: Any) -> int | float:
    """Return the scale as a float, or as the whole number that it is if no float is equal to it."""
    found = number(value, "scale")
    try:
        return float(found) if float(found) == found else found
    except OverflowError:
        return found


def _claim(data: Any) -> Claim:
    if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
        raise Unusable('each claim must be a dict with a "kind".')
    witness = data.get("witness", {})
    if not isinstance(witness, Mapping):
        raise Unusable(f'the witness of a claim "{data["kind"]}" must be a dict.')
    fields = {n: part for n, part in data.items() if n not in ("kind", "witness", "statement")}
    return Claim(data["kind"], fields, {name: _witness(part) for name, part in witness.items()})


def _witness(value: Any) -> Any:
    """Return JSON data with finite numbers only, and with arrays where lists hold floats alone.

    Lists with whole numbers or strings stay as they are: they may be exact.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise Unusable("a witness holds a number that is not finite.")
    if isinstance(value, Mapping):
        return {name: _witness(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return value
    parts = [_witness(part) for part in value]
    if parts and all(type(part) is float for part in parts):
        return np.array(parts)
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        shapes = {part.shape for part in parts}
        return np.array(parts) if len(shapes) == 1 else [part.tolist() for part in parts]
    return [part.tolist() if isinstance(part, np.ndarray) else part for part in parts]


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


def radius(fields: Mapping[str, Any]) -> int | float | None:
    """Return the radius of a claim; None: it is about everything, however long."""
    value = part(fields, "radius")
    return None if value is None else positive_or_zero(value, "radius")


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
    return _digits(value, ROUND_CEILING)


def down(value: Any) -> str:
    """Write a number in six digits, rounded down."""
    return _digits(value, ROUND_FLOOR)


def exactly(value: Any) -> str:
    """Write a number with all of its digits: what a claim supposes must not be rounded at all."""
    text = repr(number(value, "it")).removesuffix(".0")
    return re.sub(r"e([+-])0*", lambda sign: "e" + sign[1].strip("+"), text)


def _digits(value: Any, rounding: str) -> str:
    rounded = Context(prec=6, rounding=rounding).create_decimal(Decimal(repr(number(value, "it"))))
    return re.sub(r"e([+-])0*", lambda sign: "e" + sign[1].strip("+"), f"{float(rounded):.6g}")


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
