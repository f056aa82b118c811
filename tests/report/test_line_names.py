"""Names of lines on a page stand beside their own line: on no line, on no other name, inside."""

from __future__ import annotations

import math

import pytest

from regard.report import Plot, Series
from regard.report.html.line_names import Placed, placed
from regard.report.scales import across, up

X = tuple(k / 4 for k in range(81))
FALLS = Series("it falls", X, tuple(math.exp(-x / 3) for x in X))
RISES = Series("it rises", X, tuple(1 - math.exp(-x / 3) for x in X))
WAVES = Series("a wave", X, tuple(0.5 + 0.1 * math.sin(x) for x in X))


def boxes(width: float, names: list[Placed]) -> list[tuple[float, ...]]:
    return [name.box(width) for name in names]


@pytest.mark.parametrize("series", [(FALLS, RISES), (FALLS, RISES, WAVES), (RISES, WAVES)])
@pytest.mark.parametrize("width", [560.0, 250.0])
def test_names_are_on_no_line_and_on_no_other_name(
    series: tuple[Series, ...], width: float
) -> None:
    plot = Plot("lines", "", "x", "y", series)
    x, y = across(plot), up(plot)
    names = placed(series, x, y)
    assert [name.words for name in names] == [one.name for one in series]
    for i, (left, right, top, bottom) in enumerate(boxes(width, names)):
        assert left >= 0
        assert right <= width
        for one in series:
            for a, b in zip(one.x, one.y, strict=True):
                across_, down = x.percent(float(a)) / 100 * width, (100 - y.percent(b)) / 100 * 208
                assert not (left < across_ < right and top + 1 < down < bottom - 1)
        for other in boxes(width, names)[:i]:
            apart = left >= other[1] or other[0] >= right or top >= other[3] or other[2] >= bottom
            assert apart


def test_names_keep_away_from_words_that_stand_already() -> None:
    plot = Plot("lines", "", "x", "y", (FALLS, RISES))
    x, y = across(plot), up(plot)
    free = placed(plot.series, x, y)
    again = placed(plot.series, x, y, (free[0],))
    assert again[0] != free[0]
