"""Pictures of heads: maps of their weights, and of the two products that decide what they do.

Figures are built without pyplot: nothing is shown, registered or kept open. matplotlib is imported
when something is drawn.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError, ShapeError
from regard.figures import figure_svg, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[Any]

MOST_LABELS = 40  # tokens along an axis that are named
NUMBERED = 7  # tokens along an axis up to which each cell of a single map shows its number
ACROSS = 4  # maps side by side
MOST_HEADS = 8  # heads whose matrices a notebook shows
_WEIGHT = ("#fbfaf7", "#0b62a4")
_SIGNED = ("#c2410c", "#fbfaf7", "#0b62a4")


def weights_figure(
    function: str,
    weights: Array,
    tokens: Sequence[str] | None,
    context_tokens: Sequence[str] | None,
    *,
    own: bool,
) -> Figure:
    """Draw weights (n, n_context) as one map, or (n_heads, n, n_context) as one for each head.

    Args:
        function: the class, for messages.
        weights: what is drawn.
        tokens, context_tokens: names of rows and of columns, or None.
        own: whether the tokens attend to themselves: columns are then named as rows are.
    """
    if weights.ndim > (3 if function == "MultiHead" else 2):
        raise ShapeError(
            f"{function}.plot: x must have no batch axes. Got weights {weights.shape}. "
            f"Draw one of the batch: plot(x[0])."
        )
    maps = weights.reshape(-1, *weights.shape[-2:])
    rows = _names(function, "tokens", tokens, maps.shape[-2])
    if context_tokens is None and own:
        columns = rows
    else:
        columns = _names(function, "context_tokens", context_tokens, maps.shape[-1])
    across = min(len(maps), ACROSS)
    down = -(-len(maps) // across)
    side = 4.6 if len(maps) == 1 else 2.9
    figure = _figure(side * across, (side * 0.92) * down)
    for h, one in enumerate(maps):
        axes = figure.add_subplot(down, across, h + 1)
        _map(axes, one, (0.0, 1.0), _WEIGHT)
        _label(axes, rows, columns, first=h % across == 0)
        if weights.ndim == 3:
            axes.set_title(f"head {h}", fontsize=10, loc="left")
        if len(maps) == 1 and max(one.shape) <= NUMBERED:
            _number(axes, one)
    return figure


def matrices_picture(caption: str, A: Array, OV: Array) -> str:
    """Return A and OV of each head, (n_heads, …), as HTML that a notebook shows."""
    shown = min(len(A), MOST_HEADS)
    figure = _figure(1.1 + 1.9 * max(shown, 2), 3.9)
    for h in range(shown):
        rows = (("A", "key token", "query token"), ("OV", "token", "written"))
        for row, (matrix, (name, left, below)) in enumerate(zip((A[h], OV[h]), rows, strict=True)):
            axes = figure.add_subplot(2, max(shown, 2), row * max(shown, 2) + h + 1)
            finite = np.where(np.isfinite(matrix), matrix, 0)
            most = float(np.abs(finite).max(initial=0)) or 1.0
            _map(axes, finite, (-most, most), _SIGNED)
            axes.set_title(f"{name}, head {h}" if len(A) > 1 else name, fontsize=9, loc="left")
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_xlabel(below, fontsize=8)
            if h == 0:
                axes.set_ylabel(left, fontsize=8)
    more = f" The first {shown} of {len(A)} heads." if shown < len(A) else ""
    words = (
        "A = W_K W_Qᵀ says which key token a query token looks at, OV = W_V W_O what is written. "
        f"Blue is positive, orange negative, each map on its own scale.{more}"
    )
    return (
        f"<figure>{figure_svg(figure)}<figcaption><code>{html.escape(caption)}</code><br>"
        f"{words}</figcaption></figure>"
    )


def _names(function: str, argument: str, names: Sequence[str] | None, count: int) -> list[str]:
    if names is None:
        return [str(i) for i in range(count)]
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{function}.plot: {argument} must be a list of strings.")
    if len(names) != count:
        raise ParameterError(
            f"{function}.plot: {argument} must have a name for each of the {count} tokens. "
            f"Got {len(names)}."
        )
    return list(names)


def _figure(width: float, height: float) -> Figure:
    return new_figure(width, height)


def _map(axes: Axes, matrix: Array, ends: tuple[float, float], colours: tuple[str, ...]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("regard", colours)
    low, high = ends
    axes.imshow(matrix, cmap=ramp, vmin=low, vmax=high, interpolation="nearest", aspect="auto")
    axes.spines[:].set_color("#c9c6be")


def _label(axes: Axes, rows: list[str], columns: list[str], *, first: bool) -> None:
    # A name is text, also where it has a dollar in it.
    plain: Any = {"fontsize": 8, "parse_math": False}
    if len(columns) <= MOST_LABELS:
        turned = max(map(len, columns), default=0) * len(columns) > 24
        axes.set_xticks(range(len(columns)), columns, rotation=90 if turned else 0, **plain)
    if len(rows) <= MOST_LABELS:
        axes.set_yticks(range(len(rows)), rows if first else [""] * len(rows), **plain)
    axes.tick_params(length=0)
    axes.set_xlabel("attends to", fontsize=9)
    if first:
        axes.set_ylabel("token", fontsize=9)


def _number(axes: Axes, matrix: Array) -> None:
    for (i, j), weight in np.ndenumerate(matrix):
        colour = "white" if weight > 0.55 else "#1a1d21"
        axes.text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=8, color=colour)
