"""Heat maps in TikZ: blue above 0, orange below, with their numbers where these are few."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from regard.report.inline import shown
from regard.report.latex.canvas import MOST_LABELS, label, minus, node, place, point, wide
from regard.report.latex.text import escaped, words
from regard.report.numbers import number
from regard.report.plot import Plot
from regard.report.recognised import in_cell

_PAPER, _BLUE, _ORANGE = (244, 243, 239), (11, 98, 164), (194, 65, 12)
_SHADES: Final = 32
_WIDTH: Final = 9.0  # at most, in cm
_HEIGHT: Final = 11.0
_CELL: Final = (1.15, 0.6)
_NUMBERED: Final = 10
_PALE: Final = 0.55  # share of the largest number above which a cell is dark
_MOST_ROWS: Final = 40  # that have labels


def heat(given: Plot) -> list[str]:
    """Return a picture of a table of numbers."""
    rows, columns = len(given.rows), len(given.rows[0])
    broad = min(_CELL[0], _WIDTH / columns)
    high = min(_CELL[1], max(0.1, _HEIGHT / rows))
    values = [value for row in given.rows for value in row]
    top = max(map(abs, values)) or 1.0
    low = -top if min(values) < 0 else 0.0
    lines = _colours(low)
    for i, row in enumerate(given.rows):
        shades = [_shade(place(value, low, top, 1.0)) for value in row]
        # Rules in a line: a path for each cell would take TeX ten times as long.
        cells = "".join(
            rf"\color{{shade{shade}}}\rule{{{len(list(run)) * broad:.3f}cm}}{{{high:.3f}cm}}"
            for shade, run in groupby(shades)
        )
        corner = point(0, -i * high)
        lines.append(rf"\node[anchor=north west,inner sep=0pt] at {corner} {{{cells}}};")
        if max(rows, columns) <= _NUMBERED:
            for j, value in enumerate(row):
                ink = ",text=white" if abs(value) > _PALE * top else ",text=black"
                centre = ((j + 0.5) * broad, -(i + 0.5) * high)
                lines.append(node(*centre, "center", escaped(minus(number(value, 3))), ink))
    lines += _scale(columns * broad + 0.35, rows * high, low, top)
    return lines + _names(given, broad, high)


def _scale(left: float, height: float, low: float, top: float) -> list[str]:
    """Draw the scale of colours."""
    tall = height / _SHADES
    lines = [
        rf"\fill[shade{k}] {point(left, k * tall - height)} rectangle +(0.2,{tall + 0.01:.3f});"
        for k in range(_SHADES)
    ]
    ends = ((low, 0.1 - height), (top, -0.1)) if height > 0.5 else ((top, -height / 2),)
    return lines + [
        node(left + 0.22, y, "west", escaped(minus(number(x, 4))), ",regardtick") for x, y in ends
    ]


def _shade(part: float) -> int:
    """Return which shade a value has, by its place between the least and the largest."""
    return round(min(max(part, 0.0), 1.0) * (_SHADES - 1))


def _colours(low: float) -> list[str]:
    """Define the shades, blue above 0 and orange below; TeX is slow to mix them for every cell."""
    stops = (_PAPER, _BLUE) if low == 0 else (_ORANGE, _PAPER, _BLUE)
    lines = []
    for k in range(_SHADES):
        along = k / (_SHADES - 1) * (len(stops) - 1)
        i = min(int(along), len(stops) - 2)
        pairs = zip(stops[i], stops[i + 1], strict=True)
        mixed = ",".join(str(round(a + (b - a) * (along - i))) for a, b in pairs)
        lines.append(rf"\definecolor{{shade{k}}}{{RGB}}{{{mixed}}}")
    return lines


def _names(given: Plot, broad: float, high: float) -> list[str]:
    """Label rows and columns."""
    rows, columns = len(given.rows), len(given.rows[0])
    lines = []
    deep = aside = 0.1
    if given.row_labels:
        for i in range(0, rows, -(-rows // _MOST_ROWS)):
            lines.append(node(-0.04, -(i + 0.5) * high, "east", label(given.row_labels[i])))
        aside += 0.1 + max(map(wide, given.row_labels))
    if given.column_labels:
        longest = max(map(wide, given.column_labels))
        step = -(-columns // MOST_LABELS)
        turned = longest > broad * step
        where = ("east", ",rotate=45") if turned else ("north", "")
        for j in range(0, columns, step):
            said = label(given.column_labels[j])
            lines.append(node((j + 0.5) * broad, -rows * high - 0.05, where[0], said, where[1]))
        deep += 0.75 * longest + 0.2 if turned else 0.38
    if shown(given.x_label):
        said = rf"\textcolor{{regardsoft}}{{{words(in_cell(given.x_label))}}}"
        lines.append(node(columns * broad / 2, -rows * high - deep, "north", said))
    if shown(given.y_label):
        said = rf"\textcolor{{regardsoft}}{{{words(given.y_label)}}}"
        lines.append(node(-aside - 0.1, -rows * high / 2, "south", said, ",rotate=90"))
    return lines
