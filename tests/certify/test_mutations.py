"""Certificates are damaged in many ways, and no damage may make a false claim hold or a true one fail.

What is true of a damaged claim comes from `oracle`: rationals and 50 digits, without the witness
where the claim is about all queries, heads or matrices.
"""

from __future__ import annotations

import copy
import itertools
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from certify.oracle import CLAIM_TYPES, CONSTRUCTED, Verdict, judge
from regard import design
from regard.certify import Certificate, Claim, verify
from regard.errors import InfeasibleDesign

Data = dict[str, Any]

# Certificates, as JSON data with one claim each


def _designed(function: Callable[..., Any], *given: Any, **options: Any) -> list[Data]:
    """Return all certificates that a call of a design function gives or raises."""
    try:
        return [function(*given, **options).certificate.to_dict()]
    except InfeasibleDesign as refusal:
        return [refusal.certificate.to_dict(), refusal.best.certificate.to_dict()]


def _by_hand(kind: str, arrays: Data, fields: Data, witness: Data, scale: float = 1.0) -> Data:
    claim = Claim(kind, fields, witness)
    floats = {name: np.array(array, float) for name, array in arrays.items()}
    return Certificate(floats, (claim,), scale).to_dict()


def _within(radius: float, certificates: list[Data]) -> list[Data]:
    """Return claims about all queries as claims about some, with rounded combinations."""

    def rounded(value: Any) -> Any:
        if isinstance(value, list):
            return [rounded(part) for part in value]
        return float(Fraction(value)) if isinstance(value, str) else value

    found = []
    for certificate in copy.deepcopy(certificates):
        for claim in certificate["claims"]:
            if "combination" in claim["witness"] and "radius" in claim:
                claim["radius"] = radius
                witness = claim["witness"]
                witness["combination"] = rounded(witness["combination"])
                room = 1e-9 if claim["kind"].endswith("ceiling") else -1e-9
                room = -room if claim["kind"] == "output_ceiling" else room
                if "bound" in claim:
                    claim["bound"] *= 1 + room
                found.append({**certificate, "claims": [claim]})
    return found


def _queries() -> Iterator[Data]:
    rng = np.random.default_rng(3)
    keys, values = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    yield from _designed(design.query, keys, {0: 0.3, 1: 0.7}, values=values, scale=0.5)
    corners = [[1, 0], [0, 1], [-1, 1], [0, -2]]
    yield from _designed(design.query, corners, 0, tolerance=1e-5)
    # A key in the middle of the others, and one on an edge, which only long queries show.
    heights = [[0, 0.5], [0, -0.25], [0, 0], [0, 1], [2, 0]]
    middle = [[1, 0], [0, 2], [-1, 0], [0, -1], [0, 0]]
    inside = _designed(design.query, middle, 4, values=heights, scale=0.75)
    yield from inside
    yield from _within(1e4, inside)
    edge = _designed(design.query, [[0, 0], [2, 0], [1, 0], [1, 3]], 2)
    yield from edge
    yield from _within(30.0, edge)
    # Two keys cannot have all the weight without the one between them.
    apart = [[1, 0], [-1, 0], [0, 0], [0, 2]]
    mixed = _designed(design.query, apart, {0: 0.4, 1: 0.6}, tolerance=0.01)
    yield from mixed
    yield from _within(100.0, mixed)
    # Out of reach only because the query may not be long.
    three = {"keys": [[0, 0], [1, 0], [0, 1]]}
    most = 1 / (1 + math.exp(math.log(2) - math.sqrt(0.5)))
    fields = {"key": 0, "bound": most * (1 + 1e-9), "radius": 1.0}
    best = [-math.sqrt(0.5) * (1 - 1e-12)] * 2
    witness = {"combination": [0.0, 0.5, 0.5], "attained_by": best}
    yield _by_hand("ceiling", three, fields, witness)
    target = {"indices": [0], "weights": [1.0]}
    least = -math.log(most)
    shares = [most, (1 - most) / 2, (1 - most) / 2]
    fields = {"target": target, "bound": least * (1 - 1e-9), "radius": 1.0}
    yield _by_hand("weights_apart", three, fields, {"combination": shares, "attained_by": best})
    floors = {"indices": [0, 1], "weights": [most * (1 + 1e-6), 1e-3]}
    witness = {"mixture": [1.0, 0.0], "combination": shares, "attained_by": best}
    yield _by_hand("floors_out_of_reach", three, {"floors": floors, "radius": 1.0}, witness)


def _separators() -> Iterator[Data]:
    rng = np.random.default_rng(4)
    S, T = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    yield from _designed(design.separator, S, T, share=0.3)
    yield from _designed(design.separator, [[1, 0], [0, 1], [0, 0]], [[0], [1], [1]])
    yield from _designed(design.separator, [[1, 0], [0, 1], [0, 0]], [[1, 0], [2, 0], [0, 1]])
    T[:, 0] = 0.3 * S[:, 0] + 0.1 * S[:, 1]
    yield from _designed(design.separator, S, T)


def _hulls() -> Iterator[Data]:
    tokens, W_V = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.5], [0.0, 2.0]]
    yield from _designed(design.self_attention, tokens, outputs={1: [3.0, 1.0]}, W_V=W_V)
    values = {"values": [[0, 0, 1], [2, 0, 0], [0, 2, 0], [-1, -1, 0]]}
    fields = {"array": "values", "times": None, "point": [1.0, 1.0, 2.0], "bound": 1.632993161855}
    witness = {"direction": [1.0, 1.0, 2.0], "combination": [4.0, 1.0, 1.0, 0.0]}
    yield _by_hand("apart_from_hull", values, fields, witness)


