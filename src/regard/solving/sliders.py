"""Curves that a reader moves along: for each place, a sentence with the heights there."""

from __future__ import annotations

from regard.report import Plot, Slider, number
from regard.report.headline import marked
from regard.report.inline import shown
from regard.report.numbers import listing


def along(plot: Plot, near: float) -> Slider | Plot:
    """Return lines as a slider that starts near a place; the plot where that cannot be.

    The lines must share their places; those that do not stay a plot that stands still.
    """
    x = plot.series[0].x
    if any(series.x != x or isinstance(series.x[0], str) for series in plot.series):
        return plot
    places = [float(place) for place in x]
    if len(places) < 2 or places != sorted(set(places)):
        return plot
    at = min(range(len(places)), key=lambda i: abs(places[i] - near))
    return Slider(plot, at, tuple(_says(plot, i, place) for i, place in enumerate(places)))


def _says(plot: Plot, row: int, place: float) -> str:
    what = shown(plot.y_label).partition(",")[0] or "height"  # what is added explains the axis
    symbol = f"${plot.x_label}$" if len(plot.x_label) == 1 else plot.x_label
    if len(plot.series) == 1:
        said = f"{what} is {marked(number(plot.series[0].y[row], 3), 'query')}"
        return f"At {symbol} = {number(place, 3)} the {said}."
    each = [f"{number(s.y[row], 3)} ({shown(s.name)})" for s in plot.series]
    return f"At {symbol} = {number(place, 3)} the {what} is {listing(each)}."
