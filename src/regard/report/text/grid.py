"""Cells in aligned columns, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from regard.report.blocks import Table
from regard.report.characters import columns, shorten, wrap
from regard.report.inline import shown

_GAP = "  "
# A longer word (a path, a formula without spaces) may be broken to make room for other columns.
_LONG_WORD = 20


@dataclass(frozen=True)
class _Column:
    header: str
    cells: tuple[str, ...]
    is_number: bool
    least: int  # the width at which words and numbers are still whole, as far as there is room
    widest: int  # the width at which nothing is wrapped


def table(given: Table, width: int) -> list[str]:
    """Lay out a table without its caption; columns that do not fit come in parts."""
    across = [tuple(shown(row[j]) for row in given.rows) for j in range(len(given.columns))]
    numeric = given.numeric
    names: list[_Column] = []
    if given.names_rows:
        names = [_column(given.columns[0], across[0], False, width // 3)]
    room = width - sum(column.least + len(_GAP) for column in names)
    parts: list[list[_Column]] = []
    for j in range(len(names), len(across)):
        column = _column(given.columns[j], across[j], numeric[j], room)
        if parts and _total([c.least for c in [*parts[-1], column]]) <= width:
            parts[-1].append(column)
        else:
            parts.append([*names, column])
    lines: list[str] = []
    for part in parts:
        lines += [""] if lines else []
        lines += _lines(part, width)
    return lines if given.rows else [*lines, "(no rows)"]


def pairs(pairs: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Lay out names and values in two columns of words, of which nothing is shortened."""
    if not pairs:
        return []
    names = _column("", tuple(shown(name) for name, _ in pairs), False, width // 2)
    room = width - names.least - len(_GAP)
    values = _column("", tuple(shown(value) for _, value in pairs), False, room)
    return _lines([names, values], width)


def _column(header: str, cells: tuple[str, ...], is_number: bool, most: int) -> _Column:
    """Measure a column that has to do with a width of `most` if need be."""
    header = shown(header)
    words = [header] if is_number else [header, *cells]
    least = max(min(columns(word), _LONG_WORD) for text in words for word in text.split(" "))
    if is_number:
        least = max(least, *(columns(cell) for cell in cells))
    widest = max(columns(text) for text in [header, *cells])
    return _Column(header, cells, is_number, min(least, most), widest)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _widths(part: Sequence[_Column], width: int) -> list[int]:
    """Choose widths that fit beside each other: the widest columns give way first."""
    ceiling = width
    while True:
        widths = [max(c.least, min(c.widest, ceiling)) for c in part]
        # At ceiling 0 each column has its least width, and those were chosen to fit.
        if _total(widths) <= width or ceiling == 0:
            return widths
        ceiling -= 1


def _lines(part: Sequence[_Column], width: int) -> list[str]:
    """Lay out columns that fit beside each other, with a ruled header if they have names."""
    widths = _widths(part, width)
    headers = [wrap(c.header, w) for c, w in zip(part, widths, strict=True)]
    cells = [[_cell(text, c, w) for text in c.cells] for c, w in zip(part, widths, strict=True)]
    # Wrapping at spaces may leave a column narrower than it was allowed to be.
    widths = [
        max(columns(line) for lines in [header, *below] for line in lines)
        for header, below in zip(headers, cells, strict=True)
    ]
    result = []
    if any(column.header for column in part):
        # Short headers stand on the rule, beside the last line of longer ones.
        tallest = max(len(header) for header in headers)
        lowered = [[""] * (tallest - len(header)) + header for header in headers]
        result += _row(lowered, part, widths)
        result.append(_GAP.join("-" * w for w in widths).rstrip(" "))
    rows = [_row(row, part, widths) for row in zip(*cells, strict=True)]
    # Rows of several lines could be taken for several rows, unless the first column tells.
    tells = all(len(cell) == 1 and cell[0] for cell in cells[0])
    between = [""] if any(len(row) > 1 for row in rows) and not tells else []
    for i, row in enumerate(rows):
        result += between + row if i else row
    return result


def _cell(text: str, column: _Column, width: int) -> list[str]:
    # A number on two lines would read as two numbers.
    return [shorten(text, width)] if column.is_number else wrap(text, width)


def _row(cells: Sequence[list[str]], part: Sequence[_Column], widths: Sequence[int]) -> list[str]:
    """Put cells of one or more lines beside each other."""
    result = []
    for texts in zip_longest(*cells, fillvalue=""):
        line = []
        for text, column, width in zip(texts, part, widths, strict=True):
            space = " " * (width - columns(text))
            line.append(space + text if column.is_number else text + space)
        result.append(_GAP.join(line).rstrip(" "))
    return result
