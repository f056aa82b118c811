"""Numbers, columns and matrices of rationals or balls: sums, multiples, products, transposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regard.certify.balls import Arithmetic
from regard.certify.certificate import Unusable

MOST_ENTRIES = 20_000
MOST_WORK = 2_000_000  # multiplications in one product or power of matrices


@dataclass(frozen=True)
class Table:
    """Numbers: () is one, (n,) a column, (m, n) a matrix; None is a multiple of I.

    A row is the transpose of a column: times a column it is a number, which a matrix that has one
    row by chance is not.
    """

    shape: tuple[int, ...] | None
    entries: tuple[Any, ...]
    row: bool = False


def total(left: Table, right: Table) -> Table:
    """Return a sum; a multiple of I has the size of what it is added to."""
    if left.shape is None and right.shape is not None:
        left, right = right, left
    if right.shape is None and left.shape is not None:  # a multiple of I is added to the diagonal
        rows, columns = square(left)
        entries = list(left.entries)
        for i in range(rows):
            entries[i * columns + i] += right.entries[0]
        return Table(left.shape, tuple(entries))
    if left.shape != right.shape and not len(left.entries) == len(right.entries) == 1:
        raise Unusable("a formula adds what has different shapes.")
    pairs = zip(left.entries, right.entries, strict=True)
    longer = left if len(left.shape or ()) >= len(right.shape or ()) else right
    return Table(longer.shape, tuple(a + b for a, b in pairs), left.row and right.row)


def scaled(part: Table, factor: Any) -> Table:
    """Return the table with every entry multiplied by a number."""
    return Table(part.shape, tuple(factor * entry for entry in part.entries), part.row)


def square(part: Table) -> tuple[int, int]:
    """Return the size of a matrix, which must be square."""
    if part.shape is None or len(part.shape) != 2 or part.shape[0] != part.shape[1]:
        raise Unusable("a formula needs a square matrix here.")
    return part.shape[0], part.shape[1]


def transposed(part: Table) -> Table:
    """Return the transpose; that of a column is a matrix of one row."""
    if part.shape is None or part.shape == ():
        return part
    if len(part.shape) == 1:
        return Table((1, len(part.entries)), part.entries, row=True)
    if part.row:
        return Table((len(part.entries),), part.entries)
    rows, columns = part.shape
    entries = (part.entries[i * columns + j] for j in range(columns) for i in range(rows))
    return Table((columns, rows), tuple(entries))


def product(left: Table, right: Table, numbers: Arithmetic, dots: bool = False) -> Table:
    """Return a product; u' v is one number, and u · v (if `dots`) too."""
    for one, other in ((left, right), (right, left)):
        if one.shape in (None, ()):
            return scaled(other, one.entries[0])
    if dots and left.shape == right.shape and len(left.shape or ()) == 1:
        left = transposed(left)
    if len(left.shape or ()) == 1:
        left = Table((len(left.entries), 1), left.entries)
    column = len(right.shape or ()) == 1
    tall = Table((len(right.entries), 1), right.entries) if column else right
    (rows, inner), (height, width) = left.shape, tall.shape  # type: ignore[misc]
    if inner != height:
        for one, other in ((left, right), (right, left)):
            if len(one.entries) == 1:  # a matrix of 1 × 1 is used as a number
                return scaled(other, one.entries[0])
        raise Unusable("a formula multiplies what has shapes that do not fit.")
    if rows * width > MOST_ENTRIES or rows * inner * width > MOST_WORK:
        raise Unusable("a formula multiplies matrices that are too large.")
    found = numbers.matrix(rows, inner, list(left.entries)) * numbers.matrix(
        height, width, list(tall.entries)
    )
    entries = tuple(found.entries())
    if left.row and (column or width == 1):
        return Table((), entries)
    return Table((rows,) if column else (rows, width), entries, left.row)
