"""A picture of a trace: the weights as shades, the exact scores in the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.analysis.exact_trace.notation import TEXT, number
from regard.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.analysis.exact_trace.result import Trace

__all__ = ["plot_trace"]

MOST_WRITTEN = 12  # rows of a picture with numbers in its cells
LONGEST = 9  # characters of a score in a cell; longer ones are rounded
CELL = 0.75  # inches
_RAMP = ("#f4f3ef", "#0b62a4")  # the paper and the blue of reports


def plot_trace(trace: Trace) -> Figure:
    """Draw the weights, a row per query and a column per key. Nothing is shown or kept open."""
    from matplotlib.colors import LinearSegmentedColormap

    weights, n = trace.weights_float, trace.n
    side = min(2.4 + CELL * n, 9.0)
    figure = new_figure(side + 1.2, side)
    axes = figure.subplots()
    # By lightness alone: every kind of colour vision sees the order.
    ramp = LinearSegmentedColormap.from_list("regard", _RAMP)
    picture = axes.imshow(weights, cmap=ramp, vmin=0, vmax=1, interpolation="nearest")
    if n <= MOST_WRITTEN:
        for i in range(n):
            for j in trace.visible[i]:
                dark = weights[i, j] > 0.55
                axes.text(
                    j, i, _score(trace, i, j), ha="center", va="center", fontsize="small",
                    color="white" if dark else "black",
                )  # fmt: skip
        places = [str(i) for i in range(1, n + 1)]
        axes.set_xticks(range(n), places)
        axes.set_yticks(range(n), places)
        axes.set_title("weights, and in each cell the score", fontsize="medium")
    else:
        axes.set_title("weights", fontsize="medium")
    axes.set_xlabel("key j")
    axes.set_ylabel("query i")
    figure.colorbar(picture, ax=axes, label="weight")
    return figure


def _score(trace: Trace, i: int, j: int) -> str:
    text = number(trace.scores[i, j], TEXT)
    return text if len(text) <= LONGEST else f"{float(trace.scores[i, j]):.3g}"
