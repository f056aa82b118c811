"""A small map of each head, and its kernel with the window around T, for the page.

Pages load no images, so a map is one SVG path for each of a few shades, runs of cells as one line.
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.models.inspection import HeadReading, Inspection
from regard.models.labels import MAJORITY

__all__ = ["by_shift", "gallery", "shade_paths"]

Array = NDArray[Any]

MOST_HEADS = 144
CELLS = 24  # positions of a map, the first ones
SHADES = 5
AROUND = 12  # shifts of a kernel on either side; a causal head has twice as many behind
_GRID = (
    "display:grid;grid-template-columns:repeat(auto-fill,minmax(8.25rem,1fr));"
    "gap:1.125rem 1rem;list-style:none;margin:.75rem 0 0;padding:0"
)
_NOTE = "color:var(--soft);font-size:.8125rem;line-height:1.35;margin:.25rem 0 0"
_NAME = "font-size:.9375rem;margin:0 0 .375rem;font-variant-numeric:tabular-nums"


def gallery(found: Inspection) -> str:
    """Return a section of HTML, striking heads first, whose words are escaped."""
    shown = found.striking[:MOST_HEADS]
    cells = min(CELLS, found.tokens or found.n)
    left = len(found.heads) - len(shown)
    about = (
        f"{'On tokens' if found.tokens else 'By position alone, from weights'}: rows are queries, "
        f"columns keys, positions 0 to {cells - 1}; the stronger the colour, the more weight. "
        f"After a label stands the mean weight that it rests on. "
        f"Below, the {'' if found.tokens else 'geometric '}mean weight at each shift t − τ, the "
        f"largest written out: the line marks 0, and orange is T, with its window of B + 1 shifts, "
        f"where most rows point there."
    )
    if not found.tokens and any(one.extrapolated for one in shown):
        about += " Past layer 0 this is an extrapolation."
    about += f" {left} more heads are in the JSON." if left else ""
    items = "\n".join(_item(one, cells, found.n) for one in shown)
    return (
        f'<section class="regard-row">\n<h2>A map of each head</h2>\n<div>\n'
        f'<p style="{_NOTE}">{escape(about)}</p>\n<ul style="{_GRID}">\n{items}\n</ul>\n'
        f"</div>\n</section>"
    )


def _item(one: HeadReading, cells: int, n: int) -> str:
    strength = f" {one.strength:.2f}" if one.strength else ""
    label = escape(one.label.replace("-", "−"))
    seen = one.seen_pattern is not None
    pattern = one.seen_pattern if one.seen_pattern is not None else one.pattern
    said = f"Head {one.name}, {one.label}: weights {'on tokens' if seen else 'by position alone'}"
    return (
        f'<li>\n<p style="{_NAME}"><b>{one.name}</b> {label}'
        f'<span style="color:var(--soft)">{strength}</span></p>\n'
        f"{_map(pattern[:cells, :cells], said)}\n{_kernel(one, n)}\n"
        f'<p style="{_NOTE}">{_peak(one, n)}</p>\n</li>'
    )


def _map(weights: Array, said: str) -> str:
    """Return an SVG of weights (m, m): shade k of SHADES where sqrt(weight) is about k/SHADES."""
    m = len(weights)
    paths = [
        f'<path d="{runs}" stroke-opacity="{k / SHADES:g}"/>'
        for k, runs in enumerate(shade_paths(weights), start=1)
        if runs
    ]
    return (
        f'<svg role="img" aria-label="{escape(said)}" viewBox="0 0 {m} {m}" '
        f'style="display:block;width:100%;background:var(--card);outline:1px solid var(--line)">'
        f'<g fill="none" stroke="var(--query)" stroke-width="1.02">{"".join(paths)}</g></svg>'
    )


def shade_paths(weights: Array) -> list[str]:
    """Return a path for each shade 1 to SHADES of weights (m, m), a cell one unit wide and high."""
    shade = np.rint(SHADES * np.sqrt(np.clip(weights, 0, 1))).astype(int)
    return [
        "".join(_runs(line == k, row) for row, line in enumerate(shade))
        for k in range(1, SHADES + 1)
    ]


def _runs(marked: Array, row: int) -> str:
    """Return the marked cells of a row as lines of a path."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(int), [0]])))
    return "".join(
        f"M{a} {row + 0.5:g}h{b - a}" for a, b in zip(edges[::2], edges[1::2], strict=True)
    )


def _kernel(one: HeadReading, n: int) -> str:
    """Return bars of the weight by shift, those of the window around T in another colour."""
    shifts, weight, inside = by_shift(one, n)
    low, high = int(shifts[0]), int(shifts[-1])
    tall = weight / max(float(weight.max()), 1e-30)
    bars = "".join(
        f'<path d="M{s - low + 0.5:g} 10v{-max(10 * h, 0.15):.2f}" stroke="var(--{colour})"/>'
        for s, h in zip(shifts.tolist(), tall.tolist(), strict=True)
        for colour in ["target" if s in inside else "query"]
    )
    zero = f'<path d="M{0.5 - low:g} 10v2" stroke="var(--soft)" stroke-width=".25"/>'
    most = int(shifts[int(np.argmax(weight))])
    return (
        f'<svg role="img" aria-label="Weight at shifts {low} to {high}, largest at {most}" '
        f'viewBox="0 0 {len(shifts)} 12" style="display:block;width:100%;margin-top:.375rem">'
        f'<g fill="none" stroke-width=".7">{bars}{zero}</g></svg>'
    )


def _peak(one: HeadReading, n: int) -> str:
    """Say how high the tallest bar is and where: bars alone look the same for every height."""
    shifts, weight, inside = by_shift(one, n)
    most = int(np.argmax(weight))
    wide = f", B = {len(inside) - 1}" if inside else ""
    return f"{weight[most]:.2f} at {shifts[most]}{wide}".replace("-", "−")


def by_shift(one: HeadReading, n: int) -> tuple[Array, Array, set[int]]:
    """Return shifts, the weight at each, and those of the window around T if it says something."""
    if one.seen_shifts is not None and one.seen_weight is not None:
        most = one.offset is not None and (one.offset_rows or 0) >= MAJORITY
        near = np.abs(one.seen_shifts) <= (2 if one.seen_shifts[0] == 0 else 1) * AROUND
        return one.seen_shifts[near], one.seen_weight[near], {one.offset or 0} if most else set()
    causal = not math.isfinite(one.kernel[n - 2])
    low, high = (0, 2 * AROUND) if causal else (-AROUND, AROUND)
    shifts = np.arange(max(low, 1 - n), min(high, n - 1) + 1)
    inside = set(window(one, n)) if one.points_at_T else set()
    return shifts, np.exp(one.kernel[shifts + n - 1]), inside


def window(one: HeadReading, n: int) -> range:
    """Return the shifts around T, without a break, with at least half of its weight."""
    f, at = one.kernel, one.T + n - 1
    high = f >= f[at] - math.log(2) - 1e-9
    first = last = at
    while first > 0 and high[first - 1] and at - first < one.B:
        first -= 1
    while last < len(f) - 1 and high[last + 1] and last - first < one.B:
        last += 1
    return range(first - n + 1, last - n + 2)
