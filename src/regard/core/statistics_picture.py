"""What the statistics of attention look like: how many keys each query looks at, and how sharply.

matplotlib is imported when something is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import take
from regard.errors import ParameterError
from regard.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regard.core.statistics import AttentionStatistics

MOST_LINES = 6  # beyond them, the mean and all there is around it
MARKED = 40  # places up to which each has a mark
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1, 3, 1)))


def statistics_figure(found: AttentionStatistics) -> Figure:
    """Draw e^entropy and the largest weight of each query, and what each key receives."""
    panels = {
        "keys looked at, e^entropy": ("query", np.exp(_numbers(found, "entropy"))),
        "largest weight": ("query", _numbers(found, "peak")),
    }
    if found.received is not None:
        panels["weight received, from all queries"] = "key", _numbers(found, "received")
    if any(0 in values.shape for _, values in panels.values()):
        raise ParameterError("AttentionStatistics.plot: there is no query to be drawn.")
    figure = new_figure(3.4 * len(panels), 2.8)
    for place, (title, (across, values)) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), place + 1)
        _lines(axes, values)
        axes.set_title(title, fontsize=10, loc="left")
        axes.set_xlabel(across, fontsize=9)
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="x", integer=True)
        axes.spines[["top", "right"]].set_visible(False)
    if figure.axes[0].get_legend_handles_labels()[1]:
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=6, fontsize=8, frameon=False
        )
    return figure


def _numbers(found: AttentionStatistics, name: str) -> NDArray[np.float64]:
    array = take("AttentionStatistics.plot", name, getattr(found, name)).array
    return np.asarray(array, dtype=np.float64)


def _lines(axes: Axes, values: NDArray[np.float64]) -> None:
    """Draw (..., places): a line for each of few rows, the mean and the range of many."""
    rows = values.reshape(-1, values.shape[-1])
    places = np.arange(rows.shape[1])
    look: dict[str, Any] = {"marker": "o" if len(places) <= MARKED else None, "markersize": 3}
    if len(rows) <= MOST_LINES:
        for index, row, colour, dash in zip(
            np.ndindex(values.shape[:-1]), rows, COLOURS, DASHES, strict=False
        ):
            name = f"[{', '.join(map(str, index))}]" if index else None
            axes.plot(places, row, color=colour, linestyle=dash, label=name, **look)
        return
    mean, low, high = rows.mean(axis=0), rows.min(axis=0), rows.max(axis=0)
    axes.fill_between(places, low, high, color=COLOURS[0], alpha=0.2, linewidth=0, label="range")
    axes.plot(places, mean, color=COLOURS[0], label=f"mean of {len(rows)}", **look)