def _heads() -> Iterator[Data]:
    rng = np.random.default_rng(6)
    tokens = rng.normal(size=(3, 2))
    yield from _designed(design.self_attention, tokens, attend={0: 1, 1: 2, 2: 0}, scale=0.5)
    yield from _designed(design.self_attention, tokens, outputs={0: [1.0, 0.0], 1: [0.0, 1.0]})
    soft = {0: {0: 0.2, 1: 0.3, 2: 0.5}, 1: {0: 0.5, 1: 0.1, 2: 0.4}, 2: {0: 0.1, 1: 0.8, 2: 0.1}}
    yield from _designed(design.self_attention, rng.normal(size=(3, 3)), attend=soft)
    # The target of two rows lies between two other tokens.
    between = [[1, 1], [-1, 1], [0, 1]]
    for attend in ({0: 2, 1: 2}, {0: {0: 0.4, 1: 0.4, 2: 0.2}, 1: {2: 1.0}}):
        found = _designed(design.self_attention, between, attend=attend)
        yield from found
        yield from _within(50.0, found)
    # Out of reach only because the head may not be large.
    tokens = {"tokens": [[1, 0], [0, 1]]}
    rows = [{"row": 0, "indices": [0], "weights": [1.0]}]
    most = 1 / (1 + math.exp(-math.sqrt(2)))
    head = {"A": [[math.sqrt(0.5) * (1 - 1e-12), 0.0], [-math.sqrt(0.5), 0.0]]}
    fields = {"rows": rows, "bound": most * (1 + 1e-9), "radius": 1.0}
    yield _by_hand(
        "pattern_ceiling", tokens, fields, {"combination": [[0, 1, 1.0]], "attained_by": head}
    )
    fields = {"rows": rows, "bound": -math.log(most) * (1 - 1e-9), "radius": 1.0}
    shares = [[0, 0, most], [0, 1, 1 - most]]
    yield _by_hand("pattern_apart", tokens, fields, {"combination": shares, "attained_by": head})
    # One column is too few: for what the rows are, and for what the tokens are.
    rows = [
        {"row": i, "indices": [t], "weights": [1.0]} for i, t in ((0, 2), (1, 3), (3, 3), (4, 2))
    ]
    fields = {"rows": rows, "bound": 2, "tolerance": 0.25}
    tokens = {"tokens": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 0], [2, -1, 1]]}
    witness = {"queries": [[0, 1.0], [1, "1"], [3, 1.0]], "towards": 2, "away": 3}
    yield _by_hand("d_k_at_least", tokens, fields, witness)
    square = [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    yield from _designed(design.self_attention, square, attend={2: 0, 3: 1}, tolerance=0.125)
    # Outputs that differ in rows with one token, and outputs of too high a rank.
    same = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    yield from _designed(design.self_attention, same, outputs={0: [1.0, 0.0], 1: [0.0, 1.0]})
    line = [[1.0], [2.0], [-1.0]]
    yield from _designed(design.self_attention, line, outputs={0: [3.0, 0.0], 1: [0.0, 1.0]})


@cache
def _whole() -> tuple[Data, ...]:
    return (*_queries(), *_separators(), *_hulls(), *_heads())


@cache
def _examples(kind: str) -> tuple[Data, ...]:
    """Return certificates with one claim, of that kind: a few, as each is damaged in many ways."""
    found = [
        {**certificate, "claims": [claim]}
        for certificate in _whole()
        for claim in certificate["claims"]
        if claim["kind"] == kind
    ]
    return tuple(_some(found, 4 if kind in CONSTRUCTED else 6))


# Damage: each function returns damaged copies of a certificate, none if it does not apply

Damage = Callable[[Data, str], list[Data]]
DAMAGE: dict[str, Damage] = {}
JUNK = {
    "not a number": math.nan,
    "infinite": math.inf,
    "minus infinity": -math.inf,
    "huge": 1e300,
    "huge and negative": -1e300,
    "large": 1e6,
    "the largest number": 1.7976931348623157e308,
    "the smallest number": 5e-324,
    "zero": 0.0,
    "a whole number of 400 digits": 10**400,
    "a string": "1",
    "a word": "many",
    "a fraction of nothing": "1/0",
    "a fraction of 5000 digits": "1/" + "7" * 5000,
    "null": None,
    "a list": [],
    "a dict": {},
}
CLAIM = ("kind", "witness", "statement")


def damage(name: str) -> Callable[[Damage], Damage]:
    def register(function: Damage) -> Damage:
        DAMAGE[name] = function
        return function

    return register


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(part, (*path, key))
    else:
        yield path, value


def _numbers(value: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the paths and values of numbers and fractions."""
    return [
        (path, leaf)
        for path, leaf in _leaves(value)
        if type(leaf) in (int, float) or (isinstance(leaf, str) and leaf[-1:].isdigit())
    ]


def _lists(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, list):
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _lists(part, (*path, key))


def _get(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at a path; what lies beside the path is shared."""
    changed, (first, *rest) = copy.copy(value), path
    changed[first] = _changed(value[first], tuple(rest), new) if rest else new
    return changed


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    changed, (first, *rest) = copy.copy(value), path
    if rest:
        changed[first] = _without(value[first], tuple(rest))
    else:
        del changed[first]
    return changed


def _fields(certificate: Data) -> Data:
    return {n: part for n, part in certificate["claims"][0].items() if n not in CLAIM}


def _field_numbers(certificate: Data) -> list[tuple[tuple[Any, ...], Any]]:
    return [(("claims", 0, *path), leaf) for path, leaf in _numbers(_fields(certificate))]


def _witness_numbers(certificate: Data) -> list[tuple[tuple[Any, ...], Any]]:
    found = _numbers(certificate["claims"][0]["witness"])
    return [(("claims", 0, "witness", *path), leaf) for path, leaf in found]


def _array_numbers(certificate: Data) -> list[tuple[tuple[Any, ...], Any]]:
    return [(("arrays", *path), leaf) for path, leaf in _numbers(certificate["arrays"])]


def _times(leaf: Any, factor: float) -> Any:
    """Return a number times a factor; a fraction stays one."""
    if isinstance(leaf, str):
        return str(Fraction(leaf) * Fraction(factor))
    return leaf * factor


def _some(found: list[Any], count: int, salt: int = 0) -> list[Any]:
    """Return a few of many, always the same ones."""
    rng = np.random.default_rng([len(found), salt])
    return found if len(found) <= count else [found[i] for i in rng.permutation(len(found))[:count]]


def _scaled_numbers(factor: float) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        numbers = _field_numbers(certificate)
        found = [(path, leaf) for path, leaf in numbers if type(leaf) is float]
        alone = [(path, leaf) for path, leaf in found if len(path) == 3]  # bound, radius, share …
        within = _some([(path, leaf) for path, leaf in found if len(path) > 3], 2)
        return [_changed(certificate, path, leaf * factor) for path, leaf in alone + within]

    return apply


for _factor in (1e-12, 1e-9, 1e-6, 1e-3, 0.1):
    DAMAGE[f"a number of the claim is larger by {_factor:g}"] = _scaled_numbers(1 + _factor)
    DAMAGE[f"a number of the claim is smaller by {_factor:g}"] = _scaled_numbers(1 - _factor)
for _factor in (-1.0, 2.0, 0.5, 1e3, 1e-3, 1e9):
    DAMAGE[f"a number of the claim is multiplied by {_factor:g}"] = _scaled_numbers(_factor)


def _other_indices(change: Callable[[int], Any]) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        found = [(path, leaf) for path, leaf in _field_numbers(certificate) if type(leaf) is int]
        return [_changed(certificate, path, change(leaf)) for path, leaf in found]

    return apply


DAMAGE["an index is the next one"] = _other_indices(lambda i: i + 1)
DAMAGE["an index is the one before"] = _other_indices(lambda i: i - 1)
DAMAGE["an index is the one after the next"] = _other_indices(lambda i: i + 2)
DAMAGE["an index is negated"] = _other_indices(lambda i: -i)
DAMAGE["an index is counted from the end"] = _other_indices(lambda i: i - 3)
DAMAGE["an index is outside"] = _other_indices(lambda i: i + 100)
DAMAGE["an index is between two"] = _other_indices(lambda i: i + 0.5)
DAMAGE["an index is a float"] = _other_indices(float)


def _junk_in(numbers: Callable[[Data], list[Any]], count: int, junk: Any) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        found = _some(numbers(certificate), count)
        return [_changed(certificate, path, junk) for path, _ in found]

    return apply


for _name, _junk in JUNK.items():
    DAMAGE[f"a number of the claim is {_name}"] = _junk_in(_field_numbers, 4, _junk)
    DAMAGE[f"a number of the witness is {_name}"] = _junk_in(_witness_numbers, 3, _junk)
    DAMAGE[f"a number of an array is {_name}"] = _junk_in(_array_numbers, 1, _junk)
    DAMAGE[f"the scale is {_name}"] = lambda c, _, junk=_junk: [_changed(c, ("scale",), junk)]


@damage("a field is missing")
def _(certificate: Data, kind: str) -> list[Data]:
    return [_without(certificate, ("claims", 0, name)) for name in _fields(certificate)]


@damage("a field is null")
def _(certificate: Data, kind: str) -> list[Data]:
    return [_changed(certificate, ("claims", 0, name), None) for name in _fields(certificate)]


@damage("a list of the claim is reversed")
def _(certificate: Data, kind: str) -> list[Data]:
    found = [("claims", 0, *path) for path in _lists(_fields(certificate))]
    return [_changed(certificate, path, _get(certificate, path)[::-1]) for path in found]


@damage("a list of the claim is shorter by one")
def _(certificate: Data, kind: str) -> list[Data]:
    found = [("claims", 0, *path) for path in _lists(_fields(certificate))]
    return [_changed(certificate, path, _get(certificate, path)[:-1]) for path in found]


@damage("a list of the claim has its last entry twice")
def _(certificate: Data, kind: str) -> list[Data]:
    found = [("claims", 0, *path) for path in _lists(_fields(certificate))]
    lists = [(path, _get(certificate, path)) for path in found]
    return [_changed(certificate, path, [*entries, *entries[-1:]]) for path, entries in lists]


@damage("the radius is null, or another")
def _(certificate: Data, kind: str) -> list[Data]:
    if "radius" not in _fields(certificate):
        return []
    others = (None, 0, 1e-3, 1.0, 10.0, 1e6, -1.0)
    return [_changed(certificate, ("claims", 0, "radius"), radius) for radius in others]


@damage("the radius and the scale share a factor")
def _(certificate: Data, kind: str) -> list[Data]:
    radius = _fields(certificate).get("radius")
    if not radius:
        return []
    changed = _changed(certificate, ("claims", 0, "radius"), radius / 2)
    return [_changed(changed, ("scale",), certificate["scale"] * 2)]


def _scaled(factor: float) -> Damage:
    return lambda certificate, _: [_changed(certificate, ("scale",), certificate["scale"] * factor)]


for _factor in (1 - 1e-12, 1 + 1e-9, 1 + 1e-6, 0.999, 1.1, 2.0, -1.0, 1e-9, 1e6):
    DAMAGE[f"the scale is multiplied by {_factor!r}"] = _scaled(_factor)


@damage("the scale is missing")
def _(certificate: Data, kind: str) -> list[Data]:
    return [_without(certificate, ("scale",))]


def _array_entry(change: Callable[[float], float], count: int = 2, salt: int = 0) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        found = _some(_array_numbers(certificate), count, salt)
        return [_changed(certificate, path, change(leaf)) for path, leaf in found]

    return apply


DAMAGE["an entry of an array is one ulp up"] = _array_entry(lambda x: math.nextafter(x, math.inf))
DAMAGE["an entry of an array is one ulp down"] = _array_entry(
    lambda x: math.nextafter(x, -math.inf), salt=1
)
DAMAGE["an entry of an array is larger by 1e-9"] = _array_entry(lambda x: x + 1e-9, salt=2)
DAMAGE["an entry of an array is smaller by 1e-3"] = _array_entry(lambda x: x - 1e-3, salt=3)
DAMAGE["an entry of an array is negated"] = _array_entry(lambda x: -x, salt=4)
DAMAGE["an entry of an array is larger by 1"] = _array_entry(lambda x: x + 1, salt=5)


def _each_array(change: Callable[[list[Any]], Any]) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        arrays = certificate["arrays"].items()
        return [_changed(certificate, ("arrays", name), change(array)) for name, array in arrays]

    return apply


DAMAGE["two rows of an array are swapped"] = _each_array(
    lambda a: [a[1], a[0], *a[2:]] if a[1:] else a
)
DAMAGE["the rows of an array are reversed"] = _each_array(lambda a: a[::-1])
DAMAGE["an array is transposed"] = _each_array(
    lambda a: [list(row) for row in zip(*a, strict=True)]
)
DAMAGE["an array has a row less"] = _each_array(lambda a: a[:-1])
DAMAGE["an array has a row twice"] = _each_array(lambda a: [*a, a[0]])
DAMAGE["an array has a column less"] = _each_array(lambda a: [row[:-1] for row in a])
DAMAGE["an array is 0"] = _each_array(lambda a: [[0.0] * len(row) for row in a])
DAMAGE["an array is negated"] = _each_array(lambda a: [[-x for x in row] for row in a])
DAMAGE["an array is ten times as large"] = _each_array(
    lambda a: [[10 * x for x in row] for row in a]
)
DAMAGE["an array is ragged"] = _each_array(lambda a: [*a[:-1], [*a[-1], 1.0]])
DAMAGE["an array is empty"] = _each_array(lambda a: [])
DAMAGE["an array is flat"] = _each_array(lambda a: [x for row in a for x in row])


@damage("an array is missing")
def _(certificate: Data, kind: str) -> list[Data]:
    return [_without(certificate, ("arrays", name)) for name in certificate["arrays"]]


@damage("two arrays have changed names")
def _(certificate: Data, kind: str) -> list[Data]:
    arrays = certificate["arrays"]
    if len(arrays) != 2:
        return []
    return [
        _changed(certificate, ("arrays",), dict(zip(arrays, [*arrays.values()][::-1], strict=True)))
    ]


@damage("the arrays are those of another problem")
def _(certificate: Data, kind: str) -> list[Data]:
    others = [example["arrays"] for example in _examples(kind) if example is not certificate]
    return [_changed(certificate, ("arrays",), arrays) for arrays in others[:2]]


def _nudged(size: float, salt: int = 0) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        rng, changed = np.random.default_rng([salt, int(1e15 * size)]), certificate
        single = None
        for path, leaf in _witness_numbers(certificate):
            if type(leaf) is not int:
                nudged = _times(leaf, 1 + size * float(rng.normal()))
                changed = _changed(changed, path, nudged)
                single = single or _changed(certificate, path, nudged)
        return [] if single is None else [changed, single]

    return apply


for _size in (1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0):
    DAMAGE[f"the witness is nudged by {_size:g}"] = _nudged(_size)


def _whole_witness(factor: float) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        changed = certificate
        for path, leaf in _witness_numbers(certificate):
            changed = (
                changed if type(leaf) is int else _changed(changed, path, _times(leaf, factor))
            )
        return [changed]

    return apply


for _factor in (-1.0, 0.0, 2.0, 0.5, 1e-200, 1e200):
    DAMAGE[f"the witness is multiplied by {_factor:g}"] = _whole_witness(_factor)


def _witness_number(change: Callable[[Any], Any], integers: bool, salt: int = 0) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        numbers = _witness_numbers(certificate)
        found = [(path, leaf) for path, leaf in numbers if (type(leaf) is int) == integers]
        return [_changed(certificate, path, change(leaf)) for path, leaf in _some(found, 4, salt)]

    return apply


DAMAGE["a number of the witness is negated"] = _witness_number(lambda x: _times(x, -1), False)
DAMAGE["a number of the witness is 0"] = _witness_number(lambda x: _times(x, 0), False, 1)
DAMAGE["a number of the witness is doubled"] = _witness_number(lambda x: _times(x, 2), False, 2)
DAMAGE["a number of the witness is 1"] = _witness_number(lambda x: 1, False, 3)
DAMAGE["a number of the witness is rounded"] = _witness_number(
    lambda x: float(f"{float(Fraction(x)):.7g}"), False, 4
)
DAMAGE["an index of the witness is the next one"] = _witness_number(lambda i: i + 1, True)
DAMAGE["an index of the witness is negated"] = _witness_number(lambda i: -i - 1, True, 1)
DAMAGE["an index of the witness is outside"] = _witness_number(lambda i: i + 50, True, 2)


def _witness_list(change: Callable[[list[Any]], Any], count: int = 4, salt: int = 0) -> Damage:
    def apply(certificate: Data, kind: str) -> list[Data]:
        witness = certificate["claims"][0]["witness"]
        found = _some([("claims", 0, "witness", *path) for path in _lists(witness)], count, salt)
        return [_changed(certificate, path, change(_get(certificate, path))) for path in found]

    return apply


def _transposed(entries: list[Any]) -> list[Any]:
    square = all(isinstance(row, list) and len(row) == len(entries[0]) for row in entries)
    return [list(row) for row in zip(*entries, strict=True)] if entries and square else [entries]


DAMAGE["a list of the witness is reversed"] = _witness_list(lambda x: x[::-1])
DAMAGE["a list of the witness is rotated"] = _witness_list(lambda x: [*x[1:], *x[:1]], salt=1)
DAMAGE["a list of the witness lacks its first entry"] = _witness_list(lambda x: x[1:], salt=2)
DAMAGE["a list of the witness lacks its last entry"] = _witness_list(lambda x: x[:-1], salt=3)
DAMAGE["a list of the witness has an entry twice"] = _witness_list(lambda x: [*x, *x[:1]], salt=4)
DAMAGE["a list of the witness is transposed"] = _witness_list(_transposed, salt=5)
DAMAGE["a list of the witness is empty"] = _witness_list(lambda x: [], salt=6)
DAMAGE["a list of the witness is a dict"] = _witness_list(lambda x: dict(enumerate(x)), salt=7)
DAMAGE["a list of the witness holds its first entry only"] = _witness_list(
    lambda x: [x[0]] * len(x) if x else x, salt=8
)


@damage("the witness is that of another problem")
def _(certificate: Data, kind: str) -> list[Data]:
    others = [example["claims"][0]["witness"] for example in _examples(kind)]
    return [_changed(certificate, ("claims", 0, "witness"), witness) for witness in others]


@damage("the witness is that of another claim about the same arrays")
def _(certificate: Data, kind: str) -> list[Data]:
    others = [
        claim["witness"]
        for whole in _whole()
        for claim in whole["claims"]
        if whole["arrays"] == certificate["arrays"] and claim["kind"] != kind
    ]
    return [_changed(certificate, ("claims", 0, "witness"), witness) for witness in others[:3]]


@damage("a part of the witness is missing")
def _(certificate: Data, kind: str) -> list[Data]:
    witness = certificate["claims"][0]["witness"]
    return [_without(certificate, ("claims", 0, "witness", name)) for name in witness]


@damage("a part of the witness is null")
def _(certificate: Data, kind: str) -> list[Data]:
    witness = certificate["claims"][0]["witness"]
    return [_changed(certificate, ("claims", 0, "witness", name), None) for name in witness]


@damage("the witness is empty, or no witness")
def _(certificate: Data, kind: str) -> list[Data]:
    path = ("claims", 0, "witness")
    return [
        *(_changed(certificate, path, x) for x in ({}, None, [], 3.0)),
        _without(certificate, path),
    ]


@damage("two parts of the witness have changed names")
def _(certificate: Data, kind: str) -> list[Data]:
    witness = certificate["claims"][0]["witness"]
    swapped = dict(zip(witness, [*witness.values()][::-1], strict=True))
    return [_changed(certificate, ("claims", 0, "witness"), swapped)] if len(witness) > 1 else []


@damage("the counter-example is another")
def _(certificate: Data, kind: str) -> list[Data]:
    path = ("claims", 0, "witness", "attained_by")
    found = certificate["claims"][0]["witness"].get("attained_by")
    if found is None:
        return []
    changed = []
    for factor in (0.0, -1.0, 3.0, 1e3, 1e12):
        other = copy.deepcopy(found)
        for place, leaf in _numbers(found):
            _get(other, place[:-1])[place[-1]] = leaf * factor
        changed.append(_changed(certificate, path, other))
    rng = np.random.default_rng(8)
    for size in (1.0, 5.0):
        other = copy.deepcopy(found)
        for place, leaf in _numbers(found):
            _get(other, place[:-1])[place[-1]] = leaf + size * float(rng.normal())
        changed.append(_changed(certificate, path, other))
    return changed


def _combinations(certificate: Data) -> list[tuple[tuple[Any, ...], list[Any]]]:
    """Return the lists of numbers in the witness."""
    witness = certificate["claims"][0]["witness"]
    found = [("claims", 0, "witness", *path) for path in _lists(witness)]
    lists = [(path, _get(certificate, path)) for path in found]
    return [(path, x) for path, x in lists if x and all(type(e) in (float, str) for e in x)]


@damage("a combination in the witness is all on one entry")
def _(certificate: Data, kind: str) -> list[Data]:
    return [
        _changed(certificate, path, [float(i == k) for i in range(len(entries))])
        for path, entries in _some(_combinations(certificate), 3)
        for k in range(len(entries))
    ]


@damage("a combination in the witness reaches beyond its points")
def _(certificate: Data, kind: str) -> list[Data]:
    return [
        _changed(certificate, path, [2.0 * (i == k) - (i == m) for i in range(len(entries))])
        for path, entries in _some(_combinations(certificate), 3)
        for k, m in _some(list(itertools.permutations(range(len(entries)), 2)), 6)
    ]


@damage("the witness is random")
def _(certificate: Data, kind: str) -> list[Data]:
    changed = []
    for seed in range(4):
        rng, other = np.random.default_rng(seed), certificate
        for path, leaf in _witness_numbers(certificate):
            if type(leaf) is not int:
                number = float(rng.normal())
                other = _changed(other, path, number if seed % 2 else abs(number))
        changed.append(other)
    return changed


@damage("a matrix of the witness has a column less, or one twice")
def _(certificate: Data, kind: str) -> list[Data]:
    witness = certificate["claims"][0]["witness"]
    matrices = [
        (name, part)
        for name, part in witness.items()
        if isinstance(part, list) and part and all(type(row) is list for row in part)
    ]
    path = ("claims", 0, "witness")
    less = [_changed(certificate, (*path, n), [row[:-1] for row in m]) for n, m in matrices]
    twice = [[[*row[:-1], row[0]] for row in m] for _, m in matrices]
    return less + [
        _changed(certificate, (*path, n), m) for (n, _), m in zip(matrices, twice, strict=True)
    ]


def _tighter(certificate: Data, kind: str) -> Data:
    """Return a claim that says more than is true, as a rule."""
    claim = certificate["claims"][0]
    if kind == "no_separator":  # the spans are moved apart
        first = certificate["arrays"]["T"][0][0]
        return _changed(certificate, ("arrays", "T", 0, 0), first + 1)
    if kind == "floors_out_of_reach":
        lower = [0.6 * floor for floor in claim["floors"]["weights"]]
        return _changed(certificate, ("claims", 0, "floors", "weights"), lower)
    if kind == "d_k_at_least":
        return _changed(certificate, ("claims", 0, "bound"), claim["bound"] + 1)
    small = kind in ("ceiling", "pattern_ceiling", "margin_at_most")
    return _changed(certificate, ("claims", 0, "bound"), claim["bound"] * (0.8 if small else 1.5))


def _looser(certificate: Data, kind: str) -> Data:
    """Return a true claim whose witness has lost its proof, so that only a refutation is left."""
    witness = certificate["claims"][0]["witness"]
    proof = next(name for name in witness if name != "attained_by")
    return _without(certificate, ("claims", 0, "witness", proof))


def _of_all(function: Damage, before: Callable[[Data, str], Data]) -> Damage:
    """Return damage to the witness of a claim about all queries, heads or matrices, after other damage."""

    def apply(certificate: Data, kind: str) -> list[Data]:
        return [] if kind in CONSTRUCTED else function(before(certificate, kind), kind)

    return apply


for _name, _function in list(DAMAGE.items()):
    if ("witness" in _name or "counter-example" in _name) and " is a " not in _name:
        DAMAGE[f"{_name}, and the claim says too much"] = _of_all(_function, _tighter)
    if "combination" in _name or "counter-example" in _name or "random" in _name:
        DAMAGE[f"{_name}, and the proof is missing"] = _of_all(_function, _looser)


@damage("the kind is another")
def _(certificate: Data, kind: str) -> list[Data]:
    others = [other for other in (*CLAIM_TYPES, "arrays", "none", "") if other != kind]
    return [_changed(certificate, ("claims", 0, "kind"), other) for other in others]


@damage("the kind is no word")
def _(certificate: Data, kind: str) -> list[Data]:
    path = ("claims", 0, "kind")
    return [
        *(_changed(certificate, path, x) for x in (None, 3, [], {})),
        _without(certificate, path),
    ]


@damage("the claim is there twice, the second time tighter")
def _(certificate: Data, kind: str) -> list[Data]:
    claim = certificate["claims"][0]
    second = {**claim, **({"bound": claim["bound"] * 0.9} if "bound" in claim else {})}
    return [_changed(certificate, ("claims",), [claim, second, claim])]


@damage("what is derived is missing, false or new")
def _(certificate: Data, kind: str) -> list[Data]:
    changed = _changed(certificate, ("claims", 0, "statement"), "no query does anything")
    changed = _changed(changed, ("claims", 0, "status"), "holds")
    changed = _changed(changed, ("holds",), True)
    less = _without(_without(certificate, ("claims", 0, "statement")), ("schema",))
    return [changed, less]


@damage("the schema is another")
def _(certificate: Data, kind: str) -> list[Data]:
    return [_changed(certificate, ("schema",), other) for other in (0, 2, "1", None)]


@damage("it is no certificate")
def _(certificate: Data, kind: str) -> list[Data]:
    parts = [
        (name, other) for name in ("arrays", "claims") for other in (None, 3, "x", [3], {"x": 3})
    ]
    changed = [_changed(certificate, (name,), other) for name, other in parts]
    return [*changed, _without(certificate, ("arrays",)), _without(certificate, ("claims",))]


# The law


def _finite(value: Any) -> bool:
    return all(not isinstance(x, float) or math.isfinite(x) for _, x in _leaves(value))


def _storable(value: Any) -> bool:
    small = type(value) in (int, float) and abs(value) <= sys.float_info.max
    return small and float(value) == value


def _readable(data: Data) -> bool:
    """Is it what `from_dict` must be able to read?"""
    arrays, claims = data.get("arrays"), data.get("claims")
    if not isinstance(arrays, dict) or not isinstance(claims, list) or data.get("schema", 1) != 1:
        return False
    for array in arrays.values():
        rows = array if isinstance(array, list) else [None]
        flat = [x for row in rows for x in (row if isinstance(row, list) else [row])]
        if not all(_storable(x) for x in flat):
            return False
        if len({len(row) if isinstance(row, list) else None for row in rows}) > 1:
            return False
    if not _storable(data.get("scale", 1.0)):
        return False
    return all(
        isinstance(claim, dict)
        and isinstance(claim.get("kind"), str)
        and isinstance(claim.get("witness", {}), dict)
        and _finite(claim.get("witness", {}))
        for claim in claims
    )


def _judged(data: Data, name: str = "no damage") -> list[tuple[str, Verdict, str]]:
    """Verify and judge a certificate; return kind, verdict and status of each claim."""
    try:
        verification = verify(copy.deepcopy(data))
    except ValueError:
        assert not _readable(data), f"{name}: from_dict refuses what can be read"
        return []
    if not data["claims"]:
        assert not verification.holds
        return []
    verdicts = judge(data)
    assert len(verdicts) == len(verification.claims)
    assert verification.holds == all(result.status == "holds" for result in verification.claims)
    return [
        (result.kind, verdict, result.status)
        for verdict, result in zip(verdicts, verification.claims, strict=True)
    ]


def _breach(found: Outcome) -> str | None:
    """Say how a status breaks the law."""
    truth, meaningful, apart = found.verdict
    if not meaningful:
        return None if found.status == "undecided" else "decided, but it has no meaning"
    if truth is not None and found.status == ("fails" if truth else "holds"):
        return "the opposite is true"
    far = apart is not None and apart > 1e-9
    if found.kind in CONSTRUCTED and found.status == "undecided" and far:
        return "undecided, though far from the boundary"
    return None


class Outcome(NamedTuple):
    """What became of one claim of one damaged certificate."""

    damage: str
    data: Data
    kind: str
    verdict: Verdict
    status: str


@cache
def _outcomes(kind: str, share: int) -> tuple[Outcome, ...]:
    """Damage the examples of a kind in all ways, and take one of so many of what each way makes."""
    return tuple(
        Outcome(name, data, *found)
        for number, (name, function) in enumerate(DAMAGE.items())
        for data in _one_of(share, number, [d for c in _examples(kind) for d in function(c, kind)])
        for found in _judged(data, name)
    )


def _one_of(share: int, start: int, made: list[Data]) -> list[Data]:
    """Return one of so many, from another start for each way of damage."""
    return made[start % min(share, len(made)) :: share] if made else []


SHARES = pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.slow)])


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_every_kind_of_certificate_holds_undamaged(kind: str) -> None:
    examples = _examples(kind)
    assert len(examples) >= 2
    for certificate in examples:
        ((_, verdict, status),) = _judged(certificate)
        assert (verdict.truth, status) == (True, "holds"), certificate


