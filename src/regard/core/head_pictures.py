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
from regard.figures import new_figure, notebook_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[Any]

SHADES = 33  # of a map: few are smaller to store, and an odd number has one for 0
MOST_LABELS = 40  # tokens along an axis that are named
NUMBERED = 7  # tokens along an axis up to which each cell of a single map shows its number
ACROSS = 4  # maps side by side
MOST_HEADS = 8  # heads whose matrices a notebook shows
MOST_CELLS = 48  # rows and columns of a matrix that it shows
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
    titles = [f"head {h}" for h in range(len(maps))] if weights.ndim == 3 else [""]
    return weight_maps(maps, titles, rows, columns)


def weight_maps(
    maps: Sequence[Array] | Array,
    titles: Sequence[str],
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Figure:
    """Draw weights (n, n_context) side by side, each below its title.

    Args:
        maps: the weights.
        titles: of the maps; "" is none.
        rows, columns: names of the tokens; None numbers some of them.
    """
    across = min(len(maps), ACROSS)
    down = -(-len(maps) // across)
    side = 4.6 if len(maps) == 1 else 2.9
    figure = new_figure(side * across, (side * 0.92) * down)
    for h, (one, title) in enumerate(zip(maps, titles, strict=True)):
        axes = figure.add_subplot(down, across, h + 1)
        _map(axes, one, (0.0, 1.0), _WEIGHT)
        _label(axes, rows, columns, first=h % across == 0)
        axes.set_title(title, fontsize=10, loc="left")
        if len(maps) == 1 and max(one.shape) <= NUMBERED:
            _number(axes, one)
    return figure


def matrices_picture(caption: str, A: Array, OV: Array) -> str:
    """Return A and OV of each head, (n_heads, …), as HTML that a notebook shows."""
    shown = min(len(A), MOST_HEADS)
    said = (("A", "key token", "query token"), ("OV", "token", "written"))
    # One head: A beside OV. More: a row of A above a row of OV, four heads at a time.
    across = 2 if shown == 1 else min(shown, ACROSS)
    down = 1 if shown == 1 else 2 * -(-shown // across)
    figure = new_figure((2.9 if shown == 1 else 1.95) * across + 0.4, 2.0 * down + 0.2)
    for h in range(shown):
        for row, (matrix, (name, left, below)) in enumerate(zip((A[h], OV[h]), said, strict=True)):
            place = row if shown == 1 else (2 * (h // across) + row) * across + h % across
            axes = figure.add_subplot(down, across, place + 1)
            cells = _fewer(np.where(np.isfinite(matrix), matrix, 0))
            most = float(np.abs(cells).max(initial=0)) or 1.0
            _map(axes, cells, (-most, most), _SIGNED)
            axes.set_title(f"{name}, head {h}" if len(A) > 1 else name, fontsize=9, loc="left")
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_xlabel(below, fontsize=8)
            if h % across == 0:
                axes.set_ylabel(left, fontsize=8)
    words = (
        "A = W_K W_Qᵀ says which key token a query token looks at, OV = W_V W_O what is written. "
        "Blue is positive, orange negative, each map on its own scale."
    )
    if max(*A.shape[1:], *OV.shape[1:]) > MOST_CELLS:
        words += " A cell is the largest entry in its part of a matrix, by size."
    if shown < len(A):
        words += f" The first {shown} of {len(A)} heads."
    return notebook_figure(figure, caption, f"<code>{html.escape(caption)}</code><br>{words}")


def _fewer(matrix: Array) -> Array:
    """Return a matrix of at most MOST_CELLS rows and columns: of each block the largest entry."""
    for axis, size in enumerate(matrix.shape):
        starts = np.arange(0, size, -(-size // MOST_CELLS) or 1)
        if size > MOST_CELLS:
            high = np.maximum.reduceat(matrix, starts, axis=axis)
            low = np.minimum.reduceat(matrix, starts, axis=axis)
            matrix = np.where(high >= -low, high, low)
    return matrix


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


def _map(axes: Axes, matrix: Array, ends: tuple[float, float], colours: tuple[str, ...]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("regard", colours, N=SHADES)
    low, high = ends
    axes.imshow(matrix, cmap=ramp, vmin=low, vmax=high, interpolation="none", aspect="auto")
    axes.spines[:].set_color("#c9c6be")


def _label(
    axes: Axes, rows: Sequence[str] | None, columns: Sequence[str] | None, *, first: bool
) -> None:
    # A name is text, also where it has a dollar in it.
    plain: Any = {"fontsize": 8, "parse_math": False}
    if columns is None:
        axes.locator_params(axis="x", integer=True)
    elif len(columns) <= MOST_LABELS:
        turned = max(map(len, columns), default=0) * len(columns) > 24
        axes.set_xticks(range(len(columns)), columns, rotation=90 if turned else 0, **plain)
    if rows is None:
        axes.locator_params(axis="y", integer=True)
        axes.tick_params(labelleft=first)
    elif len(rows) <= MOST_LABELS:
        axes.set_yticks(range(len(rows)), rows if first else [""] * len(rows), **plain)
    axes.tick_params(length=0, labelsize=8)
    axes.set_xlabel("attends to", fontsize=9)
    if first:
        axes.set_ylabel("token", fontsize=9)


def _number(axes: Axes, matrix: Array) -> None:
    for (i, j), weight in np.ndenumerate(matrix):
        colour = "white" if weight > 0.55 else "#1a1d21"
        axes.text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=8, color=colour)
