"""Parts of inline SVG; what a class looks like is in `_static/regard.css`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def svg(width: int, height: int, label: str, parts: Iterable[str]) -> str:
    """Return an <svg> with a sentence for those who cannot see it."""
    inside = "".join(parts)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">{inside}</svg>'


def line(points: Sequence[tuple[float, float]], kind: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{kind}" points="{path}"/>'


def dot(x: float, y: float, r: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, share: float = 1.0) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
        f'height="{max(height, 0):.1f}" rx="3" fill-opacity="{share:.3f}"/>'
    )


def text(x: float, y: float, words: str, kind: str = "label", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def name(letter: str, below: str) -> str:
    """Return a letter with an index, for the words of `text`."""
    return (
        f'<tspan class="name">{letter}</tspan><tspan class="name below" dy="0.3em">{below}</tspan>'
    )
