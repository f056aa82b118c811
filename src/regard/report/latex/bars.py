"""Bars in TikZ: rows with their numbers where they are few, else columns on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regard.report.html.bars import COMPARED, can_draw
from regard.report.inline import shown
from regard.report.latex.canvas import above, along, label, minus, node, place, point, ticks_up
from regard.report.latex.text import escaped, words
from regard.report.numbers import number, share
from regard.report.plot import Plot, Series
from regard.report.recognised import in_cell
from regard.report.slider import Slider
from regard.report.ticks import axis

_LONG: Final = 3.6  # of a row, in cm
_ROW: Final = 0.46
_THICK: Final = 0.22
_WIDTH: Final = 10.0  # of columns together
_HEIGHT: Final = 3.8
_PATTERNS: Final = (
    "",
    "north east lines",
    "dots",
    "crosshatch",
    "north west lines",
    "grid",
    "crosshatch dots",
    "horizontal lines",
)


def bars(given: Plot) -> list[str]:
    """Return a picture of bars."""
    if not can_draw(given):
        return _columns(given)
    if tuple(series.name for series in given.series) == COMPARED:
        return _compared(given)
    largest = max(1e-300, *(y for series in given.series for y in series.y))
    several = len(given.series) > 1
    lines, y = above(given.y_label, 0.3), 0.0
    for i, x in enumerate(given.series[0].x):
        name = label(x) if isinstance(x, str) else escaped(number(x, 4))
        for j, series in enumerate(given.series):
            value = escaped(number(series.y[i], 4))
            said = f"{value}\\enspace {label(series.name)}" if several else value
            lines += _row(y, "" if j else name, series.y[i] / largest, said, f"series{j}")
            y -= _ROW
        y -= 0.12 * several
    return lines


def shares(given: Slider) -> list[str]:
    """Return the bars beside a curve, each of a whole, with a line at what is wanted."""
    wanted: Sequence[float | None] = given.wanted or (None,) * len(given.labels)
    lines = above(given.bars_title, 0.4)
    for i, (name, part, goal) in enumerate(
        zip(given.labels, given.bars[given.at], wanted, strict=True)
    ):
        colour = "series1" if goal else "series0"
        lines += _row(-i * _ROW, label(name), part, escaped(share(part)), colour, goal or None)
    return lines


def _compared(given: Plot) -> list[str]:
    """Return bars with a line at what is wanted; of shares of a whole, the bar is the whole."""
    yours, wanted = given.series
    is_share = abs(sum(wanted.y) - 1) < 1e-6 and max(yours.y) <= 1
    largest = 1.0 if is_share else max(1e-300, *yours.y, *wanted.y)
    lines = above("Yours; line: wanted", 0.4)
    for i, (x, mine, right) in enumerate(zip(yours.x, yours.y, wanted.y, strict=True)):
        said = escaped(number(mine, 4))
        lines += _row(-i * _ROW, label(str(x)), mine / largest, said, "series0", right / largest)
    return lines


def _row(
    y: float, name: str, length: float, said: str, colour: str, wanted: float | None = None
) -> list[str]:
    """Draw one bar on its track, its name and its number beside it."""
    foot, top = y - _THICK / 2, y + _THICK / 2
    end = _LONG * min(1.0, max(0.0, length))
    lines = [
        rf"\fill[regardtrack] {point(0, foot)} rectangle {point(_LONG, top)};",
        rf"\fill[{colour}] {point(0, foot)} rectangle {point(end, top)};",
        node(-0.05, y, "east", name) if name else "",
        node(_LONG + 0.05, y, "west", said),
    ]
    if wanted is not None:
        x = _LONG * min(1.0, max(0.0, wanted))
        ends = f"{point(x, foot - 0.05)} -- {point(x, top + 0.05)}"
        lines.append(rf"\draw[series1,line width=1.1pt] {ends};")
    return lines


def _columns(given: Plot) -> list[str]:
    values = [0.0, *(y for series in given.series for y in series.y)]
    low, high, marks = axis(min(values), max(values))
    labels, deep = along(given.series[0], _WIDTH)
    zero = place(0.0, low, high, _HEIGHT)
    slot = _WIDTH / len(given.series[0].x)
    thick = 0.8 * slot / len(given.series)
    ticks = [(place(mark, low, high, _HEIGHT), minus(number(mark, 6))) for mark in marks]
    lines = ticks_up(ticks, _WIDTH, _HEIGHT) + labels
    if shown(given.x_label):
        said = rf"\textcolor{{regardsoft}}{{{words(in_cell(given.x_label))}}}"
        lines.append(node(_WIDTH / 2, -deep, "north", said))
    for i, series in enumerate(given.series):
        for j, y in enumerate(series.y):
            left = (j + 0.1) * slot + i * thick
            top = place(y, low, high, _HEIGHT)
            lines.append(_fill(i, point(left, zero), point(left + thick, top)))
    lines.append(rf"\draw[black!45] {point(0, zero)} -- {point(_WIDTH, zero)};")
    legend, rows = _legend(given.series)
    return [*lines, *legend, *above(given.y_label, _HEIGHT + 0.25 + 0.45 * rows, -0.6)]


def _fill(i: int, corner: str, other: str) -> str:
    area = rf"{corner} rectangle {other};"
    over = rf"\fill[pattern={_PATTERNS[i]},pattern color=black!60] {area}" if _PATTERNS[i] else ""
    return rf"\fill[series{i}] {area}{over}\draw[very thin] {area}"


def _legend(series: Sequence[Series]) -> tuple[list[str], int]:
    """Name the series above the axes, three in a line; also in how many lines."""
    if not any(shown(one.name) for one in series):
        return [], 0
    lines = []
    rows = (len(series) - 1) // 3 + 1
    for i, one in enumerate(series):
        x = (i % 3) * _WIDTH / 3
        y = _HEIGHT + 0.35 + 0.45 * (rows - 1 - i // 3)
        sample = _fill(i, "(0,-0.1)", "(0.4,0.1)")
        lines.append(rf"\begin{{scope}}[shift={{{point(x, y)}}}]{sample}\end{{scope}}")
        lines.append(node(x + 0.42, y, "west", label(one.name)))
    return lines, rows
