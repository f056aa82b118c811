"""Plots as text: bars of block characters, other kinds as tables of some of their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from regard.report.blocks import Table
from regard.report.characters import columns, shorten, wrap
from regard.report.inline import shown
from regard.report.numbers import number
from regard.report.plot import Plot
from regard.report.text import grid

_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_LONGEST_BAR = 40
_MOST_ROWS = 11
_DIGITS = 4

Item = TypeVar("Item")


@dataclass(frozen=True)
class Bar:
    """One bar: its label, which series it belongs to, its block characters and its number."""

    label: str
    series: int
    blocks: str
    value: str


def plot(given: Plot, width: int) -> list[str]:
    """Render a plot without its caption."""
    if given.kind == "bars":
        return _bars(given, width)
    if given.kind == "heatmap":
        return axes(given, width) + grid.table(heatmap_table(given), width)
    result: list[str] = []
    for table in line_tables(given):
        result += [""] if result else []
        result += wrap(shown(table.caption), width) if table.caption else []
        result += grid.table(table, width)
    return result


def axes(given: Plot, width: int) -> list[str]:
    """Say what the rows and columns of a heat map, or the heights of bars, are."""
    labels = [shown(label) for label in (given.y_label, given.x_label)]
    if given.kind == "bars":
        text = f"{labels[0]} by {labels[1]}" if all(labels) else labels[0] or labels[1]
    else:
        named = zip(("rows", "columns"), labels, strict=True)
        text = ", ".join(f"{name}: {label}" for name, label in named if label)
    return wrap(text, width) if text else []


def bars(given: Plot, length: int) -> list[Bar]:
    """Measure bars of at most `length` columns; those below zero are light."""
    largest = max(abs(y) for series in given.series for y in series.y)
    result = []
    for i, x in enumerate(given.series[0].x):
        label = shown(x) if isinstance(x, str) else number(x, _DIGITS)
        for j, series in enumerate(given.series):
            y = series.y[i]
            eighths = max(y != 0, round(8 * length * (abs(y) / largest))) if largest else 0
            whole, rest = divmod(eighths, 8)
            blocks = "░" * max(whole, rest > 3) if y < 0 else "█" * whole + _EIGHTHS[rest]
            result.append(Bar("" if j else label, j, blocks, number(y, _DIGITS)))
    return result


def bar_lines(given: Plot, width: int) -> Iterator[tuple[Bar, str, str, str]]:
    """Lay out bars: for each, its label and the name of its series, both padded, and its blocks."""
    several = len(given.series) > 1
    names = [shown(series.name) for series in given.series]
    measured = bars(given, 1)
    room = width - max(len(bar.value) for bar in measured) - 1
    most = max(1, (room - 4) // (3 if several else 2))
    first = min(most, max(columns(bar.label) for bar in measured))
    second = min(most, max(columns(name) for name in names)) if several else 0
    length = room - first - 2 - (second + 2 if several else 0)
    for bar in bars(given, max(1, min(_LONGEST_BAR, length))):
        label = _padded(bar.label, first)
        yield bar, label, _padded(names[bar.series], second) if several else "", bar.blocks


def _padded(text: str, width: int) -> str:
    text = shorten(text, width)
    return text + " " * (width - columns(text) + 2)


def _bars(given: Plot, width: int) -> list[str]:
    return axes(given, width) + [
        f"{label}{name}{blocks} {bar.value}" for bar, label, name, blocks in bar_lines(given, width)
    ]


def line_tables(given: Plot) -> list[Table]:
    """Return some points of lines: one table if all lines have points at the same places."""
    shared = all(series.x == given.series[0].x for series in given.series)
    y_label = given.y_label or "y"
    if not shared:
        return [
            Table(
                (given.x_label or "x", y_label),
                tuple((_place(series.x[i]), number(series.y[i], _DIGITS)) for i in _some(series.y)),
                series.name,
            )
            for series in given.series
        ]
    names = tuple(series.name or y_label for series in given.series)
    rows = tuple(
        (
            _place(given.series[0].x[i]),
            *(number(series.y[i], _DIGITS) for series in given.series),
        )
        for i in _some(given.series[0].x)
    )
    above = ""
    if given.y_label and any(s.name for s in given.series):
        above = given.y_label + (f" against {given.x_label}" if given.x_label else "")
    if above == given.caption:  # which stands above it already
        above = ""
    return [Table((given.x_label or "x", *names), rows, above)]


def _place(x: float | str) -> str:
    return x if isinstance(x, str) else number(x, _DIGITS)


def _some(points: Sequence[object]) -> list[int]:
    """Choose points at even distances, with the first and the last."""
    last = len(points) - 1
    if last < _MOST_ROWS:
        return list(range(last + 1))
    return [round(i * last / (_MOST_ROWS - 1)) for i in range(_MOST_ROWS)]


def heatmap_table(given: Plot) -> Table:
    """Return a heat map as a table; of many rows or columns, the first and the last."""
    rows = [[number(value, _DIGITS) for value in row] for row in given.rows]
    cells = _ends([_ends(row, "…") for row in rows], ["…"] * min(len(rows[0]), _MOST_ROWS + 1))
    labels = _ends(list(given.row_labels or [""] * len(rows)), "…")
    header = _ends(list(given.column_labels), "…") or [""] * len(cells[0])
    if not given.row_labels:
        return Table(tuple(header), tuple(tuple(row) for row in cells))
    return Table(
        ("", *header), tuple((label, *row) for label, row in zip(labels, cells, strict=True))
    )


def _ends(items: list[Item], dots: Item) -> list[Item]:
    return items if len(items) <= _MOST_ROWS + 1 else [*items[: _MOST_ROWS - 1], dots, items[-1]]
