"""Pictures in LaTeX, drawn with TikZ: each as wide as it is, under its caption."""

from __future__ import annotations

from regard.report.inline import shown
from regard.report.latex.bars import bars, shares
from regard.report.latex.curves import curves
from regard.report.latex.heat import heat
from regard.report.latex.prose import coloured
from regard.report.latex.text import words
from regard.report.plot import Plot
from regard.report.slider import Slider

_LOOK = r"font=\sffamily\scriptsize,inner sep=2pt,regardtick/.style={text=regardsoft}"


def plot(given: Plot) -> str:
    """Return a picture with its caption, to stand beside others."""
    if given.kind == "lines":
        drawn = curves(given)
    else:
        drawn = bars(given) if given.kind == "bars" else heat(given)
    caption = words(given.caption) if shown(given.caption) else ""
    return rf"\regarditem{{{caption}}}{{{_picture(drawn)}}}"


def slider(given: Slider) -> str:
    """Return the curve of a slider and the bars beside it, as they stand; and what holds there."""
    at = given.rows[given.at]
    parts = [_picture(curves(given.plot, given.limit, given.enough, at))]
    if given.labels:
        parts.append(_picture(shares(given)))
    caption = words(given.plot.caption) if shown(given.plot.caption) else ""
    says = coloured(given.sentences[given.at])
    drawn = r"\hfil ".join(parts)
    return f"\\regardfigure{{{says}}}{{{caption}}}{{{drawn}}}"


def _picture(drawn: list[str]) -> str:
    lines = "\n".join(line for line in drawn if line)
    top = "baseline=(current bounding box.north)"
    return f"\\begin{{tikzpicture}}[{_LOOK},{top}]\n{lines}\n\\end{{tikzpicture}}"
