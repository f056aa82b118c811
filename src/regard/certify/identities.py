"""The claim that two formulas agree for all matrices.

    identity   left = right: whole, in row i for all i, or at entry (i, j) for all i and j; the
               right side may be summed over an index

An identity of polynomials (or of quotients of them) is tested where the matrices hold whole numbers
from 0 to 2¹²⁷ - 1, in rationals. The numbers are drawn from a hash of the claim, so nobody chose
them. A polynomial of degree D that is not 0 is 0 at such a point with a chance of at most D / 2¹²⁷
(Schwartz and Zippel). What is no algebra (exp, softmax, sqrt …) counts as an unknown function:
equal arguments give equal values, and nothing else is known of it.

For all sizes. Let left - right have degree D, and use only sums, products, transposes, dot, outer,
sum, tr and numbers. Then matrices with rows and columns of zeros around them give the same result,
with zeros around it. A product of D entries has at most 2D indices, and an entry of the result
two: if the identity is wrong at some sizes, one such product is left over, and it is left over too
if all but its own 2D + 2 indices are taken away. So sizes of 2D + 2 are enough.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from regard.certify.balls import (
    EXACT,
    Decision,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Unusable,
    index,
    listed,
    part,
    positive_or_zero,
    up,
)
from regard.certify.degrees import Degree, any_size, apart, degree
from regard.certify.formulas import Table, evaluate, read, shape_of
from regard.language import Formula
from regard.language.tree import Tree

BITS = 127
LARGEST_DEGREE = 400
LARGEST_SIZE = 40
MOST_PLACES = 20_000  # where the right side is computed
ATTEMPTS = 4  # a draw may divide by 0


def claim(
    left: str,
    right: str,
    shapes: Mapping[str, Sequence[int | str]],
    *,
    where: Mapping[str, str] | None = None,
    indexed: Mapping[str, Sequence[str]] | None = None,
    at: Sequence[str] = (),
    sum_over: str | None = None,
    sizes: Sequence[Mapping[str, int]] | None = None,
    chance: float = 1e-30,
) -> Claim:
    """Return the claim that two formulas agree for all matrices of these shapes."""
    fields = {
        "left": left,
        "right": right,
        "shapes": {name: list(shape) for name, shape in shapes.items()},
        "where": dict(where or {}),
        "indexed": {name: list(place) for name, place in (indexed or {}).items()},
        "at": list(at),
        "sum_over": sum_over,
        "sizes": None if sizes is None else [dict(some) for some in sizes],
        "chance": chance,
    }
    return Claim("identity", fields)


def say_identity(claim: Claim) -> str:
    """Word the claim."""
    fields = claim.fields
    at, over = fields["at"], fields["sum_over"]
    left = fields["left"]
    if len(at) == 1:
        left = f"row {at[0]} of {left}"
    elif at:
        left = f"entry ({at[0]}, {at[1]}) of {left}"
    right = f"the sum of {fields['right']} over {over}" if over else fields["right"]
    where = ", ".join(f"{name} = {text}" for name, text in fields["where"].items())
    every_one = f" for all {' and '.join(at)}" if at else ""
    if fields["sizes"] is None:
        reach = "for matrices of all sizes"
    else:
        reach = "for all matrices of the sizes " + "; ".join(
            ", ".join(f"{name} = {size}" for name, size in some.items()) for some in fields["sizes"]
        )
    return (
        f"{left} equals {right}{every_one}{f', where {where},' if where else ''} {reach} "
        f"(a wrong identity would pass with a chance below {up(fields['chance'])})"
    )


@dataclass
class _Unknown:
    """Functions of which nothing is known but that equal arguments have equal values."""

    seed: str
    met: set[str] = field(default_factory=set)

    def __call__(self, name: str, parts: list[Table]) -> Table:
        key = name + ";".join(f"{part.shape}{part.entries}" for part in parts)
        self.met.add(key)
        one = name in ("norm", "max", "min", "modulus", "pi", "inf")
        if name == "pinv":
            shape: tuple[int, ...] = tuple(reversed(parts[0].shape or ()))
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


class _Identity:
    """The formulas, shapes and indices of a claim."""

    def __init__(self, claim: Claim) -> None:
        fields = claim.fields
        self.shapes = {
            name: _shape(shape) for name, shape in _mapping(part(fields, "shapes")).items()
        }
        self.drawn = list(self.shapes)
        self.where: dict[str, Formula] = {}
        for name, text in _mapping(part(fields, "where")).items():
            self.where[name] = read(text, name)
            self._declare(name, shape_of(self.where[name], self.shapes))
        self.left = read(part(fields, "left"), "left")
        whole = shape_of(self.left, self.shapes)
        self.at = [_letter(x) for x in listed(part(fields, "at"), "at")]
        if len(self.at) not in (0, len(whole)) and not (len(self.at) == 1 and len(whole) == 2):
            raise Unusable("at must name no index, that of a row, or those of an entry.")
        self.ranges: dict[str, int | str] = dict(zip(self.at, whole, strict=False))
        if len(self.ranges) != len(self.at):
            raise Unusable("at must name different indices.")
        self.indexed: dict[str, tuple[str, list[str]]] = {}
        for name, place in _mapping(part(fields, "indexed")).items():
            self._index(name, [_letter(x) for x in listed(place, "indexed")])
        over = part(fields, "sum_over")
        self.over = None if over is None else _letter(over)
        if self.over in self.at or not {*self.at, self.over} - {None} >= set(self.ranges):
            raise Unusable("every index must be at a place, or be summed over.")
        if self.over is not None and self.over not in self.ranges:
            raise Unusable("nothing has the index that is summed over.")
        self.right = read(part(fields, "right"), "right")
        wanted = whole[len(self.at) :]
        shape = shape_of(self.right, self.shapes, None if self.at else wanted)
        if shape != wanted and not (self.at and shape == (1, *wanted)):
            raise Unusable("the two sides have different shapes.")

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

        def size_of(size: int | str) -> int:
            return size if isinstance(size, int) else sizes[size]

        unknown = _Unknown(seed)
        values = {
            name: _drawn(seed, name, tuple(size_of(size) for size in self.shapes[name]))
            for name in self.drawn
        }

        def value(formula: Formula) -> Table:
            found = evaluate(formula.tree, values, EXACT, unknown)
            if not isinstance(found, Table):
                raise Unusable("a side of an identity must not be a comparison.")
            return found

        for name, formula in self.where.items():
            values[name] = value(formula)
        left = value(self.left)
        reach = {letter: size_of(size) for letter, size in self.ranges.items()}
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
            if list(_taken(left, list(place)).entries) != total:
                return False, len(unknown.met)
        return True, len(unknown.met)


def _filled(part: Table, like: Table) -> Table:
    """Return a table, also if it is a multiple of I."""
    if part.shape is not None or like.shape is None:
        return part
    size = like.shape[0]
    entries = (part.entries[0] * int(i == j) for i in range(size) for j in range(size))
    return Table(like.shape, tuple(entries))


def _taken(whole: Table, place: Sequence[int]) -> Table:
    """Return a row, as a column, or an entry."""
    shape, entries = whole.shape or (), whole.entries
    for at in place:
        width = len(entries) // shape[0]
        entries, shape = entries[at * width : (at + 1) * width], shape[1:]
    return Table(shape, entries)


def _mapping(value: Any) -> Mapping[str, Any]:
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


def identity(claim: Claim, certificate: Certificate) -> Decision:
    """Test an identity where the claim's own hash says."""
    stated = _Identity(claim)
    chance = positive_or_zero(part(claim.fields, "chance"), "chance")
    symbols = {size for shape in stated.shapes.values() for size in shape if isinstance(size, str)}
    given_sizes = part(claim.fields, "sizes")
    if given_sizes is None:
        if not all(any_size(tree) for tree in stated.trees()):
            raise Unusable("the formulas know the sizes of their matrices: name the sizes.")
        # Arguments of unknown functions must be equal at all sizes too.
        instances = [{name: 2 * max(stated.degrees(1)) + 2 for name in symbols}]
    else:
        instances = [_sizes(some, symbols) for some in listed(given_sizes, "sizes")]
        if not instances:
            raise Unusable("sizes must not be empty.")
    source = json.dumps(_texts(claim), sort_keys=True)
    worst = fmpq(0)
    for sizes in instances:
        fixed = (size for shape in stated.shapes.values() for size in shape)
        largest = max([1, *sizes.values(), *(size for size in fixed if isinstance(size, int))])
        total, inner = stated.degrees(largest)
        if (
            largest > LARGEST_SIZE
            or max(total, inner) > LARGEST_DEGREE
            or stated.places(sizes) > MOST_PLACES
        ):
            raise Unusable("the identity is too large to test.")
        agrees, met = _tested(stated, sizes, f"{source}{sorted(sizes.items())}")
        if not agrees:
            where = ", ".join(f"{name} = {size}" for name, size in sorted(sizes.items()))
            reason = f"They differ for drawn matrices{f' with {where}' if where else ''}."
            if met:  # of the unknown functions more may be known
                return Decision("undecided", f"{reason} Only algebra is looked at.")
            return Decision("fails", reason)
        worst = max(worst, 2 * (fmpq(total) + fmpq(met) ** 2 * inner) / fmpq(2) ** BITS)
    if worst > fmpq(*float(chance).as_integer_ratio()):
        raise Unusable("so small a chance cannot be shown.")
    return Decision("holds", f"A wrong identity would pass with a chance of {show(worst)}.")


def _texts(claim: Claim) -> Any:
    return json.loads(json.dumps({**claim.fields}, default=str))


def _sizes(value: Any, symbols: set[str]) -> dict[str, int]:
    sizes = {
        name: index(size, "a size", LARGEST_SIZE + 1) for name, size in _mapping(value).items()
    }
    if set(sizes) != symbols or 0 in sizes.values():
        raise Unusable("sizes must give each symbolic size, from 1 on.")
    return sizes


def _tested(stated: _Identity, sizes: Mapping[str, int], seed: str) -> tuple[bool, int]:
    for attempt in range(ATTEMPTS):
        try:
            return stated.agree(sizes, f"{seed}{attempt}")
        except ZeroDivisionError:
            continue
    raise Unusable("the formulas divide by 0.")
