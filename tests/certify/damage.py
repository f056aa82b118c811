"""Damage to certificates with one claim, and the law that it must not break."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, ClaimResult, verify

Data = dict[str, Any]
Path = tuple[Any, ...]
JUNK = (math.nan, math.inf, -math.inf, 1e300, 10**400, "1/0", "many", None, [], {}, True, [1, 2])
EITHER = ["holds", "fails"]
MISSING = object()


class Meaningless(Exception):
    """The claim cannot be read."""


def result(claim: Claim, arrays: dict[str, Any], scale: float = 1.0) -> ClaimResult:
    """Return what is found about a claim, which is the same after a trip through JSON."""
    floats = {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}
    certificate = Certificate(floats, (claim,), scale)
    (found,) = verify(certificate).claims
    (again,) = verify(json.loads(json.dumps(certificate.to_dict()))).claims
    assert again == found
    assert found.reason
    assert found.statement != "a claim that cannot be read" or found.status == "undecided"
    return found


def status(claim: Claim, arrays: dict[str, Any], scale: float = 1.0) -> str:
    return result(claim, arrays, scale).status


def data(claim: Claim, arrays: dict[str, Any], scale: float = 1.0) -> Data:
    """Return a certificate as JSON data."""
    floats = {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}
    return json.loads(json.dumps(Certificate(floats, (claim,), scale).to_dict()))


def fraction(value: Any) -> Fraction:
    """Return a number or a fraction "p/q", exactly."""
    if isinstance(value, str) and value.strip("-/0123456789") == "":
        value = Fraction(value) if not value.endswith("/0") else None
    finite = type(value) in (int, Fraction) or (type(value) is float and math.isfinite(value))
    if not finite:
        raise Meaningless
    return Fraction(value)


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in ("kind", "statement", "schema"):
                yield from _walk(part, (*path, key))


def _changed(value: Any, path: Path, new: Any) -> Any:
    """Return a copy with another value at a path (MISSING: none); the rest is shared."""
    changed, (first, *rest) = copy.copy(value), path
    if rest:
        changed[first] = _changed(value[first], tuple(rest), new)
    elif new is MISSING:
        del changed[first]
    else:
        changed[first] = new
    return changed


def _others(value: Any) -> Iterator[Any]:
    if type(value) is bool:
        yield not value
    elif type(value) is int:
        yield from (value + 1, value - 1, -value, value + 100, value + 0.5, float(value))
    elif type(value) is float:
        yield from (value * (1 + 1e-6), value * (1 - 1e-9), value + 1, -value, 0.0, value * 1e6)
    elif isinstance(value, str) and value.strip("-/0123456789") == "" and value:
        yield from (str(Fraction(value) + Fraction(1, 1000)), str(-Fraction(value)))
    elif isinstance(value, list) and value:
        yield from (value[:-1], value[1:], value[::-1], [*value, value[0]], [value])


def damaged(certificate: Data, most: int = 400) -> list[tuple[Path, Data]]:
    """Return copies with one part changed, in many ways."""
    found = []
    for path, value in _walk(certificate):
        if path not in ((), ("claims",), ("arrays",)):
            found += [(path, new) for new in (*_others(value), *JUNK)]
            if isinstance(path[-1], str):
                found.append((path, MISSING))
    if len(found) > most:
        rng = np.random.default_rng(len(found))
        found = [found[i] for i in sorted(rng.permutation(len(found))[:most])]
    return [(path, _changed(certificate, path, new)) for path, new in found]


def assert_damage_is_seen(
    certificate: Data,
    judge: Callable[[Data], bool | None],
    *,
    most: int = 400,
    decided: float = 0.0,
    least: int = 5,
) -> None:
    """Assert that under damage no false claim holds, no true one fails, and none is an error.

    `judge` says whether a claim is true (None: it does not know); a claim that it cannot read must
    stay undecided.
    """
    assert verify(certificate).holds
    assert judge(certificate)
    statuses = []
    for path, changed in damaged(certificate, most):
        try:
            results = verify(copy.deepcopy(changed)).claims
        except ValueError:
            continue  # it is no certificate
        try:
            truth = judge(changed)
            allowed = {"undecided", *({True: ["holds"], False: ["fails"]}.get(truth, EITHER))}
        except OverflowError:  # too large for the judge
            truth, allowed = None, {"undecided", *EITHER}
        except (Meaningless, LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            truth, allowed = None, {"undecided"}
        found = results[0]
        assert found.reason
        assert found.status in allowed, (path, truth, found, changed)
        if truth is False:
            statuses.append(found.status)
    assert statuses.count("fails") >= decided * len(statuses), statuses.count("fails")
    assert len(statuses) >= least
