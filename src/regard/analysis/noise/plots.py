"""Pictures of laws under key noise: the cloud of outputs, and the law of the weights.

Figures are built without pyplot: nothing is shown, registered or kept open. matplotlib is imported
when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError
from regard.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regard.analysis.noise.output_law import OutputLaw
    from regard.analysis.noise.stability_result import Stability

__all__ = ["plot_law", "plot_stability"]

Array = NDArray[np.float64]

POINTS = 20_000  # behind a law of weights
DOTS = 700  # of them drawn in a cloud
THIN = 0.02  # of the main spread: a cloud no thicker is a line
GRID = 513  # where a law of weights is drawn
BINS = 50  # of a cloud with one direction
MOST_LINES = 6  # in one panel
# Okabe and Ito's colours, told apart with any kind of colour vision; dashes tell lines apart
# without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1, 3, 1)))
DARK = "#333333"


def plot_law(law: OutputLaw) -> Figure:
    """Draw the outputs along their two principal directions, and each head's largest weight."""
    if law.scores.batch:
        raise ParameterError(
            f"OutputLaw.plot: this is the law of a batch {law.scores.batch}. "
            f"Draw one problem at a time."
        )
    figure = _figure(7.2, 3.8)
    cloud, below = figure.subplots(1, 2)
    with one_blas_thread():
        weights, chances, outputs = _points(law)
        axes = _directions(law.covariance)
        _cloud(cloud, outputs, chances, axes, law.mean, law.method == "limit")
        main = np.argmax(np.einsum("p,phn->hn", chances, weights), axis=1)
        rows = [weights[:, h, key] for h, key in enumerate(main)]
    _square([cloud], axes)
    several = len(main) > 1
    names = [
        f"head {h}, key {key}" if several else f"weight of key {key}" for h, key in enumerate(main)
    ]
    _weight_laws(below, rows, chances, names)
    cloud.set_title("outputs", fontsize="medium")
    below.set_title("largest weight" + " of each head" * several, fontsize="medium")
    _legend(figure, [cloud, below])
    return figure


def plot_stability(result: Stability) -> Figure:
    """Draw for every design its outputs around the target, and its weights on the target's keys."""
    count = len(result.designs)
    figure = _figure(max(6.0, 2.9 * count), 6.4)
    panels = figure.subplots(2, count, squeeze=False, sharey="row")
    wanted = np.flatnonzero(result.target)[:MOST_LINES]
    names = [f"weight of key {key}" for key in wanted]
    with one_blas_thread():
        # All clouds are seen from the same side: where the outputs miss the target most.
        away = [design.law.mean - result.output for design in result.designs]
        missed = sum(
            design.law.covariance + np.outer(a, a)
            for design, a in zip(result.designs, away, strict=True)
        )
        axes = _directions(np.asarray(missed))
        for (cloud, below), design, a in zip(panels.T, result.designs, away, strict=True):
            weights, chances, outputs = _points(design.law)
            moved = outputs - result.output
            _cloud(cloud, moved, chances, axes, a, design.law.method == "limit")
            _goal(cloud, result.tolerance, axes)
            cloud.set_title(f"{design.name}\nRMSE {design.rmse:.3g}", fontsize="medium")
            total = np.einsum("h,phn->np", design.head_weights, weights)
            _weight_laws(below, list(total[wanted]), chances, names)
            for share in np.unique(result.target[wanted]):
                below.axvline(share, color=DARK, linewidth=0.8, linestyle=":", label="wanted")
            below.set_xlabel("weight in the output")
    _square(list(panels[0]), axes)
    for panel in panels[:, 1:].ravel():
        panel.set_ylabel("")
    _legend(figure, [panels[0, 0], panels[1, 0]])
    return figure


def _figure(width: float, height: float) -> Figure:
    return new_figure(width, height)


def _points(law: OutputLaw) -> tuple[Array, Array, Array]:
    """Weights (points, H, n), their chances, and the outputs (points, d_v)."""
    from regard.analysis.noise.failure import weight_points

    weights, chances = weight_points(law, POINTS, np.random.default_rng(0))
    return weights, chances, np.einsum("phn,hnv->pv", weights, law.mixing)


def _directions(matrix: Array) -> Array:
    """The two main directions (2, d_v) of a covariance, or the one that nearly all of it has."""
    sizes, vectors = np.linalg.eigh(matrix)
    line = len(sizes) > 1 and sizes[-2] <= THIN**2 * sizes[-1]
    main = vectors[:, ::-1][:, : 1 if line else 2].T
    # Of a direction and its opposite the one with its largest entry positive.
    largest = np.take_along_axis(main, np.argmax(np.abs(main), axis=1)[:, None], axis=1)
    return np.asarray(main * np.where(largest < 0, -1.0, 1.0))


