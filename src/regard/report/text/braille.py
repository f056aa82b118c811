"""Lines drawn in braille: two by four dots in each character, and names beside the lines."""

from __future__ import annotations

import math
from itertools import pairwise

from regard.report.characters import columns, shorten
from regard.report.inline import shown
from regard.report.plot import Plot, Series
from regard.report.scales import Scale, across, up
from regard.report.text.curve_names import behind, inside

# Of the dots of a character, from the top: those on its left, and those on its right.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BLANK = 0x2800
_LONGEST_NAME = 27
_NARROWEST = 12  # columns of a picture
Noted = tuple[float, str]  # a number, and in a few words what it is


def draw(
    plot: Plot, width: int, height: int = 7, limit: Noted | None = None, enough: Noted | None = None
) -> list[str]:
    """Draw lines in at most `width` columns; `height` lines, and those of the axes.

    Nothing is drawn of lines whose places are words, or where there is no room.

    Args:
        plot: lines.
        width: of the picture with all that stands beside it.
        height: of the picture alone.
        limit: a height up to which all is well, drawn as a line across.
        enough: a place from which on all is well, drawn as a line upright.
    """
    if plot.kind != "lines" or isinstance(plot.series[0].x[0], str):
        return []
    y, x = up(plot, *([limit[0]] if limit else [])), across(plot)
    names = [shorten(shown(series.name), _LONGEST_NAME) for series in plot.series]
    one = len(names) == 1
    title = shown(plot.y_label) or (names[0] if one else "")
    ticks = [(value, words.replace("\u202f", " ")) for value, words in y.ticks]
    left = max(columns(words) for _, words in ticks) + 1
    least = columns(shown(plot.x_label)) + 4  # it stands behind the last number
    right = least if one else max(least, 1 + max(map(columns, names)))
    if width - left - right < _NARROWEST:
        return []
    cells, beside = _named(plot, x, y, names, width - left - right, height)
    room = width - left - max(least, 1 + max(map(columns, beside)))
    if room != len(cells[0]):  # names in the picture, or together, leave it another width
        cells, beside = _named(plot, x, y, names, max(_NARROWEST, room), height)
        room = len(cells[0])
    if limit:
        _across(cells, round((height - 1) * (1 - y.percent(limit[0]) / 100)), limit[1])
    above = " " * left + " " * room
    if enough:
        place = round((room - 1) * x.percent(enough[0]) / 100)
        above = _upright(cells, place, enough[1], left, columns(title), width)
    above = title + above[columns(title) :]
    gutter = _gutter(ticks, y, left, height)
    lines = [above.rstrip()] if above.strip() else []
    lines += [
        f"{a}{''.join(row)}{' ' + name if name else ''}".rstrip()
        for a, row, name in zip(gutter, cells, beside, strict=True)
    ]
    return [shorten(line, width) for line in [*lines, _below(plot, x, left, room)]]


def _named(
    plot: Plot, x: Scale, y: Scale, names: list[str], room: int, height: int
) -> tuple[list[list[str]], list[str]]:
    """Return the picture, with names in it where there is room, and those behind its rows."""
    dots = [[0] * room for _ in range(height)]
    curves = [_path(series, x, y, 2 * room - 1, 4 * height - 1) for series in plot.series]
    for a, b in {dot for curve in curves for dot in curve}:
        dots[b // 4][a // 2] |= _DOTS[a % 2][b % 4]
    cells = [[chr(_BLANK + d) if d else " " for d in row] for row in dots]
    if len(curves) == 1:
        return cells, [""] * height
    drawn = [{(b // 4, a // 2) for a, b in curve} for curve in curves]
    ends = [max(curve, key=lambda dot: dot[0])[1] // 4 for curve in curves]
    waiting = []
    for i, name in enumerate(names):
        others = {cell for j, curve in enumerate(drawn) if j != i for cell in curve}
        crowded = ends.count(ends[i]) > 1
        if not (crowded and inside(cells, drawn[i], others, name)):
            waiting.append((ends[i], name))
    return cells, behind(waiting, height)


def _path(series: Series, x: Scale, y: Scale, right: int, bottom: int) -> set[tuple[int, int]]:
    """Return the dots of one line, counted from the left and from the top."""
    points = [
        (right * x.percent(float(a)) / 100, bottom * (1 - y.percent(b) / 100))
        for a, b in zip(series.x, series.y, strict=True)
    ]
    points.sort(key=lambda point: point[0])
    found = {(round(a), round(b)) for a, b in points}
    for (a0, b0), (a1, b1) in pairwise(points):
        steps = math.ceil(max(abs(a1 - a0), abs(b1 - b0)))
        found |= {
            (round(a0 + (a1 - a0) * i / steps), round(b0 + (b1 - b0) * i / steps))
            for i in range(1, steps)
        }
    return found


def _across(cells: list[list[str]], row: int, words: str) -> None:
    """Draw a line across with its words upon it, where the lines of the plot leave room."""
    line = cells[row]
    free = [i for i, cell in enumerate(line) if cell == " "]
    for i in free:
        line[i] = "┈"
    said = f"{shown(words)} ".replace("\u202f", " ")
    room = "┈" * (len(said) + 1)  # the words, and something of the line behind them
    start = "".join(line).find(room)
    if start >= 0:
        line[start : start + len(said)] = said


def _upright(
    cells: list[list[str]], place: int, words: str, left: int, title: int, width: int
) -> str:
    """Draw a line upright; return the line above with its words, or write them beside it."""
    for row in cells:
        row[place] = "│" if row[place] in " ┈" else row[place]
    said = f" {shown(words)}"
    fits = left + place + 1 + columns(said) <= width
    if title < left + place and fits:
        return " " * (left + place) + "│" + said
    line = cells[0]
    if "".join(line[place + 1 : place + 1 + len(said)]) == " " * len(said):
        line[place + 1 : place + 1 + len(said)] = said
    return " " * (left + len(line))


def _gutter(ticks: list[tuple[float, str]], y: Scale, width: int, height: int) -> list[str]:
    """Return the numbers along the vertical axis, as many as there is room for."""
    found = [""] * height
    step = -(-(len(ticks) - 1) // max(1, height - 1)) or 1
    for value, words in ticks[::step]:
        row = round((height - 1) * (1 - y.percent(value) / 100))
        found[row] = found[row] or words
    return [" " * (width - 1 - columns(words)) + words + " " for words in found]


def _below(plot: Plot, x: Scale, left: int, room: int) -> str:
    """Return the numbers along the horizontal axis, and what they are."""
    line = " " * left
    for value, words in x.ticks:
        place = left + round((room - 1) * x.percent(value) / 100) - columns(words) // 2
        if place > columns(line) or columns(line) == left:
            line = line.ljust(place) + words
    label = shown(plot.x_label)
    return f"{line}  {label}" if label else line
