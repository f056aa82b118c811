"""Curves that a reader moves along: for each place, a sentence with the heights there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.problems.instances import Float64
from regard.problems.keys import Keys
from regard.report import Plot, Slider, number
from regard.report.headline import marked
from regard.report.inline import shown
from regard.report.numbers import listing, short
from regard.solving.key_tables import key_name, shown_rows, symbol


@dataclass(frozen=True)
class MeanWeights:
    """The mean weights of random keys, for each place of a curve.

    Attributes:
        labels: of the keys.
        rows: a weight for each key, place by place.
        wanted: the weight that is wanted for each key, or ().
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    wanted: tuple[float, ...] = ()

    @classmethod
    def of(
        cls, given: Keys, weights: Float64, wanted: Float64 | None = None, prefix: str = "k"
    ) -> MeanWeights:
        """Return the weights (places, n) of the keys that a table of the last place shows."""
        last = weights[-1]
        shown = shown_rows(np.zeros(len(last)) if wanted is None else wanted, last)
        labels = tuple(f"${symbol(key_name(given, i, prefix))}$" for i in shown)
        rows = tuple(tuple(row) for row in weights[:, shown].tolist())
        return cls(labels, rows, () if wanted is None else tuple(wanted[shown].tolist()))


def along(
    plot: Plot,
    near: float,
    weights: MeanWeights | None = None,
    limit: tuple[float, str] | None = None,
) -> Slider | Plot:
    """Return lines as a slider that starts near a place; the plot where that cannot be.

    The lines must share their places; those that do not stay a plot that stands still. Beside it
    stand mean weights, and in it a height that is allowed, where these are given.
    """
    x = plot.series[0].x
    if any(series.x != x or isinstance(series.x[0], str) for series in plot.series):
        return plot
    places = [float(place) for place in x]
    if len(places) < 2 or places != sorted(set(places)):
        return plot
    at = min(range(len(places)), key=lambda i: abs(places[i] - near))
    says = tuple(_says(plot, i, place) for i, place in enumerate(places))
    if weights is None:
        return Slider(plot, at, says, limit=limit)
    beside = (weights.labels, weights.rows, weights.wanted)
    return Slider(plot, at, says, *beside, limit=limit, mean=True)


def _says(plot: Plot, row: int, place: float) -> str:
    what = shown(plot.y_label).partition(",")[0] or "height"  # what is added explains the axis
    symbol = f"${plot.x_label}$" if len(plot.x_label) == 1 else plot.x_label
    if len(plot.series) == 1:
        said = f"{what} is {marked(short(plot.series[0].y[row]), 'query')}"
        return f"At {symbol} = {number(place, 3)} the {said}."
    each = [f"{short(s.y[row])} ({shown(s.name)})" for s in plot.series]
    return f"At {symbol} = {number(place, 3)} the {what} is {listing(each)}."