def _cloud(
    panel: Axes, outputs: Array, chances: Array, axes: Array, mean: Array, atoms: bool
) -> None:
    """Points along two directions; with one direction only, their histogram."""
    seen, centre = outputs @ axes.T, mean @ axes.T
    if len(axes) == 1:
        values, edges = np.histogram(seen[:, 0], BINS, weights=chances)
        panel.stairs(values, edges, fill=True, color=COLOURS[0], alpha=0.6, label="outputs")
        panel.axvline(centre[0], color=DARK, linestyle="--", label="mean")
        panel.set_xlabel("output" if axes.shape[1] == 1 else "along the principal direction")
        panel.set_ylabel("probability")
        return
    x, y = seen[:DOTS].T
    if atoms:  # of a limit, the area of a disc is the chance of the atom
        sizes = 10 + 400 * chances[:DOTS]
        panel.scatter(x, y, s=sizes, color=COLOURS[0], alpha=0.6, linewidths=0, label="outputs")
    else:  # markers of one size: the picture holds their shape once, and not for each
        panel.plot(x, y, "o", color=COLOURS[0], alpha=0.35, markersize=2.45, markeredgewidth=0.0)
        panel.plot([], [], "o", color=COLOURS[0], markersize=4, label="outputs")
    panel.plot(*centre[:, None], "x", color=DARK, markersize=8, markeredgewidth=2, label="mean")
    panel.set_xlabel("first principal direction")
    panel.set_ylabel("second principal direction")
    panel.set_aspect("equal", adjustable="box")


def _square(panels: Sequence[Axes], axes: Array) -> None:
    """Give clouds the same square limits around all they show: distances can be compared."""
    if len(axes) == 1:
        return
    x = np.array([panel.get_xlim() for panel in panels])
    y = np.array([panel.get_ylim() for panel in panels])
    half = 0.55 * max(np.ptp(x), np.ptp(y))
    for panel in panels:
        for span, limit in ((x, panel.set_xlim), (y, panel.set_ylim)):
            middle = 0.5 * (np.min(span) + np.max(span))
            limit(middle - half, middle + half)


def _goal(panel: Axes, tolerance: float, axes: Array) -> None:
    """The target, which is the origin, and the outputs that are near enough."""
    near = "within tolerance"
    if len(axes) == 1:
        panel.axvline(0.0, color=COLOURS[1], label="target")
        panel.axvspan(-tolerance, tolerance, color=COLOURS[1], alpha=0.15, label=near)
        panel.set_xlabel("output − target")
        return
    angle = np.linspace(0, 2 * np.pi, 181)
    ring = tolerance * np.array([np.cos(angle), np.sin(angle)])
    panel.plot(0, 0, "+", color=COLOURS[1], markersize=11, markeredgewidth=2, label="target")
    panel.plot(*ring, color=COLOURS[1], linestyle="--", linewidth=1, label=near)


def _weight_laws(panel: Axes, rows: Sequence[Array], chances: Array, names: Sequence[str]) -> None:
    """P(weight ≤ x): an atom is a step of its chance, so that spread and certainty fit together."""
    for place, (row, name) in enumerate(zip(rows[:MOST_LINES], names, strict=False)):
        x = np.linspace(min(-0.02, float(np.min(row))), max(1.02, float(np.max(row))), GRID)
        order = np.argsort(row)
        total = np.concatenate([[0.0], np.cumsum(chances[order])])
        below = total[np.searchsorted(row[order], x, side="right")]
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
        panel.plot(x, below, color=colour, linestyle=dash, label=name, drawstyle="steps-post")
    panel.set_ylim(-0.03, 1.03)
    panel.set_xlabel("weight")
    panel.set_ylabel("probability to stay below")


def _legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend below all panels, where it hides nothing."""
    from matplotlib.collections import PathCollection

    named = {}
    for panel in panels:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            named[name] = handle
    legend = figure.legend(
        named.values(), named.keys(), loc="outside lower center", ncols=4, fontsize="small"
    )
    legend.set_frame_on(False)
    for shown in legend.legend_handles:
        if isinstance(shown, PathCollection):  # dots as faint as in a cloud could not be seen
            shown.set(alpha=1.0, sizes=[20.0])
