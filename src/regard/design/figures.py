"""What designs look like: weights, patterns of attention, matrices, kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regard.design.linear_scores.family import Array
from regard.report import Plot, Series, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 24  # rows and columns that a figure shows
BARS = 12  # keys whose weights a figure shows, where not more are wanted
OTHERS = 4  # of them that are not wanted
AROUND = 40  # shifts on either side of the one that a positional head looks at


def weights_figure(weights: Array, target: dict[int, float]) -> Figure:
    """Draw the weights of keys beside those wanted: the largest of them, if there are many."""
    important = sorted(target) + [
        int(i) for i in np.argsort(-weights, kind="stable") if int(i) not in target
    ]
    shown = sorted(important[: max(len(target), min(BARS, len(target) + OTHERS))])
    label = "key" if len(shown) == len(weights) else f"{len(shown)} of {len(weights)} keys"
    names = tuple(f"key {i}" for i in shown)
    series = (
        Series("wanted", names, tuple(float(target.get(i, 0.0)) for i in shown)),
        Series("given", names, tuple(float(weights[i]) for i in shown)),
    )
    return draw(Plot("bars", "Weights of the keys", label, "weight", series))


def pattern_figure(weights: Array) -> Figure:
    """Draw where each token looks."""
    few = weights[:MOST, :MOST]
    rows = tuple(tuple(float(x) for x in row) for row in few)
    labels = tuple(f"row {i}" for i in range(few.shape[0]))
    tokens = tuple(f"token {j}" for j in range(few.shape[1]))
    return draw(
        Plot(
            "heatmap",
            "Attention weights",
            "attends to",
            "token",
            rows=rows,
            row_labels=labels,
            column_labels=tokens,
        )
    )


def matrix_figure(name: str, matrix: Array) -> Figure:
    """Draw the entries of a matrix."""
    few = matrix[:MOST, :MOST]
    return draw(
        Plot(
            "heatmap",
            name,
            "column",
            "row",
            rows=tuple(tuple(float(x) for x in row) for row in few),
            row_labels=tuple(str(i) for i in range(few.shape[0])),
            column_labels=tuple(str(j) for j in range(few.shape[1])),
        )
    )


def kernel_figure(kernel: object, T: int, B: float, n: int) -> Figure:
    """Draw the score of a positional head against the shift t − τ, with its window."""
    around, half = max(AROUND, round(B)), int(B // 2)

    def series(name: str, reach: int) -> Series:
        shifts = np.arange(max(1 - n, T - reach), min(n - 1, T + reach) + 1)
        scores = kernel(shifts)  # type: ignore[operator]
        return Series(name, tuple(float(x) for x in shifts), tuple(float(y) for y in scores))

    window = f"T ± {half}" if half else f"T = {T}"
    lines = series("every shift", around), series(window, half)
    return draw(Plot("lines", f"Score against the shift; T = {T}", "t − τ", "score", lines))