@SHARES
@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_under_damage_no_false_claim_holds_and_no_true_claim_fails(kind: str, share: int) -> None:
    found = [(_breach(outcome), *outcome) for outcome in _outcomes(kind, share)]
    breaches = [outcome for outcome in found if outcome[0] is not None]
    assert not breaches, f"{len(breaches)} in {sorted({b[1] for b in breaches})}: {breaches[0]}"


@SHARES
@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_twenty_kinds_of_damage_and_more_apply_to_each_kind(kind: str, share: int) -> None:
    examples = _examples(kind)
    outcomes = _outcomes(kind, share)
    changed = {outcome.damage for outcome in outcomes if outcome.data not in examples}
    assert len(changed) >= 20


@SHARES
@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_the_judge_finds_true_and_false_claims_among_the_damaged_and_knows_most(
    kind: str, share: int
) -> None:
    verdicts = [found.verdict for found in _outcomes(kind, share) if found.kind == kind]
    truths = [verdict.truth for verdict in verdicts if verdict.meaningful]
    assert truths.count(True) >= 20 / share
    assert truths.count(False) >= 20 / share
    assert truths.count(None) <= 0.05 * len(truths)


@pytest.mark.parametrize("kind", CONSTRUCTED)
def test_a_claim_about_something_constructed_is_decided_away_from_its_boundary(kind: str) -> None:
    for certificate in _examples(kind):
        bound = certificate["claims"][0]["bound"]
        for factor in (1 - 1e-3, 1 - 1e-6, 1 - 3e-9, 1 + 3e-9, 1 + 1e-6, 1 + 1e-3):
            data = _changed(certificate, ("claims", 0, "bound"), bound * factor)
            ((_, verdict, status),) = _judged(data)
            assert status == ("holds" if verdict.truth else "fails")


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_other_arrays_than_those_of_the_certificate_do_not_hold(kind: str) -> None:
    for certificate in _examples(kind):
        arrays = {name: np.array(array) for name, array in certificate["arrays"].items()}
        assert verify(certificate, **arrays).holds
        assert verify(certificate, **{n: a.tolist() for n, a in arrays.items()}).holds
        for name, array in arrays.items():
            place = np.unravel_index(array.size // 2, array.shape)
            nudged, moved = array.copy(), array.copy()
            nudged[place] = np.nextafter(array[place], np.inf)
            moved[place] += 1e-3
            others = [nudged, moved, array[::-1] + 1, array.T[:-1], array[:-1], array * np.nan]
            others += [None, "keys", [[1.0], [1.0, 2.0]], np.inf, array * 1j, array[None], {}]
            for other in others:
                found = verify(certificate, **{name: other})
                assert not found.holds
                assert [result.status for result in found.claims] == ["holds", "fails"]
        assert not verify(certificate, other=arrays[name]).holds


def test_true_is_not_read_as_a_number() -> None:
    read = set()
    for kind in CLAIM_TYPES:
        for numbers in (_field_numbers, _witness_numbers, _array_numbers):
            name = numbers.__name__.strip("_").split("_")[0]
            for certificate in _examples(kind):
                for data in _junk_in(numbers, 3, True)(certificate, kind):
                    found = [Outcome(name, data, *judged) for judged in _judged(data)]
                    read |= {(kind, name) for outcome in found if _breach(outcome)}
    assert not read


def test_whole_numbers_between_two_floats_are_not_rounded() -> None:
    # Key 0 is the lower one, if only by one: rounded, both heights would be 2⁵³.
    fields, even = {"chosen": [0], "bound": 0.0}, float(2**53)
    keys = {"keys": [[1, 0], [0, 1]]}
    by_witness = _by_hand("margin_at_least", keys, fields, {"direction": [even, 2**53 + 1]})
    by_array = _by_hand("margin_at_least", keys, fields, {"direction": [1.0, 1.0]})
    by_array["arrays"]["keys"] = [[even, 0], [0, 2**53 + 1]]
    statuses = [status for data in (by_witness, by_array) for _, _, status in _judged(data)]
    assert "holds" not in statuses


@pytest.mark.parametrize("kind", CLAIM_TYPES)
def test_what_is_derived_makes_no_difference(kind: str) -> None:
    for certificate in _examples(kind):
        (plain,) = (result for result in verify(certificate).claims)
        for data in DAMAGE["what is derived is missing, false or new"](certificate, kind):
            assert verify(data).claims == (plain,)


@pytest.mark.parametrize("kind", CLAIM_TYPES)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_certificate_in_memory_with_numbers_that_are_not_finite_does_not_hold(
    kind: str, number: float
) -> None:
    for example in _examples(kind):
        certificate = Certificate.from_dict(example)
        claim = certificate.claims[0]
        for name, array in certificate.arrays.items():
            damaged = array.copy()
            damaged.flat[0] = number
            arrays = {**certificate.arrays, name: damaged}
            concerned = not judge(_without(example, ("arrays", name)))[0].meaningful
            found = verify(Certificate(arrays, (claim,), certificate.scale))
            assert not (concerned and found.holds)
        for name, part in claim.witness.items():
            if isinstance(part, np.ndarray) and name != "attained_by":
                damaged = part.copy()
                damaged.flat[0] = number
                witness = {**claim.witness, name: damaged}
                other = Claim(claim.kind, claim.fields, witness)
                status = verify(Certificate(certificate.arrays, (other,))).claims[0].status
                assert status != "holds" or (kind, name) == ("apart_from_hull", "combination")


@pytest.mark.parametrize("kind", ["ceiling", "weights_apart", "pattern_ceiling", "pattern_apart"])
def test_a_claim_tightened_past_its_counter_example_fails(kind: str) -> None:
    lower = kind.endswith("ceiling")
    for certificate in _examples(kind):
        if certificate["claims"][0]["witness"].get("attained_by") is None:
            continue
        bound = certificate["claims"][0]["bound"] * (0.9 if lower else 1.1)
        ((_, verdict, status),) = _judged(_changed(certificate, ("claims", 0, "bound"), bound))
        assert (verdict.truth, status) == (False, "fails")


def test_the_judge_knows_what_can_be_worked_out_by_hand() -> None:
    # The middle of n other keys, placed evenly, gets at most 1 / n of their number and itself.
    square = {"keys": [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]}
    for radius in (None, 2.0):
        for bound, truth in ((0.2 - 1e-12, False), (0.2 + 1e-12, True)):
            fields = {"key": 0, "bound": bound, "radius": radius}
            assert judge(_by_hand("ceiling", square, fields, {}))[0].truth is truth
    # Of two keys at distance 2, one gets at most 1 / (1 + exp(-2 radius)).
    most = 1 / (1 + math.exp(-3.0))
    for bound, truth in ((most * (1 - 1e-12), False), (most * (1 + 1e-12), True)):
        fields = {"key": 0, "bound": bound, "radius": 1.5}
        assert judge(_by_hand("ceiling", {"keys": [[1], [-1]]}, fields, {}))[0].truth is truth
    # Lines at 30 degrees: 1 / sin.
    lines = {"S": [[1.0], [0.0]], "T": [[math.sqrt(3)], [1.0]]}
    for bound, truth in ((4 * (1 - 1e-12), True), (4 * (1 + 1e-12), False)):
        fields = {"share": 0.5, "bound": bound}
        assert judge(_by_hand("norm_at_least", lines, fields, {}))[0].truth is truth
    # The distance from the origin to the segment between (1, 0) and (0, 1).
    for bound, truth in (
        (math.sqrt(0.5) * (1 - 1e-12), True),
        (math.sqrt(0.5) * (1 + 1e-12), False),
    ):
        fields = {"array": "tokens", "times": None, "point": [0.0, 0.0], "bound": bound}
        data = _by_hand("apart_from_hull", {"tokens": [[1, 0], [0, 1]]}, fields, {})
        assert judge(data)[0].truth is truth
