"""Lines as SVG for a page: text that never shrinks, and a name at the end of each line.

Places are percent of the box, so that it is as wide as the page lets it be. Looks are classes of
`page.css`.
"""

from __future__ import annotations

from collections.abc import Sequence

from regard.report.html.line_names import Placed, placed
from regard.report.html.prose import escaped, words
from regard.report.html.svg import description
from regard.report.inline import shown
from regard.report.plot import Plot, Series
from regard.report.scales import Scale, across, up

MOST_CURVES = 4  # that colours and names tell apart
_REM = 16.0  # pixels
_MIDDLE = 0.28  # rem from the middle of a name down to where its letters stand


def can_draw(plot: Plot) -> bool:
    """Whether lines can be drawn so: few enough, at numbers."""
    return (
        plot.kind == "lines"
        and len(plot.series) <= MOST_CURVES
        and not isinstance(plot.series[0].x[0], str)
    )


def chart(
    plot: Plot,
    extra: str = "",
    under: str = "",
    more: tuple[float, ...] = (),
    names: Sequence[Placed] | None = None,
) -> str:
    """Return lines as an <svg> under the words of their height.

    Args:
        plot: what `can_draw`.
        extra: SVG drawn above the lines, such as a point that moves.
        under: SVG drawn below the lines, such as a limit.
        more: heights that the axis has to hold too.
        names: where the names of the lines stand, if that is known; else it is found.
    """
    x, y = across(plot), up(plot, *more)
    said = shown(plot.caption) or "Lines"
    parts = [f'<line class="regard-grid" x1="0" x2="100%" {_both("y", 100 - y.percent(value))} />'
             f'<text class="regard-tick" x="-8" y="{100 - y.percent(value)}%" dy=".35em" '
             f'text-anchor="end">{words_}</text>' for value, words_ in y.ticks]  # fmt: skip
    parts += [
        f'<text class="regard-tick" x="{x.percent(value)}%" y="100%" dy="1.5em" '
        f'text-anchor="middle">{words_}</text>'
        for value, words_ in x.ticks
    ]
    inner = (
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">'
        f"{paths(plot, *more)}</svg>"
    )
    svg = (
        f'<svg class="regard-chart" role="img" aria-label="{escaped(said)}">\n'
        f"<desc>{escaped(description(plot))}</desc>\n{under}\n"
        + "\n".join(parts)
        + f"\n{inner}\n{extra}\n{_names(plot, names or placed(plot.series, x, y))}\n</svg>"
    )
    above = f'<p class="regard-label">{words(plot.y_label)}</p>' if shown(plot.y_label) else ""
    below = f'<p class="regard-along">{words(symbol(plot.x_label))}</p>' if plot.x_label else ""
    return f"{above}\n{svg}\n{below}"


def paths(plot: Plot, *more: float) -> str:
    """Return the lines alone, in a box of 100 by 100; `more` are heights that it has to hold."""
    x, y = across(plot), up(plot, *more)
    return "".join(
        f'<path class="regard-line regard-line-{i}" d="{_path(series, x, y)}" />'
        for i, series in enumerate(plot.series)
    )


def symbol(label: str) -> str:
    """Return the label of an axis; a single letter as a formula."""
    return f"${label}$" if len(label) == 1 and label.isalpha() else label


def _both(name: str, percent: float) -> str:
    return f'{name}1="{percent}%" {name}2="{percent}%"'


def _path(series: Series, x: Scale, y: Scale) -> str:
    points = sorted(zip(map(float, series.x), series.y, strict=True))
    return "M" + "L".join(f"{x.percent(a)} {round(100 - y.percent(b), 3)}" for a, b in points)


def _names(plot: Plot, names: Sequence[Placed]) -> str:
    """Return the name of each line beside it, where there are several."""
    if len(plot.series) == 1:
        return ""
    return "\n".join(words_at(at, f"regard-name regard-name-{i}") for i, at in enumerate(names))


def words_at(at: Placed, look: str) -> str:
    """Return words where they were placed."""
    down = round(at.down / _REM + _MIDDLE, 3)
    return (
        f'<text class="{look}" x="{round(at.x, 3)}%" y="{round(at.y, 3)}%" dy="{down}rem" '
        f'text-anchor="middle">{escaped(at.words)}</text>'
    )
