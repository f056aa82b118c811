"""What the size of the blocks does: a curve to move along, with the weights around the shift."""

from __future__ import annotations

import numpy as np

from regard.kinds.offset.rivals import least_weight
from regard.kinds.offset.solve import Rotation
from regard.report import Plot, Series, Slider
from regard.report.headline import marked
from regard.report.numbers import on_its_side, rounded_up, share

POINTS = 41  # of the curve
AROUND = 2  # shifts on either side whose weights are shown


def size_slider(found: Rotation) -> Slider:
    """Return the weight that other keys keep, for blocks of size 0 to twice that of the answer.

    Beside it stand the weights of one query, whose key has keys on both sides: those that
    softmax gives to all n keys.
    """
    n, T = found.given.n, found.given.T
    rows = tuple(sorted({*np.linspace(0, 2 * found.size, POINTS).tolist(), float(found.size)}))
    left = tuple(float(1 - least_weight(found.rise, size)) for size in rows)
    query = max(T, 0) + (n - abs(T)) // 2
    shifts = [T + u for u in range(AROUND, -AROUND - 1, -1) if 0 <= query - T - u < n]
    scores = found.scores_at(query - np.arange(n, dtype=float), T)
    bars = []
    for size in rows:
        weights = np.exp(size * (scores - scores.max()))
        weights /= weights.sum()
        bars.append(tuple(float(weights[query - shift]) for shift in shifts))
    tolerance = found.tolerance
    plot = Plot(
        "lines",
        "The larger the blocks, the sharper the head",
        "C",
        "leak: what other keys keep at most",
        (Series("leak", rows, left),),
        y_scale="log" if min(left) > 0 else "linear",
        y_unit="share",
    )
    return Slider(
        plot,
        rows.index(float(found.size)),
        tuple(_says(found, size, leak) for size, leak in zip(rows, left, strict=True)),
        tuple(f"${_place(shift)}$" for shift in shifts),
        tuple(bars),
        tuple(float(shift == T) for shift in shifts),
        (tolerance, f"{share(tolerance)} allowed"),
        (found.size, f"enough, from {rounded_up(found.size)} on"),
    )


def _says(found: Rotation, size: float, leak: float) -> str:
    # The answer's own size reaches the tolerance to the last digits, which rounding may pass.
    verdict = "enough" if leak <= found.tolerance * (1 + 1e-9) else "too much"
    return (
        f"At $C$ = {on_its_side(size, found.size)} the keys that are not $T$ steps back keep at "
        f"most {marked(share(leak), 'query')} of the weight: {verdict}."
    )


def _place(shift: int) -> str:
    return "t" if shift == 0 else f"t {'-' if shift > 0 else '+'} {abs(shift)}"
