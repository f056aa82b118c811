"""Heat maps as cells of a page, in its own colours: blue above 0, orange below.

A shade is never so strong that the number on it could not be read, on a light page or a dark one.
"""

from __future__ import annotations

import math
import re

from regard.report.decimals import typeset
from regard.report.html import style
from regard.report.html.prose import escaped
from regard.report.html.svg import description
from regard.report.inline import shown
from regard.report.numbers import short
from regard.report.plot import Plot

MOST_CELLS = 576  # of a map; more are drawn as a picture
NUMBERED = 12  # rows and columns up to which each cell shows its number
FAINT, STRONG = 0.5, 0.9  # the strongest shade under a number, and where there is none
_WIDE, _NARROW, _HIGH = 4.25, 1.5, 2.25  # rem
_LEAST_LABELS = 1.5
_INDEX = re.compile(r"([^\W\d_])_(\w{1,3})")


def can_draw(plot: Plot) -> bool:
    """Whether a heat map is small enough for cells."""
    return plot.kind == "heatmap" and len(plot.rows) * len(plot.rows[0]) <= MOST_CELLS


def chart(plot: Plot) -> str:
    """Return a heat map as an <svg> that scrolls where it is wider than its surroundings."""
    rows, columns = len(plot.rows), len(plot.rows[0])
    numbered = max(rows, columns) <= NUMBERED
    width = columns * (_WIDE if numbered else _NARROW)
    height = rows * (_HIGH if numbered else _NARROW)
    left = [shown(label) for label in plot.row_labels] or [str(i) for i in range(rows)]
    below = [shown(label) for label in plot.column_labels] or [str(j) for j in range(columns)]
    room = max(_LEAST_LABELS, 0.55 * max(map(len, left)) + 0.75)
    step = 1 if numbered else -(-columns // NUMBERED)
    labels = [
        f'<text x="-8" y="{_percent(i + 0.5, rows)}" dy=".35em" text-anchor="end">'
        f"{_lowered(label)}</text>"
        for i, label in enumerate(left)
    ]
    labels += [
        f'<text x="{_percent(j + 0.5, columns)}" y="100%" dy="1.4em" text-anchor="middle">'
        f"{_lowered(label)}</text>"
        for j, label in list(enumerate(below))[::step]
    ]
    said = escaped(plot.caption) or "A heat map"
    look = f"width:{width:g}rem;height:{height:g}rem;margin:0 0 1.75rem {room:.2f}rem"
    svg = "\n".join(
        [
            f'<svg class="regard-heat" style="{look}" role="img" aria-label="{said}">',
            f"<desc>{escaped(description(plot))}</desc>",
            cells(plot, numbered),
            *labels,
            "</svg>",
        ]
    )
    axes = _axes(plot)
    return (
        f'{axes}<div class="regard-table" style="{style.SCROLLS}" role="group" tabindex="0" '
        f'aria-label="{said}">\n{svg}\n</div>'
    )


def cells(plot: Plot, numbered: bool = False) -> str:
    """Return the cells alone, in percent of what they stand in."""
    size = len(plot.rows), len(plot.rows[0])
    finite = [abs(x) for row in plot.rows for x in row if math.isfinite(x)]
    largest = max(finite, default=0.0) or 1.0
    return "\n".join(
        _cell(value, i, j, size, largest, numbered)
        for i, row in enumerate(plot.rows)
        for j, value in enumerate(row)
    )


def _lowered(label: str) -> str:
    """Return a label, an index such as that of x_1 below its letter."""
    found = _INDEX.fullmatch(label)
    if found is None:
        return escaped(label)
    return f'{escaped(found[1])}<tspan dy=".25em" font-size="75%">{escaped(found[2])}</tspan>'


def _axes(plot: Plot) -> str:
    down, across = shown(plot.y_label), shown(plot.x_label)
    said = [f"{down}: rows" * bool(down), f"{across}: columns" * bool(across)]
    words = ", ".join(filter(None, said))
    return f'<p class="regard-label">{escaped(words)}</p>\n' if words else ""


def _cell(
    value: float, i: int, j: int, size: tuple[int, int], largest: float, numbered: bool
) -> str:
    rows, columns = size
    share = abs(value) / largest if math.isfinite(value) else 0.0
    shade = round(share * (FAINT if numbered else STRONG), 3)
    look = "regard-heat-below" if value < 0 else "regard-heat-above"
    box = f'width="{_percent(1, columns)}" height="{_percent(1, rows)}"'
    parts = f'x="{_percent(j, columns)}" y="{_percent(i, rows)}" {box}'
    drawn = f'<rect class="regard-heat-cell" {parts} />' if not shade else ""
    drawn += f'<rect class="{look}" {parts} fill-opacity="{shade}" />' if shade else ""
    if numbered:
        text = escaped(typeset(short(value)))
        drawn += (
            f'<text class="regard-heat-number" x="{_percent(j + 0.5, columns)}" '
            f'y="{_percent(i + 0.5, rows)}" dy=".35em" text-anchor="middle">{text}</text>'
        )
    return drawn


def _percent(place: float, of: int) -> str:
    return f"{100 * place / of:.4g}%"
