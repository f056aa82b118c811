"""An identity as a claim states it, and both its sides where a hash says."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from regard.certify.balls import EXACT, Arithmetic
from regard.certify.certificate import Claim, Unusable, index, listed, part
from regard.certify.formulas.degrees import Degree, apart, degree
from regard.certify.formulas.evaluation import Function, evaluate, read, shape_of
from regard.certify.formulas.number_tables import Table
from regard.language import Formula
from regard.language.formula.tree import Tree

BITS = 127
LARGEST_SIZE = 40


@dataclass
class _Unknown:
    """Functions of which nothing is known but that equal arguments have equal values."""

    seed: str
    met: set[str] = field(default_factory=set)

    def __call__(self, name: str, parts: list[Table]) -> Table:
        key = name + ";".join(f"{part.shape}{part.entries}" for part in parts)
        self.met.add(key)
        one = name in ("norm", "modulus", "pi", "inf", "rank")
        if name in ("max", "min"):
            arrays = [part.shape or () for part in parts] if len(parts) > 1 else [()]
            shape: tuple[int, ...] = max(arrays, key=len)
        elif name == "rowmax":
            shape = (parts[0].shape or ())[:-1]
        elif name == "pinv":
            shape = tuple(reversed(parts[0].shape or ()))
        else:
            shape = () if one else parts[0].shape or ()
        return _drawn(self.seed, key, shape)


def _drawn(seed: str, name: str, shape: tuple[int, ...]) -> Table:
    """Return whole numbers from 0 to 2¹²⁷ - 1 that follow from a seed and a name."""
    entries = []
    for place in range(math.prod(shape)):
        digest = hashlib.sha256(f"{seed}|{name}|{place}".encode()).digest()
        entries.append(fmpq(int.from_bytes(digest, "big") >> (256 - BITS)))
    return Table(shape, tuple(entries))


Shape = tuple[int | str, ...]


class StatedIdentity:
    """The formulas, shapes and indices of a claim.

    Args:
        claim: what holds them.
        compared: whether one number on the right may stand for all entries.
    """

    def __init__(self, claim: Claim, compared: bool = False) -> None:
        fields = claim.fields
        self.shapes = {name: _shape(shape) for name, shape in named(part(fields, "shapes")).items()}
        self.drawn = list(self.shapes)
        self.permutations = self._among(fields.get("permutations", ()), "a permutation", 2)
        self.positive = self._among(fields.get("positive", ()), "a positive number", 0)
        self.where: dict[str, Formula] = {}
        for name, text in named(part(fields, "where")).items():
            self.where[name] = read(text, name)
            self._declare(name, shape_of(self.where[name], self.shapes))
        self.left = read(part(fields, "left"), "left")
        self.left_shape = whole = shape_of(self.left, self.shapes)
        self.at = [_letter(x) for x in listed(part(fields, "at"), "at")]
        if len(self.at) not in (0, len(whole)) and not (len(self.at) == 1 and len(whole) == 2):
            raise Unusable("at must name no index, that of a row, or those of an entry.")
        self.ranges: dict[str, int | str] = dict(zip(self.at, whole, strict=False))
        if len(self.ranges) != len(self.at):
            raise Unusable("at must name different indices.")
        self.indexed: dict[str, tuple[str, list[str]]] = {}
        for name, place in named(part(fields, "indexed")).items():
            self._index(name, [_letter(x) for x in listed(place, "indexed")])
        over = part(fields, "sum_over")
        self.over = None if over is None else _letter(over)
        if self.over in self.at or not {*self.at, self.over} - {None} >= set(self.ranges):
            raise Unusable("every index must be at a place, or be summed over.")
        if self.over is not None and self.over not in self.ranges:
            raise Unusable("nothing has the index that is summed over.")
        self.right = read(part(fields, "right"), "right")
        wanted = whole[len(self.at) :]
        self.spread = compared and shape_of(self.right, self.shapes) == ()
        shape = (
            wanted
            if self.spread
            else shape_of(self.right, self.shapes, None if self.at else wanted)
        )
        if shape != wanted and not (self.at and shape == (1, *wanted)):
            raise Unusable("the two sides have different shapes.")

    def _among(self, names: Any, what: str, axes: int) -> frozenset[str]:
        """Return the names that are permutation matrices, or numbers above 0."""
        found = frozenset(_letter(name) for name in listed(names, what))
        for name in found:
            shape = self.shapes.get(name, ("",))
            if len(shape) != axes or len(set(shape)) > 1:
                raise Unusable(f"{name} cannot be {what} in this shape.")
        return found

    def check_restricted(self, values: Mapping[str, Table]) -> None:
        """Refuse a permutation that is none, and a positive number that is not above 0.

        Raises:
            Unusable: with its name.
        """
        for name in self.permutations:
            size = (values[name].shape or (0,))[0]
            rows = [list(values[name].entries[i * size : (i + 1) * size]) for i in range(size)]
            ones = [row.index(1) for row in rows if sorted(row) == [0] * (size - 1) + [1]]
            if sorted(ones) != list(range(size)):
                raise Unusable(f"{name} must be a permutation.")
        for name in self.positive:
            if not values[name].entries[0] > 0:
                raise Unusable(f"{name} must be above 0.")

    def _declare(self, name: str, shape: Shape) -> None:
        if name in self.shapes:
            raise Unusable(f"{name} is declared twice.")
        self.shapes[name] = shape

    def _index(self, name: str, place: list[str]) -> None:
        of, *letters = place
        shape = self.shapes.get(of)
        if shape is None or not 1 <= len(letters) <= len(shape):
            raise Unusable(f"{name} must be a row or an entry of a matrix that is declared.")
        for letter, size in zip(letters, shape, strict=False):
            if self.ranges.setdefault(letter, size) != size:
                raise Unusable(f"the index {letter} has two ranges.")
        self.indexed[name] = (of, letters)
        self._declare(name, shape[len(letters) :])

    def trees(self) -> list[Tree]:
        """Return the trees of all its formulas."""
        return [formula.tree for formula in (*self.where.values(), self.left, self.right)]

    def degrees(self, size: int) -> tuple[int, int]:
        """Return the degree of left - right, and the largest of an unknown function's argument."""
        known = {name: Degree(1, 0) for name in self.drawn}
        largest = 0
        for name, formula in self.where.items():
            known[name], inner = degree(formula.tree, known, size)
            largest = max(largest, inner)
        for name, (of, _) in self.indexed.items():
            known[name] = known[of]
        left, first = degree(self.left.tree, known, size)
        right, second = degree(self.right.tree, known, size)
        if self.over is not None and right.below:
            raise Unusable("a sum over an index must not have quotients.")
        return apart(left, right) + left.below + right.below, max(largest, first, second)

    def places(self, sizes: Mapping[str, int]) -> int:
        """Return at how many places the right side is computed."""
        ranges = (size if isinstance(size, int) else sizes[size] for size in self.ranges.values())
        return math.prod(ranges)

    def agree(self, sizes: Mapping[str, int], seed: str) -> tuple[bool, int]:
        """Do the sides agree at a draw? And how many values of unknown functions were met."""
        if self.permutations:
            raise Unusable("one permutation that is drawn shows nothing about all of them.")
        unknown = _Unknown(seed)
        values = {name: _drawn(seed, name, self.shape_at(name, sizes)) for name in self.drawn}
        same = all(left == right for _, left, right in self.sides(values, sizes, EXACT, unknown))
        return same, len(unknown.met)

    def shape_at(self, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape of a name where sizes are numbers."""
        return tuple(s if isinstance(s, int) else sizes[s] for s in self.shapes[name])

    @property
    def symbols(self) -> set[str]:
        """The sizes that are names."""
        return {s for shape in self.shapes.values() for s in shape if isinstance(s, str)}

    def sides(
        self,
        drawn: Mapping[str, Table],
        sizes: Mapping[str, int],
        numbers: Arithmetic,
        function: Function,
    ) -> Iterator[tuple[tuple[int, ...], list[Any], list[Any]]]:
        """Return the entries of both sides, place by place, where the names have these values."""
        values = dict(drawn)

        def value(formula: Formula) -> Table:
            found = evaluate(formula.tree, values, numbers, function)
            if not isinstance(found, Table):
                raise Unusable("a side of an identity must not be a comparison.")
            return found

        for name, formula in self.where.items():
            values[name] = value(formula)
        left = value(self.left)
        if self.left_shape and left.shape is None:
            side = self.left_shape[0]
            left = _multiple_of_identity(left, side if isinstance(side, int) else sizes[side])
        reach = {
            letter: size if isinstance(size, int) else sizes[size]
            for letter, size in self.ranges.items()
        }
        terms = range(1) if self.over is None else range(reach[self.over])
        for place in itertools.product(*(range(reach[letter]) for letter in self.at)):
            total: list[Any] = []
            for term in terms:
                spot = {**dict(zip(self.at, place, strict=True)), self.over or "": term}
                for name, (of, letters) in self.indexed.items():
                    values[name] = _taken(values[of], [spot[letter] for letter in letters])
                entries = _filled(value(self.right), left).entries
                total = (
                    [a + b for a, b in zip(total, entries, strict=True)] if total else [*entries]
                )
            yield place, list(_taken(left, list(place)).entries), total


def _filled(part: Table, like: Table) -> Table:
    """Return a table, also if it is a multiple of I."""
    if part.shape is not None or like.shape is None:
        return part
    return _multiple_of_identity(part, like.shape[0])


def _multiple_of_identity(part: Table, size: int) -> Table:
    entries = (part.entries[0] * int(i == j) for i in range(size) for j in range(size))
    return Table((size, size), tuple(entries))


def _taken(whole: Table, place: Sequence[int]) -> Table:
    """Return a row, as a column, or an entry."""
    shape, entries = whole.shape or (), whole.entries
    for at in place:
        width = len(entries) // shape[0]
        entries, shape = entries[at * width : (at + 1) * width], shape[1:]
    return Table(shape, entries)


def named(value: Any) -> Mapping[str, Any]:
    """Return what is given by name; Unusable where it is not."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise Unusable("shapes, where and indexed must be given by name.")
    return value


def _letter(value: Any) -> str:
    if not isinstance(value, str):
        raise Unusable("an index must be a letter.")
    return value


def _shape(value: Any) -> Shape:
    sizes = [
        size if isinstance(size, str) else index(size, "a size", LARGEST_SIZE + 1)
        for size in listed(value, "a shape")
    ]
    if len(sizes) > 2 or 0 in sizes:
        raise Unusable("a shape must be [], [n] or [m, n].")
    return tuple(sizes)
