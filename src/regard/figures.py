"""Matplotlib's figures as text that a page can hold."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_svg(figure: Figure) -> str:
    """Return a figure as an <svg> element, the same bytes for the same figure.

    Its ground is white: labels are dark, and a notebook may not be light.
    """
    import matplotlib

    file = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "regard", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]
