"""What is shown as its report, wherever it is shown."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.errors import RegardError
from regard.figures import notebook_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.report.document import Report


class Reported:
    """A result that prints as its report, and is a table of it in a notebook."""

    @abstractmethod
    def report(self) -> Report:
        """The result as a report."""

    def __str__(self) -> str:
        return str(self.report())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return notebook_html(self.report(), getattr(self, "plot", None))


def notebook_html(report: Report, plot: Callable[[], Figure] | None) -> str:
    """Return what a notebook shows: the picture first and the tables folded, where it can be drawn.

    Args:
        report: the result in words and tables.
        plot: draws it, or None.
    """
    tables = report._repr_html_()
    if plot is None:
        return tables
    try:
        title = f"<strong>{html.escape(report.title)}</strong>"
        picture = notebook_figure(plot(), report.title, title)
    except RegardError:  # too large to be drawn, say: the tables tell
        return tables
    return f"{picture}<details><summary>In words and numbers</summary>{tables}</details>"
