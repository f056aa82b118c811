"""Plots as SVG that stands inside a page: its colours follow the page, and it can be read aloud.

matplotlib draws, and is imported only then. The same plot gives the same bytes.
"""

from __future__ import annotations

import hashlib
import math
import re
import warnings
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from regard.figures import new_figure
from regard.report.characters import shorten
from regard.report.inline import shown
from regard.report.numbers import number
from regard.report.plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any kind of colour vision; hatches, dashes and markers
# tell series apart without colour.
COLOURS: Final = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#999999",
    "#F0E442",
)
HATCHES: Final = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
DASHES: Final = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1, 3, 1)), (0, (8, 3)), (0, (3, 1)))
MARKERS: Final = "osD^vPX*"
_INK: Final = "#123456"  # drawn with this, shown in the colour of the text around
_WIDTH: Final = 4.6  # inches: text is readable where a phone shows it all
_LABEL: Final = 22
_SHADES: Final = 40  # of a heat map; with more the scale would be an image, which pages refuse
_NUMBERED: Final = 12  # cells in a row or column up to which each shows its number
_PAPER, _BLUE, _ORANGE = "#f4f3ef", "#0b62a4", "#c2410c"  # as in tokens.css
_PALE: Final = 0.55  # share of the largest number above which a cell is dark
_MARKED: Final = 30  # points up to which each is marked
_DESCRIBED: Final = 24  # numbers that are read aloud


def svg(plot: Plot, name: str) -> str:
    """Draw a plot as an <svg> element whose ids begin with `name`."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    salt = hashlib.sha256(repr(plot).encode("utf-8", "replace")).hexdigest()
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "hatch.color": _INK,
        "text.color": _INK,
        "axes.edgecolor": _INK,
        "axes.labelcolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
    }
    file = StringIO()
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # Characters that matplotlib's font lacks are only measured with it: the page shows them.
        warnings.simplefilter("ignore")
        figure = draw(plot)
        FigureCanvasSVG(figure)
        figure.savefig(
            file,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    return _inline(file.getvalue(), plot, name)


def draw(plot: Plot) -> Figure:
    """Draw a plot as a Matplotlib figure."""
    import matplotlib

    settings: Any = {
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": 10,
        "hatch.linewidth": 0.6,
        "axes.unicode_minus": True,
        "axes.formatter.useoffset": False,
    }
    with matplotlib.rc_context(settings):
        figure = new_figure(_WIDTH, _height(plot))
        _draw(plot, figure, figure.add_subplot())
    return figure


def _height(plot: Plot) -> float:
    if plot.kind == "bars" and _lying(plot):
        return max(2.0, 0.9 + 0.24 * len(plot.series[0].x) * max(1, len(plot.series)))
    if plot.kind == "heatmap":
        return min(6.0, 0.9 + max(0.45, 4.0 / len(plot.rows[0])) * len(plot.rows) ** 0.8)
    return 2.7


def _lying(plot: Plot) -> bool:
    """Whether bars are drawn from left to right, so that their labels can be read."""
    labels = _labels(plot)
    return len(labels) > 12 or max(len(label) for label in labels) * len(labels) > 48


def _labels(plot: Plot) -> list[str]:
    return [_label(x) if isinstance(x, str) else number(x, 4) for x in plot.series[0].x]


def _label(text: str) -> str:
    return shorten(shown(text), _LABEL)


def _draw(plot: Plot, figure: Figure, axes: Axes) -> None:
    if plot.kind == "heatmap":
        _heatmap(plot, figure, axes)
    else:
        (_bars if plot.kind == "bars" else _lines)(plot, axes)
        axes.spines[["top", "right"]].set_visible(False)
        if any(shown(series.name) for series in plot.series):
            figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    across, up = shown(plot.x_label), shown(plot.y_label)
    if plot.kind == "bars" and _lying(plot):
        across, up = up, across
    axes.set_xlabel(shorten(across, 60))
    axes.set_ylabel(shorten(up, 40))


def _bars(plot: Plot, axes: Axes) -> None:
    labels = _labels(plot)
    lying = _lying(plot)
    thick = 0.8 / len(plot.series)
    for i, series in enumerate(plot.series):
        places = [j + (i + 0.5) * thick - 0.4 for j in range(len(labels))]
        look: dict[str, Any] = {
            "color": COLOURS[i],
            "hatch": HATCHES[i],
            "edgecolor": _INK,
            "linewidth": 0.6,
            "label": _label(series.name) or "_",
        }
        if lying:
            axes.barh(places, series.y, height=thick, **look)
        else:
            axes.bar(places, series.y, width=thick, **look)
    if lying:
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.axvline(0, color=_INK, linewidth=0.8)
    else:
        axes.set_xticks(range(len(labels)), labels)
        axes.axhline(0, color=_INK, linewidth=0.8)


def _lines(plot: Plot, axes: Axes) -> None:
    words = isinstance(plot.series[0].x[0], str)
    for i, series in enumerate(plot.series):
        axes.plot(
            range(len(series.x)) if words else series.x,
            series.y,
            color=COLOURS[i],
            linestyle=DASHES[i],
            marker=MARKERS[i] if len(series.x) <= _MARKED else None,
            markersize=4,
            label=_label(series.name) or "_",
        )
    if words:
        axes.set_xticks(range(len(plot.series[0].x)), _labels(plot))
    axes.grid(color=_INK, alpha=0.15, linewidth=0.6)


def _heatmap(plot: Plot, figure: Figure, axes: Axes) -> None:
    rows, columns = len(plot.rows), len(plot.rows[0])
    low, high = _range(plot)
    mesh = axes.pcolormesh(plot.rows, cmap=_shades(low), vmin=low, vmax=high)
    scale = figure.colorbar(mesh, ax=axes, shrink=0.9)
    scale.outline.set_visible(False)
    if scale.solids is not None:
        scale.solids.set_edgecolor("face")  # no seams between the shades
    axes.invert_yaxis()
    _ticks(axes.set_xticks, plot.column_labels, columns, 45 if columns > 6 else 0)
    _ticks(axes.set_yticks, plot.row_labels, rows, 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if max(rows, columns) <= _NUMBERED:
        for i, row in enumerate(plot.rows):
            for j, value in enumerate(row):
                dark = low < high and abs(value) / max(-low, high) > _PALE
                axes.text(
                    j + 0.5,
                    i + 0.5,
                    _in_cell(value, high) if columns > 6 else number(value, 3),
                    ha="center",
                    va="center",
                    color="white" if dark else "black",
                    fontsize=9 if columns < 8 else 7,
                )


def _in_cell(value: float, most: float) -> str:
    """Return a number for a narrow cell, all with as many decimals as the largest has room for."""
    if not 0.01 <= most < 1000:
        return number(value, 2)
    digits = max(0, 2 - max(0, math.floor(math.log10(most))))
    return f"{value:.{digits}f}".replace("-", "−")


def _range(plot: Plot) -> tuple[float, float]:
    """Return between which numbers there are shades: around 0, or from 0 on."""
    values = [value for row in plot.rows for value in row]
    most = max(map(abs, values)) or 1.0
    return (-most if min(values) < 0 else 0.0), most


def _shades(low: float) -> Any:
    """Return the colours of a page: blue above 0, orange below."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = [_PAPER, _BLUE] if low == 0 else [_ORANGE, _PAPER, _BLUE]
    return LinearSegmentedColormap.from_list("regard", colours, N=_SHADES)


