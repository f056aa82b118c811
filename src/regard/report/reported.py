"""What is shown as its report, wherever it is shown."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        return self.report()._repr_html_()
