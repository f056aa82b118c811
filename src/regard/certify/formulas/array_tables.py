"""Functions of whole arrays on numbers that are exact or balls: what of them is algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from regard.certify.balls import Arithmetic
from regard.certify.certificate import Unusable

Shape = tuple[int, ...]
Entries = tuple[Any, ...]
Array = tuple[Shape, Entries]  # entries row by row
MOST_ENTRIES = 20_000


def array_call(
    name: str, parts: list[Array], whole: Callable[[Any], int | None], numbers: Arithmetic
) -> Array | None:
    """Return what such a function comes to; None where it is no algebra.

    Args:
        name: the function.
        parts: its arguments.
        whole: what makes a whole number of an entry.
        numbers: the arithmetic.
    """
    if name in ("ones", "zeros", "causal"):
        return _filled(name, [_size(part, whole) for part in parts], numbers)
    if name in ("hstack", "vstack"):
        return blocks((1, len(parts)) if name == "hstack" else (len(parts), 1), parts)
    if name == "entries":
        return (), (numbers.number(len(parts[0][1])),)
    if name == "hadamard":
        (shape, one), (other_shape, other) = parts
        if shape != other_shape:
            raise Unusable("a formula multiplies entry by entry what has different shapes.")
        return shape, tuple(a * b for a, b in zip(one, other, strict=True))
    if name == "diag":
        return _diag(*parts[0], numbers)
    if name == "rowsum":
        rows = list(_rows(parts[0]))
        sums = tuple(sum(row, numbers.number(0)) for row in rows)
        return ((len(sums),) if _tall(parts[0]) else ()), sums
    if name in ("row", "rows"):
        return _picked(parts[0], [_size(part, whole) for part in parts[1:]])
    return None


def _size(part: Array, whole: Callable[[Any], int | None]) -> int:
    _, entries = part
    size = whole(entries[0]) if len(entries) == 1 else None
    if size is None or not 0 < size <= MOST_ENTRIES:
        raise Unusable("a size must be a whole number from 1.")
    return size


def _filled(name: str, sizes: list[int], numbers: Arithmetic) -> Array:
    shape = tuple(sizes) if name != "causal" else (sizes[0], sizes[0])
    count = shape[0] * (shape[1] if len(shape) == 2 else 1)
    if count > MOST_ENTRIES:
        raise Unusable("a formula holds a matrix that is too large.")
    one, zero = numbers.number(1), numbers.number(0)
    if name == "causal":
        size = shape[0]
        return shape, tuple(one if j <= i else zero for i in range(size) for j in range(size))
    return shape, (one if name == "ones" else zero,) * count


def _tall(part: Array) -> bool:
    """Whether it has rows: a column transposed is a matrix of one row, and one vector."""
    return len(part[0]) == 2 and part[0][0] > 1


def _rows(part: Array) -> Iterator[Entries]:
    shape, entries = part
    width = shape[-1]
    return (entries[at : at + width] for at in range(0, len(entries), width))


def _diag(shape: Shape, entries: Entries, numbers: Arithmetic) -> Array:
    if len(shape) == 2 and shape[0] == shape[1]:
        return (shape[0],), entries[:: shape[0] + 1]
    if len(shape) == 2 and shape[0] != 1:
        raise Unusable("diag needs a vector or a square matrix.")
    size, zero = len(entries), numbers.number(0)
    found = [entries[i] if i == j else zero for i in range(size) for j in range(size)]
    return (size, size), tuple(found)


def _picked(part: Array, bounds: list[int]) -> Array:
    shape, entries = part
    if not 1 <= bounds[0] <= bounds[-1] <= shape[0]:
        raise Unusable("a formula picks a row that is not there.")
    width = len(entries) // shape[0]
    chosen = entries[(bounds[0] - 1) * width : bounds[-1] * width]
    if len(bounds) == 1:
        return shape[1:], chosen
    return (bounds[1] - bounds[0] + 1, *shape[1:]), chosen


def blocks(grid: tuple[int, int], parts: list[Array]) -> Array:
    """Put blocks in rows; columns on each other are one long column."""
    height, width = grid
    if width == 1 and all(len(shape) == 1 for shape, _ in parts):
        found = tuple(entry for _, entries in parts for entry in entries)
        return (len(found),), found
    lines: list[Any] = []
    for i in range(height):
        row = [list(_rows(_as_matrix(part))) for part in parts[i * width : (i + 1) * width]]
        if len({len(block) for block in row}) > 1:
            raise Unusable("blocks side by side need the same number of rows.")
        lines += [[x for block in row for x in block[k]] for k in range(len(row[0]))]
    if len({len(line) for line in lines}) > 1:
        raise Unusable("blocks on each other need the same number of columns.")
    return (len(lines), len(lines[0])), tuple(x for line in lines for x in line)


def _as_matrix(part: Array) -> Array:
    shape, entries = part
    return part if len(shape) == 2 else ((len(entries), 1), entries)
