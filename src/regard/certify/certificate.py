"""What a certificate is, and how it is written as JSON data.

A certificate holds the arrays it is about and claims about them. A claim has a
kind, the numbers it is made of (its fields) and what proves it (its witness).
Nothing in it is taken on trust: `regard.certify.reading` asks what a part must look
like each time it is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from regard.certify.floats import Float64 as Float64
from regard.certify.floats import Unusable as Unusable
from regard.certify.floats import floats_of
from regard.certify.reading import Number as Number
from regard.certify.reading import Parts
from regard.certify.reading import combination as combination
from regard.certify.reading import down as down
from regard.certify.reading import exact as exact
from regard.certify.reading import exactly as exactly
from regard.certify.reading import given as given
from regard.certify.reading import index as index
from regard.certify.reading import indices as indices
from regard.certify.reading import listed as listed
from regard.certify.reading import matrix as matrix
from regard.certify.reading import number as number
from regard.certify.reading import part as part
from regard.certify.reading import positive_or_zero as positive_or_zero
from regard.certify.reading import up as up
from regard.certify.reading import vector as vector
from regard.certify.reading import weighted as weighted
from regard.errors import ParameterError

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Claim:
    """One claim: its kind, its numbers, and the witness that proves it."""

    kind: str
    fields: Mapping[str, Any]
    witness: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stated(self) -> Parts:
        """The fields, each asked what it must look like when it is read."""
        return Parts(self.fields)

    @property
    def witnessed(self) -> Parts:
        """The witness, read in the same way."""
        return Parts(self.witness)


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
