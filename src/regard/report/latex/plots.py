"""Plots in LaTeX, drawn with TikZ in coordinates that are computed here.

TeX's arithmetic would overflow on numbers as small as 20 000, so it gets lengths and no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final, TypeAlias

from regard.report.characters import shorten
from regard.report.inline import shown
from regard.report.latex.text import escaped, words
from regard.report.numbers import number
from regard.report.plot import Plot, Series
from regard.report.recognised import in_cell, in_words
from regard.report.scales import Scale, across, up
from regard.report.slider import Slider
from regard.report.ticks import axis

Noted: TypeAlias = tuple[float, str] | None  # a place on an axis, and what it is

# The colours of a page (tokens.css) and further ones, by names that the document defines.
_COLOURS: Final = (
    "5B6B7F",
    "C2410C",
    "0B62A4",
    "7A1FD6",
    "009E73",
    "E69F00",
    "999999",
    "56B4E9",
)
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
_DASHES: Final = (
    "solid",
    "dashed",
    "dash dot",
    "dotted",
    "densely dashed",
    "densely dash dot",
    "loosely dashed",
    "densely dotted",
)
_PAPER, _BLUE, _ORANGE = (244, 243, 239), (11, 98, 164), (194, 65, 12)  # of a heat map
_SHADES: Final = 32
_WIDTH: Final = 11.0  # of the axes, in cm
_HEIGHT: Final = 5.0
_LABEL: Final = 24
_MOST_LABELS: Final = 24
_NUMBERED: Final = 12
_PALE: Final = 0.55  # share of the largest number above which a cell is dark
_MOST_POINTS: Final = 400  # more could not be told apart in print


def slider(given: Slider) -> str:
    """Return the curve of a slider as it stands: with its limit, and from where it is enough."""
    return plot(given.plot, given.limit, given.enough)


def plot(given: Plot, limit: Noted = None, enough: Noted = None) -> str:
    """Return a picture with its caption; of lines also a limit, and a place that is enough."""
    if given.kind == "lines":
        drawn = _lines(given, limit, enough)
    else:
        drawn = _bars(given) if given.kind == "bars" else _heatmap(given)
    # A picture and its caption stay on one page.
    lines = [r"\par\medskip\noindent\begin{minipage}{\linewidth}\centering"]
    lines += [r"\begin{tikzpicture}[font=\footnotesize]"]
    lines += [rf"\definecolor{{series{i}}}{{HTML}}{{{c}}}" for i, c in enumerate(_COLOURS)]
    lines += [*drawn, r"\end{tikzpicture}"]
    if shown(given.caption):
        lines.append(rf"\par\smallskip{{\small {words(given.caption)}\par}}")
    return "\n".join([*lines, r"\end{minipage}\par\medskip"])


def _point(x: float, y: float) -> str:
    return f"({x:.3f},{y:.3f})"


def _place(value: float, low: float, high: float, length: float) -> float:
    """Return where between 0 and length a value between low and high is drawn."""
    return (value - low) / (high - low) * length if low < high else length / 2


def _node(x: float, y: float, anchor: str, text: str, more: str = "") -> str:
    return rf"\node[anchor={anchor}{more}] at {_point(x, y)} {{{text}}};"


def _axes(given: Plot, ticks: Sequence[tuple[float, str]], deep: float) -> list[str]:
    """Draw the axes, the ticks of the vertical one at their heights, and what both are about."""
    lines = [rf"\draw {_point(0, _HEIGHT)} -- (0,0) -- {_point(_WIDTH, 0)};"]
    texts = [text for _, text in ticks]
    for y, text in ticks:
        lines.append(rf"\draw[black!12] (0,{y:.3f}) -- ({_WIDTH},{y:.3f});" if y else "")
        lines.append(rf"\draw (-0.1,{y:.3f}) -- (0,{y:.3f});")
        lines.append(_node(-0.12, y, "east", escaped(text)))
    if shown(given.x_label):
        lines.append(_node(_WIDTH / 2, -deep, "north", words(in_cell(given.x_label))))
    if shown(given.y_label):
        away = 0.45 + 0.17 * max(len(text) for text in texts)
        lines.append(_node(-away, _HEIGHT / 2, "south", words(given.y_label), ",rotate=90"))
    return lines


def _legend(series: Sequence[Series], samples: Sequence[str]) -> list[str]:
    """Name the series above the axes, three in a line."""
    if not any(shown(one.name) for one in series):
        return []
    lines = []
    for i, (one, sample) in enumerate(zip(series, samples, strict=True)):
        x = (i % 3) * _WIDTH / 3
        y = _HEIGHT + 0.4 + 0.45 * ((len(series) - 1) // 3 - i // 3)
        lines.append(rf"\begin{{scope}}[shift={{{_point(x, y)}}}]{sample}\end{{scope}}")
        lines.append(_node(x + 0.7, y, "west", _label(one.name)))
    return lines


def _label(text: str) -> str:
    """Return a label, its formulas too if it is short enough to be shown whole."""
    text = in_words(text)
    return words(text) if len(shown(text)) <= _LABEL else escaped(shorten(shown(text), _LABEL))


def _along(given: Plot) -> tuple[list[str], float]:
    """Label the places of bars or of lines with words; also how deep the labels reach."""
    places = given.series[0].x
    count = len(places)
    step = -(-count // _MOST_LABELS)
    texts = [x if isinstance(x, str) else number(x, 4) for x in places]
    longest = min(_LABEL, max(len(shown(text)) for text in texts[::step]))
    turned = longest * len(texts[::step]) > 60
    lines = []
    for i in range(0, count, step):
        x = (i + 0.5) * _WIDTH / count
        where = ("east", ",rotate=45") if turned else ("north", "")
        lines.append(_node(x, -0.05, where[0], _label(texts[i]), where[1]))
    return lines, (0.35 + 0.11 * longest if turned else 0.5)


def _fill(i: int, corner: str, other: str) -> str:
    area = rf"{corner} rectangle {other};"
    over = rf"\fill[pattern={_PATTERNS[i]},pattern color=black!60] {area}" if _PATTERNS[i] else ""
    return rf"\fill[series{i}] {area}{over}\draw[very thin] {area}"


def _bars(given: Plot) -> list[str]:
    values = [0.0, *(y for series in given.series for y in series.y)]
    low, high, marks = axis(min(values), max(values))
    labels, deep = _along(given)
    zero = _place(0.0, low, high, _HEIGHT)
    slot = _WIDTH / len(given.series[0].x)
    thick = 0.8 * slot / len(given.series)
    ticks = [(_place(mark, low, high, _HEIGHT), _minus(number(mark, 6))) for mark in marks]
    lines = _axes(given, ticks, deep) + labels
    for i, series in enumerate(given.series):
        for j, y in enumerate(series.y):
            left = (j + 0.1) * slot + i * thick
            top = _place(y, low, high, _HEIGHT)
            lines.append(_fill(i, _point(left, zero), _point(left + thick, top)))
    lines.append(rf"\draw {_point(0, zero)} -- {_point(_WIDTH, zero)};")
    samples = [_fill(i, "(0.15,-0.12)", "(0.6,0.12)") for i in range(len(given.series))]
    return lines + _legend(given.series, samples)


def _lines(given: Plot, limit: Noted, enough: Noted) -> list[str]:
    scale = up(given, *([limit[0]] if limit else []))
    labels: list[str] = []
    deep = 0.5
    flat: Scale | None = None
    if isinstance(given.series[0].x[0], str):
        labels, deep = _along(given)
    else:
        flat = across(given)
        for mark, text in flat.ticks:
            x = flat.percent(mark) * _WIDTH / 100
            labels.append(rf"\draw ({x:.3f},-0.1) -- ({x:.3f},0);")
            labels.append(_node(x, -0.05, "north", escaped(text)))

    def at(x: float | str, k: int) -> float:
        if flat is None or isinstance(x, str):
            return (k + 0.5) * _WIDTH / len(given.series[0].x)
        return flat.percent(x) * _WIDTH / 100

    lines = []
    if enough is not None and flat is not None:
        lines += _enough(at(enough[0], 0), enough[1])
    ticks = [(scale.percent(mark) * _HEIGHT / 100, text) for mark, text in scale.ticks]
    lines += _axes(given, ticks, deep) + labels
    if limit is not None:
        y = scale.percent(limit[0]) * _HEIGHT / 100
        lines.append(rf"\draw[series1,dashed] (0,{y:.3f}) -- ({_WIDTH},{y:.3f});")
        lines.append(_node(0.1, y, "north west", rf"\textcolor{{series1}}{{{_label(limit[1])}}}"))
    for i, series in enumerate(given.series):
        step = -(-len(series.y) // _MOST_POINTS)
        chosen = [*range(0, len(series.y) - 1, step), len(series.y) - 1]
        points = [
            _point(at(series.x[k], k), scale.percent(series.y[k]) * _HEIGHT / 100) for k in chosen
        ]
        lines.append(rf"\draw[thick,series{i},{_DASHES[i]}] {' -- '.join(points)};")
        if len(points) <= 30:
            lines += [rf"\fill[series{i}] {point} circle (1.4pt);" for point in points]
    samples = [
        rf"\draw[thick,series{i},{_DASHES[i]}] (0,0) -- (0.65,0);" for i in range(len(given.series))
    ]
    return lines + (_legend(given.series, samples) if len(given.series) > 1 else [])


def _enough(x: float, words_: str) -> list[str]:
    """Shade the places where all is well, and say so."""
    said = rf"\textcolor{{series2}}{{{_label(words_)}}}"
    return [
        rf"\fill[series2!8] ({x:.3f},0) rectangle ({_WIDTH},{_HEIGHT});",
        rf"\draw[series2] ({x:.3f},0) -- ({x:.3f},{_HEIGHT});",
        _node(x + 0.05, _HEIGHT - 0.05, "north west", said),
    ]


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _shade(share: float) -> int:
    """Return which shade a value has, by its place between the least and the largest."""
    return round(min(max(share, 0.0), 1.0) * (_SHADES - 1))


def _colours(low: float) -> list[str]:
    """Define the shades, blue above 0 and orange below; TeX is slow to mix them for every cell."""
    stops = (_PAPER, _BLUE) if low == 0 else (_ORANGE, _PAPER, _BLUE)
    lines = []
    for k in range(_SHADES):
        place = k / (_SHADES - 1) * (len(stops) - 1)
        i = min(int(place), len(stops) - 2)
        pairs = zip(stops[i], stops[i + 1], strict=True)
        mixed = ",".join(str(round(a + (b - a) * (place - i))) for a, b in pairs)
        lines.append(rf"\definecolor{{shade{k}}}{{RGB}}{{{mixed}}}")
    return lines


def _heatmap(given: Plot) -> list[str]:
    rows, columns = len(given.rows), len(given.rows[0])
    wide = min(1.4, _WIDTH / columns)
    high = min(0.8, max(0.12, 14.0 / rows))
    values = [value for row in given.rows for value in row]
    top = max(map(abs, values)) or 1.0
    low = -top if min(values) < 0 else 0.0
    lines = _colours(low)
    for i, row in enumerate(given.rows):
        shades = [_shade(_place(value, low, top, 1.0)) for value in row]
        # Rules in a line: a path for each cell would take TeX ten times as long.
        cells = "".join(
            rf"\color{{shade{shade}}}\rule{{{len(list(run)) * wide:.3f}cm}}{{{high:.3f}cm}}"
            for shade, run in groupby(shades)
        )
        place = _point(0, -i * high)
        lines.append(rf"\node[anchor=north west,inner sep=0pt] at {place} {{{cells}}};")
        if max(rows, columns) <= _NUMBERED:
            for j, value in enumerate(row):
                ink = ",text=white" if abs(value) > _PALE * top else ",text=black"
                centre = ((j + 0.5) * wide, -(i + 0.5) * high)
                lines.append(_node(*centre, "center", escaped(_minus(number(value, 3))), ink))
    lines += _names(given, wide, high)
    tall = rows * high / _SHADES
    for k in range(_SHADES):  # the scale of colours
        corner = _point(columns * wide + 0.4, -rows * high + k * tall)
        lines.append(rf"\fill[shade{k}] {corner} rectangle +(0.3,{tall + 0.01:.3f});")
    right = columns * wide + 0.75
    lines.append(_node(right, -rows * high + 0.1, "west", escaped(_minus(number(low, 4)))))
    lines.append(_node(right, -0.1, "west", escaped(number(top, 4))))
    return lines


def _names(given: Plot, wide: float, high: float) -> list[str]:
    """Label rows and columns."""
    rows, columns = len(given.rows), len(given.rows[0])
    lines = []
    deep = aside = 0.1
    if given.row_labels:
        for i in range(0, rows, -(-rows // 40)):
            lines.append(_node(-0.05, -(i + 0.5) * high, "east", _label(given.row_labels[i])))
        aside += 0.18 * min(_LABEL, max(len(shown(label)) for label in given.row_labels))
    if given.column_labels:
        longest = min(_LABEL, max(len(shown(label)) for label in given.column_labels))
        turned = 0.2 * longest > wide
        where = ("east", ",rotate=45") if turned else ("north", "")
        for j in range(0, columns, -(-columns // _MOST_LABELS)):
            label = _label(given.column_labels[j])
            lines.append(_node((j + 0.5) * wide, -rows * high - 0.05, where[0], label, where[1]))
        deep += 0.13 * longest + 0.2 if turned else 0.4
    if shown(given.x_label):
        lines.append(
            _node(columns * wide / 2, -rows * high - deep, "north", words(in_cell(given.x_label)))
        )
    if shown(given.y_label):
        middle = -rows * high / 2
        lines.append(_node(-aside - 0.2, middle, "south", words(given.y_label), ",rotate=90"))
    return lines
