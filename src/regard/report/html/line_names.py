"""Where the names of lines stand: beside their own line, on no other, in a wide and a narrow chart.

A chart is as wide as the page lets it be, and its letters are as large as ever. So each place is
tried in two widths.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regard.report.characters import columns
from regard.report.inline import shown
from regard.report.plot import Series
from regard.report.scales import Scale

_WIDTHS = (560.0, 250.0)  # of a chart in pixels: beside nothing on a desk, and on a phone
_HEIGHT = 208.0
_LETTER, _LINE = 7.4, 15.0  # of a name, in pixels
_NEAR = 5.0  # pixels between a name and its line
_LEVELS = (0.0, 10.0, 22.0, 36.0)  # pixels further away, where there is no room at the line
_PLACES = 32  # along a line
_SAMPLES = 120
_OVER, _FAR, _EARLY = 40.0, 1.0, 6.0  # what it costs: a line under it, each step away, to be left

Points = list[tuple[float, float]]  # of a line: percent across, and down from the top


@dataclass(frozen=True)
class Placed:
    """Where words stand: their middle in percent of the chart, and how far below it in pixels."""

    words: str
    x: float
    y: float
    down: float

    def box(self, width: float) -> tuple[float, float, float, float]:
        """Left, right, top and bottom in pixels, in a chart of a width."""
        half = _LETTER * columns(shown(self.words)) / 2
        x, y = self.x / 100 * width, self.y / 100 * _HEIGHT + self.down
        return x - half, x + half, y - _LINE / 2, y + _LINE / 2


def placed(
    series: Sequence[Series], x: Scale, y: Scale, taken: Sequence[Placed] = ()
) -> list[Placed]:
    """Return where the name of each line stands; words that are `taken` keep their place."""
    lines = [_sampled(one, x, y) for one in series]
    found: list[Placed] = []
    for one, line in zip(series, lines, strict=True):
        others = [*taken, *found]
        tried = _tried(one.name, line)
        found.append(min(tried, key=lambda at: _cost(at, line, lines, others)))
    return found


def _sampled(series: Series, x: Scale, y: Scale) -> Points:
    points = sorted(zip(map(float, series.x), series.y, strict=True))
    corners = [(x.percent(a), 100 - y.percent(b)) for a, b in points]
    places = [a for a, _ in corners]
    low, high = places[0], places[-1]
    return [(at, _height(corners, places, at))
            for at in (low + (high - low) * k / _SAMPLES for k in range(_SAMPLES + 1))]  # fmt: skip


def _height(corners: Points, places: Sequence[float], at: float) -> float:
    k = min(max(bisect_left(places, at), 1), len(places) - 1) if len(places) > 1 else 0
    (a, b), (c, d) = corners[k - 1], corners[k]
    return d if c <= a else b + (d - b) * min(1.0, max(0.0, (at - a) / (c - a)))


def _tried(words: str, line: Points) -> Iterator[Placed]:
    for k in range(_PLACES + 1):
        at, height = line[k * _SAMPLES // _PLACES]
        for level in _LEVELS:
            down = _LINE / 2 + _NEAR + level
            yield Placed(words, at, height, -down)
            yield Placed(words, at, height, down)


def _cost(at: Placed, own: Points, lines: Sequence[Points], taken: Sequence[Placed]) -> float:
    cost = abs(at.down) / _LEVELS[1] * _FAR + (100 - at.x) / 100 * _EARLY
    for width in _WIDTHS:
        left, right, top, bottom = at.box(width)
        outside = max(0.0, -left) + max(0.0, right - width) + max(0.0, -top)
        cost += _OVER * 4 * (outside > 0) + outside + max(0.0, bottom - _HEIGHT) * _OVER
        for line in lines:
            # Of its own line a name may have a little under it where that is steep.
            weight = _OVER / 4 if line is own else _OVER
            under = sum(
                left - 2 <= x / 100 * width <= right + 2 and top <= y / 100 * _HEIGHT <= bottom
                for x, y in line
            )
            cost += weight * min(under, 8) / 2
            if line is not own:
                cost += _OVER / 2 * _nearer(at, line, width)
        cost += sum(_OVER * 4 for other in taken if _meet(at.box(width), other.box(width)))
    return cost


def _nearer(at: Placed, line: Points, width: float) -> bool:
    """Whether a name is nearer to another line than to its own, and might be taken for its name."""
    middle = (at.x / 100 * width, at.y / 100 * _HEIGHT + at.down)
    near = (y for x, y in line if abs(x / 100 * width - middle[0]) <= _LINE)
    apart = min((abs(y / 100 * _HEIGHT - middle[1]) for y in near), default=_HEIGHT)
    return apart < abs(at.down)


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
