"""Maps of the most striking heads of a model, as a figure of Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.core.head_pictures import weight_maps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.models.inspection import HeadReading, Inspection

MOST_HEADS = 8
POSITIONS = 24  # the first ones


def heads_figure(found: Inspection) -> Figure:
    """Draw where the heads look, rows queries and columns keys, each below its name and label."""
    shown = found.striking[:MOST_HEADS]
    maps = [
        (one.pattern if one.seen_pattern is None else one.seen_pattern)[:POSITIONS, :POSITIONS]
        for one in shown
    ]
    return weight_maps(maps, [_title(one) for one in shown])


def _title(one: HeadReading) -> str:
    strength = f" {one.strength:.2f}" if one.strength else ""
    return f"{one.name} {one.label.replace('-', '−')}{strength}"