def _ticks(place: Any, labels: tuple[str, ...], count: int, turned: float) -> None:
    step = -(-count // 24)  # more labels than this could not be read
    shown_labels = [_label(label) for label in labels] or [str(i) for i in range(count)]
    places = range(0, count, step)
    place([i + 0.5 for i in places], [shown_labels[i] for i in places], rotation=turned)


def _inline(text: str, plot: Plot, name: str) -> str:
    """Make a file of matplotlib's a part of a page."""
    start = text.index("<svg")
    size = re.search(r'viewBox="([^"]*)"', text)
    assert size
    body = text[text.index(">", start) + 1 : text.rindex("</svg>")]
    # A style sheet would hold for the whole page: its one rule goes to the element itself.
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    body = body.replace("xlink:href", "href").replace(_INK, "currentColor")
    body = re.sub(r"font: ([0-9.]+px) [^;\"]*", r"font: \1 system-ui, sans-serif", body)
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', body))
    kept = {a or b for a, b in used}
    body = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in kept else "", body)
    for known in sorted(kept):
        body = re.sub(rf'(#|id="){re.escape(known)}\b', rf"\g<1>{name}-{known}", body)
    body = re.sub(r"\n\s*", "\n", body).strip()
    caption = escape(shown(plot.caption) or f"A plot: {plot.kind}")
    return (
        f'<svg viewBox="{size[1]}" role="img" aria-label="{caption}" '
        f'style="width:100%;max-width:30em;height:auto;stroke-linejoin:round">\n<title>{caption}</title>\n'
        f"<desc>{escape(description(plot))}</desc>\n{body}\n</svg>"
    )


def description(plot: Plot) -> str:
    """Say what a plot shows, in words and its first numbers."""
    if plot.kind == "heatmap":
        values = [value for row in plot.rows for value in row]
        return (
            f"A heat map of {len(plot.rows)} rows and {len(plot.rows[0])} columns, "
            f"from {number(min(values), 4)} to {number(max(values), 4)}."
        )
    sentences = []
    for series in plot.series:
        points = [
            f"{_label(x) if isinstance(x, str) else number(x, 4)}: {number(y, 4)}"
            for x, y in zip(series.x, series.y, strict=True)
        ]
        if len(points) > _DESCRIBED:
            points = [*points[:3], "…", points[-1]]
        head = f"{shown(series.name)}. " if shown(series.name) else ""
        sentences.append(f"{head}{'; '.join(points)}.")
    return f"{'Bars' if plot.kind == 'bars' else 'Lines'}. {' '.join(sentences)}"
