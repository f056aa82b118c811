"""Matrices of polynomials: what their entry at a place is, also at an index of a named size.

A sum over an index of a named size is one symbol, a sum over a size that is a number is written
out. So what is shown for named sizes holds for all sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq

from regard.certify.formulas import elementary
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.index_sums import total
from regard.certify.formulas.indices import Index, Place, fresh, moved
from regard.certify.formulas.monomials import WIDTH, factors_of, level, relabelled_monomial, text
from regard.certify.formulas.polynomials import Poly

Size = int | str
Shape = tuple[Size, ...]
LARGEST_INVERSE = 4  # rows of a matrix whose inverse is written with minors
Entry = Callable[..., Poly]


@dataclass(frozen=True)
class Tensor:
    """A number (), column (n,) or matrix (m, n) of polynomials.

    Attributes:
        shape: sizes that are numbers or names.
        entry: what stands at a place.
        known: entries that were asked for before.
        safe: whether no entry is ever negative.
        source: the name of the matrix that it is, and whether that is transposed; None if neither.
        inverted: its inverse, where that is known.
    """

    shape: Shape
    entry: Entry
    known: dict[tuple[Place, ...], Poly] = field(default_factory=dict)
    safe: bool = False
    source: tuple[str, bool] | None = None
    inverted: Callable[[], Tensor] | None = None

    def __call__(self, *at: Place) -> Poly:
        """Return the entry at a place."""
        if at not in self.known:
            self.known[at] = self.entry(*at)
        return self.known[at]


def free(name: str, shape: Sequence[Size]) -> Tensor:
    """Return a tensor whose entries are independent."""
    return Tensor(tuple(shape), lambda *at: p.factor("x", name, *at), source=(name, False))


def permutation(name: str, size: Size, order: Sequence[int] | None = None) -> Tensor:
    """Return a permutation matrix P, with (P X)_i = X_P(i), of a named size or in this order."""

    def entry(i: Place, j: Place) -> Poly:
        if order is not None and isinstance(i, int):
            return p.delta(order[i], j)
        assert isinstance(i, Index)
        return p.delta(moved(((name, 1),), i), j)

    shape = (size, size)
    return Tensor(shape, entry, safe=True, inverted=lambda: Tensor(shape, lambda i, j: entry(j, i)))


def summed(size: Size, entry: Callable[[Place], Poly]) -> Poly:
    """Return the sum of entries over all places."""
    if isinstance(size, int):
        found = Poly()
        for place in range(size):
            found += entry(place)
        return found
    index = fresh(size)
    return total(entry(index), index)


def only(part: Tensor) -> Poly:
    """Return the one entry of a number, or of a matrix of one."""
    return part(*(0 for _ in part.shape))


def _wide(part: Tensor) -> tuple[Size, Size, Callable[[Place, Place], Poly]]:
    """Return a column as a matrix."""
    if len(part.shape) == 1:
        return part.shape[0], 1, lambda i, _: part(i)
    return part.shape[0], part.shape[1], part


def product(left: Tensor, right: Tensor, shape: Shape) -> Tensor:
    """Return a product of numbers, columns and matrices, of this shape."""
    for one, other in ((left, right), (right, left)):
        if one.shape == ():
            return Tensor(shape, lambda *at, o=one, t=other: o() * t(*at))
    if len(left.shape) == len(right.shape) == 1:  # u · v
        return Tensor((), lambda: dot(left, right))
    (_, inner, first), (_, _, second) = _wide(left), _wide(right)

    def entry(*at: Place) -> Poly:
        i, j = (*at, 0, 0)[:2] if len(at) != 1 else (at[0], 0)
        return summed(inner, lambda k: first(i, k) * second(k, j))

    return Tensor(shape, entry)


def flat(part: Tensor) -> tuple[Size, Callable[[Place], Poly]]:
    """Return a column or a row as a column."""
    if len(part.shape) == 2:
        return part.shape[1], lambda k: part(0, k)
    return part.shape[0], part


def dot(left: Tensor, right: Tensor) -> Poly:
    """Return the scalar product of two columns or rows."""
    (size, one), (_, other) = flat(left), flat(right)
    return summed(size, lambda k: one(k) * other(k))


def transposed(part: Tensor, shape: Shape) -> Tensor:
    """Return the transpose, of this shape."""
    if len(part.shape) == 1:
        return Tensor(shape, lambda _, i: part(i))
    if len(shape) == 1:
        return Tensor(shape, lambda i: part(0, i))
    source = None if part.source is None else (part.source[0], not part.source[1])
    back = part.inverted
    turned = None if back is None else lambda: transposed(back(), shape)
    return Tensor(shape, lambda i, j: part(j, i), safe=part.safe, source=source, inverted=turned)


def inverse(matrix: Tensor) -> Tensor:
    """Return the inverse: minors over the determinant, or what times the matrix is I."""
    if matrix.inverted is not None:
        return matrix.inverted()
    size = matrix.shape[0]
    if not isinstance(size, int) or size > LARGEST_INVERSE:
        if matrix.source is None:
            return unknown("inv", matrix, matrix.shape)
        name, turned = matrix.source
        return Tensor(
            matrix.shape,
            lambda i, j: p.factor("w", "inv", name, *((j, i) if turned else (i, j))),
            inverted=lambda: matrix,
        )
    below: list[Poly] = []  # computed once

    def entry(i: Place, j: Place) -> Poly:
        if not below:
            below.append(p.inverse(_minor(matrix, range(size), range(size))))
        rows, columns = ([k for k in range(size) if k != gone] for gone in (j, i))
        minor = _minor(matrix, rows, columns)
        return (minor if (i + j) % 2 == 0 else -minor) * below[0]  # type: ignore[operator]

    return Tensor(matrix.shape, entry)


def _minor(matrix: Tensor, rows: Sequence[int], columns: Sequence[int]) -> Poly:
    """Return the determinant of some rows and columns."""
    if not rows:
        return p.number(1)
    found = Poly()
    for place, column in enumerate(columns):
        others = [other for other in columns if other != column]
        product = matrix(rows[0], column) * _minor(matrix, rows[1:], others)
        found += product if place % 2 == 0 else -product
    return found


def unknown(name: str, part: Tensor, shape: Shape) -> Tensor:
    """Return an unknown function of all entries of a tensor."""
    key = tuple(_entries(part))
    return Tensor(shape, lambda *at: p.factor("w", name, key, *at))


def _entries(part: Tensor) -> list[Poly]:
    """Return every entry; an index of a named size gets the label of a sum."""
    choices: list[list[Place]] = [
        [*range(size)] if isinstance(size, int) else [fresh(size)] for size in part.shape
    ]
    found = []
    for at in itertools.product(*choices):
        entry = part(*at)
        depth = 1 + max((level(f) for f in factors_of(entry)), default=0)
        names = {
            place: Index(-(depth * WIDTH + axis), place.size)
            for axis, place in enumerate(at)
            if isinstance(place, Index)
        }
        found.append(_relabelled(entry, names))
    return found


def _relabelled(poly: Poly, names: Mapping[Index, Index]) -> Poly:
    return poly.mapped(lambda monomial: relabelled_monomial(monomial, names))


def largest(parts: list[Tensor]) -> Poly:
    """Return the largest entry; what all entries have in common is added to it.

    Of two it is max(x, y) = (x + y + |x - y|)/2, of more an unknown function.
    """
    entries = [entry for part in parts for entry in _entries(part)]
    named = any(isinstance(size, str) for part in parts for size in part.shape)
    common = Poly(
        {
            monomial: c
            for monomial, c in entries[0].terms.items()
            if all(other.terms.get(monomial) == c for other in entries)
            # With a named size the labels of sums stand for its index.
            and not (named and any(level(one) for one, _ in monomial))
        }
    )
    rest = sorted({entry - common for entry in entries}, key=lambda one: text(("poly", one)))
    if rest == [Poly()]:
        return common
    if named or len(rest) > 2:
        return common + elementary.function("max", *rest)
    first, last = rest[0], rest[-1]
    return common + (first + last + elementary.absolute(first - last)).scaled(fmpq(1, 2))


def total_sum(part: Tensor, *at: Place) -> Poly:
    """Return the sum of all entries that begin with these places."""
    if len(at) == len(part.shape):
        return part(*at)
    return summed(part.shape[len(at)], lambda k: total_sum(part, *at, k))
