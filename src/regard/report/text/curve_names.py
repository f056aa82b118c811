"""Where the names of curves stand: in the picture beside a curve of its own, or behind its end."""

from __future__ import annotations

from collections.abc import Sequence

from regard.report.characters import columns

Cells = list[list[str]]
_JOINED = 27  # columns of names that share a line


def inside(
    cells: Cells, curve: set[tuple[int, int]], others: set[tuple[int, int]], name: str
) -> bool:
    """Write a name to the right of a curve, where it is the nearest; say whether there was room.

    Args:
        cells: of the picture, by rows; the name is written into them.
        curve: the cells of this curve, as row and column.
        others: the cells of the other curves.
        name: what to write.
    """
    best: tuple[int, int, int] | None = None
    length = columns(name)
    for row in range(len(cells)):
        here = [column for r, column in curve if r == row]
        if not here or (row, max(here)) in others:
            continue
        start = max(here) + 2
        end = start + length + 1
        if end > len(cells[0]) or any(cells[row][i] != " " for i in range(start - 1, end)):
            continue
        near = min((abs(row - r) for r, column in others if start - 2 <= column < end), default=9)
        best = max(best or (0, 0, 0), (near, -abs(2 * row - len(cells)), row + 1))
    if best is None or best[0] < 1:
        return False
    row = best[2] - 1
    start = max(column for r, column in curve if r == row) + 2
    cells[row][start : start + length] = name
    return True


def behind(ends: Sequence[tuple[int, str]], height: int) -> list[str]:
    """Return what stands behind each row: names at their rows, or as near as others leave room.

    Args:
        ends: the row where a curve ends, and its name.
        height: how many rows there are.
    """
    found = [""] * height
    for wanted, name in ends:
        if found[wanted] and columns(f"{found[wanted]}, {name}") <= _JOINED:
            found[wanted] = f"{found[wanted]}, {name}"
            continue
        free = [row for row in range(height) if not found[row]]
        if free:
            found[min(free, key=lambda row: (abs(row - wanted), row))] = name
    return found
