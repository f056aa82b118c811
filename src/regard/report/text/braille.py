"""Lines drawn in braille: two by four dots in each character, and the names beside the ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from regard.report.characters import columns, shorten
from regard.report.inline import shown
from regard.report.numbers import number
from regard.report.plot import Plot, Series
from regard.report.ticks import axis

# Of the dots of a character, from the top: those on its left, and those on its right.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BLANK = 0x2800
_LONGEST_NAME = 27
_DECADES = 9  # of a log axis; what lies lower is drawn at its foot
_NARROWEST = 12  # columns of a picture


@dataclass(frozen=True)
class _Axis:
    """What lies between two ends, and round numbers in between with what they are called."""

    low: float
    high: float
    marks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """Return how far along a value is, from 0 to 1."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def draw(plot: Plot, width: int, height: int = 7) -> list[str]:
    """Draw lines in at most `width` columns; `height` lines, and those of the axes.

    Nothing is drawn of lines whose places are words, or where there is no room.
    """
    if plot.kind != "lines" or isinstance(plot.series[0].x[0], str):
        return []
    up, across = _up(plot), _across(plot)
    names = [shorten(shown(series.name), _LONGEST_NAME) for series in plot.series]
    named = len(names) > 1 or (names[0] and names[0] != shown(plot.y_label))
    right = max(map(columns, names)) + 1 if named else 0
    right = max(right, columns(shown(plot.x_label)) + 4)  # it stands behind the last number
    left = max(columns(words) for _, words in up.marks) + 1
    room = width - left - right
    if room < _NARROWEST:
        return []
    rows = _canvas(plot, across, up, room, height)
    labels = _beside(plot, up, names, height) if named else [""] * height
    gutter = _gutter(up, left, height)
    title = shown(plot.y_label)
    lines = [title] if title else []
    lines += [
        f"{a}{row}{' ' + name if name else ''}".rstrip()
        for a, row, name in zip(gutter, rows, labels, strict=True)
    ]
    return [shorten(line, width) for line in [*lines, _below(plot, across, left, room)]]


def _up(plot: Plot) -> _Axis:
    low = min(min(series.y) for series in plot.series)
    high = max(max(series.y) for series in plot.series)
    if plot.y_scale == "linear":
        begin, end, marks = axis(low, high)
        return _Axis(begin, end, tuple((x, number(x, 4)) for x in marks))
    top = math.ceil(math.log10(high))
    foot = min(top - 1, max(math.floor(math.log10(low)), top - _DECADES))
    return _Axis(foot, top, tuple((x, _power(x)) for x in range(foot, top + 1)))


def _power(exponent: int) -> str:
    return number(10.0**exponent, 1) if -4 <= exponent <= 4 else f"1e{exponent}"


def _across(plot: Plot) -> _Axis:
    places = [float(x) for series in plot.series for x in series.x]
    low, high = min(places), max(places)
    _, _, marks = axis(low, high)
    if not low < high:
        low, high = marks[0], marks[-1]
    return _Axis(low, high, tuple((x, number(x, 4)) for x in marks if low <= x <= high))


def _height_of(plot: Plot, y: float) -> float:
    return math.log10(y) if plot.y_scale == "log" else y


def _canvas(plot: Plot, across: _Axis, up: _Axis, room: int, height: int) -> list[str]:
    dots = [[0] * room for _ in range(height)]
    for series in plot.series:
        for x, y in _path(plot, series, across, up, 2 * room - 1, 4 * height - 1):
            dots[y // 4][x // 2] |= _DOTS[x % 2][y % 4]
    return ["".join(chr(_BLANK + d) if d else " " for d in row) for row in dots]


def _path(
    plot: Plot, series: Series, across: _Axis, up: _Axis, right: int, bottom: int
) -> set[tuple[int, int]]:
    """Return the dots of one line, counted from the left and from the top."""
    points = [
        (right * across.share(float(x)), bottom * (1 - up.share(_height_of(plot, y))))
        for x, y in zip(series.x, series.y, strict=True)
    ]
    points.sort(key=lambda point: point[0])
    found = {(round(x), round(y)) for x, y in points}
    for (x0, y0), (x1, y1) in pairwise(points):
        steps = math.ceil(max(abs(x1 - x0), abs(y1 - y0)))
        found |= {
            (round(x0 + (x1 - x0) * i / steps), round(y0 + (y1 - y0) * i / steps))
            for i in range(1, steps)
        }
    return found


def _gutter(up: _Axis, width: int, height: int) -> list[str]:
    """Return the numbers along the vertical axis, as many as there is room for."""
    found = [""] * height
    step = -(-(len(up.marks) - 1) // (height - 1)) or 1
    for value, words in up.marks[::step]:
        row = round((height - 1) * (1 - up.share(value)))
        found[row] = found[row] or words
    return [" " * (width - 1 - columns(words)) + words + " " for words in found]


def _beside(plot: Plot, up: _Axis, names: list[str], height: int) -> list[str]:
    """Return the names of the lines, each beside its end or as near as others leave room."""
    found = [""] * height
    for series, name in zip(plot.series, names, strict=True):
        last = max(zip(series.x, series.y, strict=True), key=lambda point: float(point[0]))[1]
        wanted = round((height - 1) * (1 - up.share(_height_of(plot, last))))
        free = [row for row in range(height) if not found[row]]
        if free and name:
            found[min(free, key=lambda row: (abs(row - wanted), row))] = name
    return found


def _below(plot: Plot, across: _Axis, left: int, room: int) -> str:
    """Return the numbers along the horizontal axis, and what they are."""
    line = " " * left
    for value, words in across.marks:
        place = left + round((room - 1) * across.share(value)) - columns(words) // 2
        if place > columns(line) or columns(line) == left:
            line = line.ljust(place) + words
    label = shown(plot.x_label)
    return f"{line}  {label}" if label else line
