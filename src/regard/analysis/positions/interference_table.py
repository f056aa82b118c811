"""The readings of how positions disturb content, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from regard.analysis.positions.interference import READINGS, Interference, interference
from regard.report import Facts, Report, Table, number
from regard.report.reported import Reported

__all__ = ["InterferenceTable", "interference_table"]


@dataclass(frozen=True, eq=False, repr=False)
class InterferenceTable(Reported):
    """All readings side by side.

    Attributes:
        rows: for each reading and kind of times, the moments.
    """

    rows: tuple[Interference, ...]

    def report(self) -> Report:
        """The table as a report."""
        cells = []
        for row in self.rows:
            parts = (number(term.variance, 5) for term in row.terms)
            moments = number(row.mean, 5), number(row.variance, 5)
            cells.append((row.content, row.times, *moments, *parts))
        columns = ("content", "times", "mean", "variance", "of k · q", "of cross terms", "of e · e")
        readings = Facts(tuple(READINGS.items()))
        table = Table(columns, tuple(cells), "mean and variance, and what each term adds to it")
        title = f"Position against content, d_model = {self.rows[0].d_model}"
        return Report(title, (readings, table))


def interference_table(
    d_model: int, *, n: int | None = None, delta: int | None = None, base: float = 10000.0
) -> InterferenceTable:
    """Every reading side by side: with phases, with uniform times if n, given delta if given."""
    rows = [interference(d_model, content=content, base=base) for content in READINGS]
    if n is not None:
        rows += [
            interference(d_model, content=content, times="uniform", n=n, base=base)
            for content in READINGS
        ]
    if delta is not None:
        rows += [
            interference(
                d_model,
                content=content,
                times="phases" if n is None else "uniform",
                n=n,
                delta=delta,
                base=base,
            )
            for content in READINGS
        ]
    return InterferenceTable(tuple(rows))
