"""Matplotlib's figures as text that a page can hold."""

from __future__ import annotations

import html
from functools import cache
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Dark notebooks say so on their body: there light and dark change places, and hues stay.
_DARK = (
    '<style>body[data-jp-theme-light="false"] .regard-figure svg, '
    "body.vscode-dark .regard-figure svg {filter: invert(0.9) hue-rotate(180deg)}</style>"
)


def notebook_figure(figure: Figure, name: str, caption: str) -> str:
    """Return a figure with words below it as HTML that a notebook shows, light or dark.

    Args:
        figure: the picture.
        name: what it shows, for those who do not see it.
        caption: HTML, escaped.
    """
    picture = figure_svg(figure).replace(
        "<svg", f'<svg role="img" aria-label="{html.escape(name)}"', 1
    )
    return (
        f'{_DARK}<figure class="regard-figure" style="margin: 0.25em 0">{picture}'
        f"<figcaption>{caption}</figcaption></figure>"
    )


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
