"""The first figure of a chapter without its words, small: what stands beside it in a list."""

from __future__ import annotations

from collections.abc import Iterable

from regard.report.document import Block
from regard.report.html import bars, curves, heat
from regard.report.plot import Plot
from regard.report.scales import across, up
from regard.report.slider import Slider

_MOST_BARS = 16
_SEEN = 0.04  # of the height: what is nearer to its bar is on it
_MOST_CELLS = 144


def thumbnail(blocks: Iterable[Block]) -> str:
    """Return the figure that says most at this size as an <svg>, or "".

    Weights beside those wanted say most, then a curve that meets a limit, then bars.
    """
    figures = [block for block in blocks if isinstance(block, Plot | Slider)]
    figures.sort(key=_rank)
    return next(filter(None, map(_drawn, figures)), "")


def _rank(block: Plot | Slider) -> int:
    if isinstance(block, Slider):
        return 0 if block.bars else 1 if block.limit or block.enough else 3
    return 2 if block.kind == "bars" else 4


def _drawn(block: Plot | Slider) -> str:
    if isinstance(block, Slider):
        if block.bars:
            wanted = (block.wanted,) if block.wanted else ()
            return _bars((block.bars[block.at], *wanted), wanted=bool(wanted))
        return _curves(block.plot, block)
    if curves.can_draw(block):
        return _curves(block)
    if block.kind == "bars":
        named = tuple(series.name for series in block.series)
        return _bars([series.y for series in block.series], wanted=named == bars.COMPARED)
    if heat.can_draw(block) and len(block.rows) * len(block.rows[0]) <= _MOST_CELLS:
        return _map(block)
    return ""


def _curves(plot: Plot, moving: Slider | None = None) -> str:
    """Return lines; of a slider with its limit, where it is enough, and where the answer is."""
    more = () if moving is None or moving.limit is None else (moving.limit[0],)
    x, y = across(plot), up(plot, *more)
    under, over = "", ""
    if moving is not None:
        if moving.enough is not None:
            at = x.percent(moving.enough[0])
            under = (
                f'<rect class="regard-enough" x="{at}%" width="{100 - at:.4g}%" height="100%" />'
            )
        if moving.limit is not None:
            at = 100 - y.percent(moving.limit[0])
            under += f'<line class="regard-limit" x1="0" x2="100%" y1="{at:.4g}%" y2="{at:.4g}%" />'
        place = x.percent(moving.rows[moving.at])
        height = 100 - y.percent(plot.series[0].y[moving.at])
        over = f'<circle class="regard-dot regard-fill-2" cx="{place}%" cy="{height:.4g}%" r="4" />'
    lines = (
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">'
        f"{curves.paths(plot, *more)}</svg>"
    )
    return f"<svg>{under}{lines}{over}</svg>"


def _bars(rows: Iterable[tuple[float, ...]], wanted: bool = False) -> str:
    """Return bars side by side; of two rows the second may be a mark at what is `wanted`."""
    shown = [row[:_MOST_BARS] for row in rows]
    heights = shown[:1] if wanted else shown
    low = min(0.0, *(y for row in shown for y in row))
    high = max(0.0, *(y for row in shown for y in row))
    size = (high - low) or 1.0
    step = 100 / len(shown[0])
    width = min(16.0, 0.7 * step) / len(heights)
    parts = []
    for i, row in enumerate(heights):
        for j, y in enumerate(row):
            left = (j + 0.5) * step + (i - len(heights) / 2) * width
            top, tall = 100 * (high - max(y, 0.0)) / size, 100 * abs(y) / size
            look = 1 if wanted and shown[1][j] else 0 if i == 0 else i + 1
            parts.append(
                f'<rect class="regard-fill-{look}" x="{left:.4g}%" y="{min(top, 96):.4g}%" '
                f'width="{width:.4g}%" height="{max(tall, 4):.4g}%" rx="1" />'
            )
    for j, y in enumerate(shown[1] if wanted else ()):
        at, left = 100 * (high - y) / size, (j + 0.5) * step - width / 2 - 2
        line = f'x1="{left:.4g}%" x2="{left + width + 4:.4g}%" y1="{at:.4g}%" y2="{at:.4g}%"'
        parts.append(
            f'<line class="regard-wanted" {line} />'
            if y and abs(y - shown[0][j]) > _SEEN * size
            else ""
        )
    base = 100 * high / size
    line = f'<line class="regard-base" x1="0" x2="100%" y1="{base:.4g}%" y2="{base:.4g}%" />'
    return f"<svg>{''.join(parts)}{line if low < 0 else ''}</svg>"


def _map(plot: Plot) -> str:
    """Return the cells of a heat map, which stay square."""
    across_, down = 10 * len(plot.rows[0]), 10 * len(plot.rows)
    cells = heat.cells(plot)
    return (
        f'<svg class="regard-map" viewBox="0 0 {across_} {down}">'
        f'<svg width="{across_}" height="{down}">{cells}</svg></svg>'
    )
