"""Lines in TikZ: names, limits and what is enough stand beside the axes, where no line runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, TypeAlias

from regard.report.inline import shown
from regard.report.latex.canvas import (
    LINE,
    above,
    along,
    apart,
    label,
    name,
    node,
    point,
    tall,
    ticks_up,
    wide,
)
from regard.report.latex.text import escaped, words
from regard.report.plot import Plot, Series
from regard.report.recognised import in_cell
from regard.report.scales import Scale, across, up

Noted: TypeAlias = tuple[float, str] | None  # a place on an axis, and what it is

WIDTH: Final = 8.0  # of the axes, in cm
HEIGHT: Final = 4.0
_BESIDE: Final = 2.3  # for names
_MOST_POINTS: Final = 400  # more could not be told apart in print
_DOTTED: Final = 30  # points of a line that are marked
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


def curves(
    given: Plot, limit: Noted = None, enough: Noted = None, at: float | None = None
) -> list[str]:
    """Return lines with their axes; `at` is a place that is marked on them."""
    y = up(given, *([limit[0]] if limit else []))
    beside = _beside(given, limit, y)
    height = max(HEIGHT, sum(tall(text, _BESIDE) for _, text, _ in beside))
    places = _Places(given, y, height)
    lines, deep = places.ticks()
    lines = [*_enough(places, enough, height), *lines]
    if shown(given.x_label):
        said = rf"\textcolor{{regardsoft}}{{{words(in_cell(given.x_label))}}}"
        lines.append(node(WIDTH / 2, -deep, "north", said))
    lines += above(given.y_label, height + (0.25 + LINE if enough else 0.25), -0.75)
    if limit is not None:
        h = y.percent(limit[0]) * height / 100
        lines.append(rf"\draw[series1,dashed] (0,{h:.3f}) -- ({WIDTH},{h:.3f});")
    for i, series in enumerate(given.series):
        lines += _line(places.of(series), i)
    if at is not None:
        lines += _mark(places, given, at, height)
    return lines + _named(places, beside, height)


class _Places:
    """Where the points of lines are drawn."""

    def __init__(self, given: Plot, y: Scale, height: float) -> None:
        self.first = given.series[0]
        self.x = None if isinstance(self.first.x[0], str) else across(given)
        self.y = y
        self.height = height

    def across(self, x: float | str, k: int = 0) -> float:
        if self.x is None or isinstance(x, str):
            return (k + 0.5) * WIDTH / len(self.first.x)
        return self.x.percent(x) * WIDTH / 100

    def up(self, value: float) -> float:
        return self.y.percent(value) * self.height / 100

    def of(self, series: Series) -> list[tuple[float, float]]:
        step = -(-len(series.y) // _MOST_POINTS)
        chosen = [*range(0, len(series.y) - 1, step), len(series.y) - 1]
        return [(self.across(series.x[k], k), self.up(series.y[k])) for k in chosen]

    def ticks(self) -> tuple[list[str], float]:
        """Draw the axes with their ticks; also how deep those of the horizontal one reach."""
        high = [(self.y.percent(mark) * self.height / 100, text) for mark, text in self.y.ticks]
        lines = ticks_up(high, WIDTH, self.height)
        if self.x is None:
            labels, deep = along(self.first, WIDTH)
            return lines + labels, deep
        for mark, text in self.x.ticks:
            x = self.across(mark)
            lines.append(rf"\draw[black!45] ({x:.3f},-0.08) -- ({x:.3f},0);")
            lines.append(node(x, -0.06, "north", escaped(text), ",regardtick"))
        return lines, 0.42


def _line(points: list[tuple[float, float]], i: int) -> list[str]:
    path = " -- ".join(point(*one) for one in points)
    lines = [rf"\draw[thick,series{i},{_DASHES[i]}] {path};"]
    if len(points) <= _DOTTED:
        lines += [rf"\fill[series{i}] {point(*one)} circle (1.2pt);" for one in points]
    return lines


def _beside(given: Plot, limit: Noted, y: Scale) -> list[tuple[float, str, str]]:
    """Return what is named beside the axes: its percent of their height, words and colour."""
    found = [] if limit is None else [(y.percent(limit[0]), limit[1], "series1")]
    if len(given.series) > 1:
        found += [
            (y.percent(series.y[-1]), series.name, f"series{i}")
            for i, series in enumerate(given.series)
            if shown(series.name)
        ]
    return found


def _named(places: _Places, beside: list[tuple[float, str, str]], height: float) -> list[str]:
    """Name lines at their ends, those that end together apart, with a line to where they end."""
    wanted = [percent * height / 100 for percent, _, _ in beside]
    found = apart(wanted, [tall(text, _BESIDE) for _, text, _ in beside])
    # All of them between the foot and the top, or as near to it as they can be.
    over = max([0.0, *(y - height for y in found)])
    lines = []
    for (_, text, colour), end, free in zip(beside, wanted, found, strict=True):
        y = free - over
        lines.append(rf"\draw[{colour},very thin] ({WIDTH},{end:.3f}) -- ({WIDTH + 0.2},{y:.3f});")
        lines.append(name(WIDTH + 0.2, y, text, colour, _BESIDE))
    return lines


def _enough(places: _Places, enough: Noted, height: float) -> list[str]:
    """Shade the places where all is well, and say so above them."""
    if enough is None or places.x is None:
        return []
    x = places.across(enough[0])
    said = rf"\bfseries\textcolor{{series2}}{{{label(enough[1])}}}"
    where = (x, "south west") if x + wide(enough[1]) < WIDTH + _BESIDE else (WIDTH, "south east")
    return [
        rf"\fill[series2!8] ({x:.3f},0) rectangle ({WIDTH},{height});",
        rf"\draw[series2] ({x:.3f},0) -- ({x:.3f},{height});",
        node(where[0], height, where[1], said, ",inner xsep=0pt"),
    ]


def _mark(places: _Places, given: Plot, at: float, height: float) -> list[str]:
    """Mark a place on every line."""
    x = places.across(at)
    lines = [rf"\draw[series2] ({x:.3f},0) -- ({x:.3f},{height});"]
    for i, series in enumerate(given.series):
        for (a, b), (c, d) in pairwise(zip(map(float, series.x), series.y, strict=True)):
            if a <= at <= c and at in (a, c):
                y = places.up(b if at == a else d)
                lines.append(
                    rf"\filldraw[draw=white,fill=series{i or 2}] {point(x, y)} circle (2.4pt);"
                )
                break
    return lines
