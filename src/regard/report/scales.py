"""The axes of lines, linear or logarithmic: places in percent, round numbers with their words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regard.report.numbers import number, share
from regard.report.plot import Plot
from regard.report.ticks import axis

_DECADES = 8  # of a log axis


@dataclass(frozen=True)
class Scale:
    """Percent along an axis, and its ticks with their words."""

    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    def percent(self, value: float) -> float:
        """Return how far along a value is, 0 to 100."""
        if self.log:
            value = math.log10(value) if value > 0 else self.low
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 3)


def across(plot: Plot) -> Scale:
    """Return the horizontal axis of lines, whose places are numbers."""
    places = [float(x) for series in plot.series for x in series.x]
    low, high = min(places), max(places)
    begin, end, marks = axis(low, high)
    if not low < high:
        low, high = begin, end
    return Scale(low, high, False, tuple((x, _tick(x)) for x in marks if low <= x <= high))


def up(plot: Plot, *more: float) -> Scale:
    """Return the vertical axis, which holds `more` as well."""
    heights = [y for series in plot.series for y in series.y] + list(more)
    low, high = min(heights), max(heights)
    if plot.y_scale == "linear":
        begin, end, marks = axis(low, high)
        words = share if plot.y_unit == "share" else _tick
        return Scale(begin, end, False, tuple((x, words(x)) for x in marks))
    top = math.ceil(math.log10(high))
    foot = min(top - 1, max(math.floor(math.log10(low)), top - _DECADES))
    step = 1 if top - foot <= 6 else 2
    marks_ = range(foot, top + 1, step)
    power = _percent if plot.y_unit == "share" else _power
    return Scale(foot, top, True, tuple((10.0**x, power(x)) for x in marks_))


def _tick(x: float) -> str:
    return number(x, 4).replace("-", "−")


def _power(exponent: int) -> str:
    if -4 <= exponent <= 3:
        return number(10.0**exponent, 1)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}"


def _percent(exponent: int) -> str:
    """Return a power of ten as percent: 0.001 % and not < 0.01 %, as it marks a place."""
    return f"{_power(exponent + 2)}\u202f%"
