"""What the width of the window does to the rule: a curve to move along."""

from __future__ import annotations

import numpy as np

from regard.kinds.band.instance import Window
from regard.kinds.band.solve import Rule, Zeroing, rule_of
from regard.report import Plot, Series, Slider, number
from regard.report.headline import marked
from regard.report.numbers import share

POINTS = 41  # of the curves
WIDEST = 4  # times the width that is asked for


def width_slider(found: Zeroing) -> tuple[Slider, ...]:
    """Return the blocks that the rule keeps, and the score at the edge, for other widths.

    Widths for which no block is slow enough are left out; nothing where that is one of them.
    """
    w = found.window
    widths = sorted({*np.linspace(w.B / 8, WIDEST * w.B, POINTS).tolist(), float(w.B)})
    rules = [(B, _rule(w, B, found.rule.phase)) for B in widths]
    rules = [(B, rule) for B, rule in rules if rule.kept]
    rows = tuple(B for B, _ in rules)
    if float(w.B) not in rows or len(rows) < 2:
        return ()
    count = len(w.omega)
    kept = tuple(len(rule.kept) / count for _, rule in rules)
    edges = tuple(float(rule.edge) for _, rule in rules)
    plot = Plot(
        "lines",
        "The wider the window, the fewer blocks are slow enough for it",
        "B",
        "share",
        (Series("blocks kept", rows, kept), Series("score at the edge / middle", rows, edges)),
        y_unit="share",
    )
    says = tuple(_says(B, rule, count) for B, rule in rules)
    return (Slider(plot, rows.index(float(w.B)), says),)


def _rule(w: Window, B: float, phase: float) -> Rule:
    return rule_of(Window(d_model=w.d_model, n=w.n, T=w.T, base=w.base, B=B), phase)


def _says(B: float, rule: Rule, count: int) -> str:
    kept = marked(f"{len(rule.kept)} of {count}", "target")
    return (
        f"At $B$ = {number(B, 3)} the rule keeps {kept} blocks, and the score at the edge of the "
        f"window is {marked(share(rule.edge), 'query')} of that in the middle."
    )
