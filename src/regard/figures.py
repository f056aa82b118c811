"""Matplotlib's figures as text that a page can hold."""

from __future__ import annotations

from functools import cache
from io import BytesIO, StringIO
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


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches that a notebook shows as its picture.

    It is outside pyplot, so that no window ever opens; without pyplot, a notebook would show a
    figure as the name of its type.
    """
    return _shown_figure()(figsize=(width, height), layout="constrained")


@cache
def _shown_figure() -> type[Figure]:
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            file = BytesIO()
            self.savefig(file, format="png", dpi=110)
            return file.getvalue()

    return Picture
