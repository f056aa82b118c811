"""Pictures of positions: embeddings, kernels, attention maps, the law of the interference.

Each function returns a matplotlib Figure and shows nothing; matplotlib is imported when one
is called. Colours can be told apart without seeing red and green.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.positions.interference import Interference
from regard.analysis.positions.positional_kernel import PositionalKernel
from regard.core.positions import sinusoidal
from regard.figures import new_figure
from regard.shapes import integer, real
from regard.shapes.goals import read_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_attention", "plot_embedding", "plot_interference", "plot_kernel"]

Array = NDArray[np.float64]

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#666666"  # of Okabe and Ito, and a neutral


def plot_embedding(
    n: int, d_model: int | None = None, *, base: float = 10000.0, table: Any = None
) -> Figure:
    """Draw positions as a heatmap: rows are positions, columns entries.

    Args:
        n: how many positions.
        d_model: their width, for sinusoidal ones.
        base: of the frequencies.
        table: (n, d), learned positions in place of the sinusoidal ones.
    """
    function = "plot_embedding"
    n = integer(function, "n", n, minimum=1)
    if table is None:
        rows = sinusoidal(n, integer(function, "d_model", d_model, minimum=2), base)
        title = "Sinusoidal positions: fast on the left, slow on the right"
    else:
        rows = read_rows(function, "table", table, "(n, d)")[:n]
        title = "Learned positions"
    figure, axes = _figure(7.0, 4.2)
    most = float(np.max(np.abs(rows))) or 1.0
    picture = axes.imshow(
        rows, aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most, interpolation="nearest"
    )
    axes.set_xlabel("entry of the embedding")
    axes.set_ylabel("position t")
    axes.set_title(title)
    figure.colorbar(picture, ax=axes, label="value")
    return figure


def plot_kernel(kernel: PositionalKernel, *, around: int | None = None) -> Figure:
    """Draw f over the shifts t − τ, with T and the window T ± B/2.

    Args:
        kernel: what `positional_kernel` returned.
        around: shifts up to this far from T; None fits the window.
    """
    function = "plot_kernel"
    T, B = kernel.T or 0, kernel.B or 0  # f can be looked at where there is nothing to read
    fitting = max(16, 3 * B, min(2 * abs(T), 4 * B + 64))
    wide = fitting if around is None else integer(function, "around", around, minimum=1)
    shifts = np.arange(max(T - wide, -kernel.n + 1), min(T + wide, kernel.n - 1) + 1)
    f = kernel.f(shifts)
    figure, axes = _figure(7.0, 3.8)
    if np.min(f) < 0 < np.max(f):
        axes.axhline(0, color=GREY, lw=0.6)
    few = len(shifts) <= 120
    axes.plot(shifts, f, color=BLUE, lw=1.2, marker="o" if few else None, ms=3)
    if kernel.is_positional:
        _mark_window(axes, T, B, kernel.f(T))
    axes.margins(x=0.01, y=0.14)
    axes.set_xlabel("shift t − τ (query position minus key position)")
    axes.set_ylabel("score f(t − τ)")
    share = f"{100 * kernel.toeplitz_share:.3g} % of the head is shift-invariant"
    kind = "Positional kernel" if kernel.is_positional else "Not a positional head"
    axes.set_title(f"{kind}: {share}")
    return figure


def _mark_window(axes: Any, T: int, B: int, highest: float) -> None:
    """Mark T and shade T ± B/2."""
    half = B / 2
    edge = math.floor(half) + 0.5  # halfway to the first shift outside
    axes.axvspan(T - edge, T + edge, color=ORANGE, alpha=0.18, lw=0, zorder=0)
    axes.plot([T], [highest], "o", color=ORANGE, ms=7, zorder=3)
    axes.annotate(
        f"T = {T}" + (f", window T ± {half:g}" if B else ""),
        (T, highest),
        xytext=(0, 9),
        textcoords="offset points",
        ha="center",
        color=ORANGE,
    )


def plot_attention(
    kernel: PositionalKernel | Callable[[Array], Array],
    n: int,
    *,
    scale: float = 1.0,
    causal: bool = False,
) -> Figure:
    """Draw the attention map of a head that sees positions only.

    Args:
        kernel: a kernel, or any function of t − τ.
        n: how many positions.
        scale: multiplies the scores.
        causal: token t attends to τ ≤ t only.
    """
    function = "plot_attention"
    n = integer(function, "n", n, minimum=1)
    scale = real(function, "scale", scale)
    f = kernel.f if isinstance(kernel, PositionalKernel) else kernel
    by_shift = scale * np.asarray(f(np.arange(-(n - 1), n).astype(np.float64)), dtype=np.float64)
    t = np.arange(n)
    scores = by_shift[t[:, None] - t[None, :] + n - 1]
    if causal:
        scores = np.where(t[None, :] > t[:, None], -np.inf, scores)
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights /= np.sum(weights, axis=1, keepdims=True)
    figure, axes = _figure(5.6, 4.8)
    picture = axes.imshow(weights, cmap="viridis", vmin=0, interpolation="nearest")
    axes.set_xlabel("key position τ")
    axes.set_ylabel("query position t")
    axes.set_title("Attention by position alone")
    figure.colorbar(picture, ax=axes, label="weight")
    return figure


def plot_interference(found: Interference, *, points: int = 300) -> Figure:
    """Draw the exact law of the inner product, and a normal law with the moments of the hint.

    Args:
        found: what `interference` returned for uniform times or a known shift.
        points: how many values of the density are drawn.
    """
    count = integer("plot_interference", "points", points, minimum=2)
    hint = 1.0, 5 * found.d_model / 4
    spans = [(found.mean, found.scale), (hint[0], math.sqrt(hint[1]))]
    x = np.linspace(min(m - 4 * s for m, s in spans), max(m + 4 * s for m, s in spans), count)
    figure, axes = _figure(7.0, 3.8)
    density = found.density(x)
    axes.fill_between(x, density, color=BLUE, alpha=0.18, lw=0)
    axes.plot(x, density, color=BLUE, lw=1.5, label=f"{found.content}, {found.times}")
    normal = np.exp(-((x - hint[0]) ** 2) / (2 * hint[1])) / math.sqrt(2 * math.pi * hint[1])
    axes.plot(x, normal, color=ORANGE, lw=1.2, ls="--", label="normal, mean 1, variance 5 d/4")
    axes.vlines(found.mean, 0, found.density(found.mean), color=BLUE, lw=0.8, ls=":")
    axes.set_ylim(0, None)
    axes.margins(x=0)
    axes.set_xlabel("inner product of k + e_τ and q + e_t, k = q")
    axes.set_ylabel("density")
    moments = f"mean {found.mean:.4g}, variance {found.variance:.4g}"
    axes.set_title(f"Position against content, d = {found.d_model}: {moments}")
    axes.legend(frameon=False)
    return figure


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    """Make a figure with one set of axes, outside pyplot, so that no window ever opens."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = new_figure(width, height)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
