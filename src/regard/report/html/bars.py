"""Bars as rows of a page: a name, a bar, and its number, which is text."""

from __future__ import annotations

from html import escape

from regard.report.html.prose import words
from regard.report.inline import shown
from regard.report.numbers import number
from regard.report.plot import Plot

MOST_ROWS, MOST_SERIES = 14, 3
COMPARED = ("yours", "wanted")  # series of which the second is a line on the bar of the first


def can_draw(plot: Plot) -> bool:
    """Whether bars can be drawn so: few enough, none below 0."""
    return (
        plot.kind == "bars"
        and len(plot.series) <= MOST_SERIES
        and len(plot.series[0].x) <= MOST_ROWS
        and min(min(series.y) for series in plot.series) >= 0
    )


def chart(plot: Plot) -> str:
    """Return bars, one row for each label and series."""
    if tuple(series.name for series in plot.series) == COMPARED:
        return _compared(plot)
    largest = max(1e-300, *(y for series in plot.series for y in series.y))
    several = len(plot.series) > 1
    rows = []
    for i, x in enumerate(plot.series[0].x):
        name = words(x) if isinstance(x, str) else number(x, 4)
        for j, series in enumerate(plot.series):
            y = series.y[i]
            said = f'<span class="regard-of">{words(series.name)}</span>' if several else ""
            rows.append(row("" if j else name, y / largest, number(y, 4), j, extra=said))
    above = f'<p class="regard-label">{words(plot.y_label)}</p>' if shown(plot.y_label) else ""
    several_class = " regard-bars-of" if several else ""
    return f'{above}\n<div class="regard-bars{several_class}">\n' + "\n".join(rows) + "\n</div>"


def _compared(plot: Plot) -> str:
    """Return bars with a line at what is wanted; of shares of a whole, the bar is the whole."""
    yours, wanted = plot.series
    is_share = abs(sum(wanted.y) - 1) < 1e-6 and max(yours.y) <= 1
    largest = 1.0 if is_share else max(1e-300, *yours.y, *wanted.y)
    rows = [
        row(words(str(x)), mine / largest, number(mine, 4), wanted=right / largest)
        for x, mine, right in zip(yours.x, yours.y, wanted.y, strict=True)
    ]
    above = '<p class="regard-label">Yours; line: wanted</p>\n<div class="regard-bars">'
    return "\n".join([above, *rows, "</div>"])


def row(
    name: str, length: float, value: str, colour: int = 0, wanted: float | None = None,
    extra: str = "",
) -> str:  # fmt: skip
    """Return one bar: its name as HTML, its length and what is wanted as shares, its number."""
    percent = round(100 * min(1.0, max(0.0, length)), 6)
    mark = ""
    if wanted is not None:
        at = round(100 * min(1.0, max(0.0, wanted)), 6)
        mark = f'<line class="regard-wanted" x1="{at}%" x2="{at}%" y1="0" y2="100%" />'
    return (
        f'<div class="regard-bar"><span class="regard-key">{name}</span>{extra}'
        '<svg class="regard-track" aria-hidden="true">'
        '<rect class="regard-rail" x="0" y="4" width="100%" height="12" rx="6" />'
        f'<rect class="regard-fill regard-fill-{colour}" x="0" y="4" width="{percent}%" '
        f'height="12" rx="6" />{mark}</svg>'
        f'<span class="regard-value">{escape(value)}</span></div>'
    )
