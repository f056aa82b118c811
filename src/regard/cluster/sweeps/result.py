"""What a sweep returns: a table with a row for each cell."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cluster.sweeps.cells import DONE, Outcome
from regard.cluster.sweeps.columns import Row
from regard.cluster.sweeps.files import write_all, write_whole
from regard.cluster.sweeps.settings import Cell
from regard.errors import ParameterError
from regard.report import Block, Report, Table, Text, number
from regard.report.headline import marked
from regard.report.reported import Reported

if TYPE_CHECKING:
    from regard.report import Plot

__all__ = ["Sweep", "tidy"]

_SHOWN = 12  # rows of a report
_LONGEST = 160  # characters of a word in it
_DIGITS = 4  # of a number in it; files have all


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Reported):
    """The table of a sweep, a row for each cell in the order of the settings.

    Attributes:
        title: what it is called.
        columns: the names: first the settings, then `status`, what was found, and `message`.
        rows: a value for each column; None where a cell has none.
        settings: how many of the columns are settings.
        resumed: how many cells were there already, from a checkpoint.
        damaged: how many lines of the checkpoint could not be used.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    settings: int
    resumed: int = 0
    damaged: int = 0

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        if name not in self.columns:
            from regard.cluster.sweeps.targets import nearest

            raise ParameterError(
                f"Sweep: there is no column {name!r}. {nearest(name, self.columns)}"
            )
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    @property
    def counts(self) -> dict[str, int]:
        """How many cells came out how: by `status`."""
        found = self.column("status")
        return {status: found.count(status) for status in dict.fromkeys(sorted(found))}

    def to_dicts(self) -> list[Row]:
        """Return the rows as mappings, for a data frame of any kind."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_json(self) -> list[Row]:
        """Return the rows as mappings of what JSON has: None for nan, words for infinities."""
        return [{name: _strict(x) for name, x in row.items()} for row in self.to_dicts()]

    def to_csv(self) -> str:
        """Return the table as CSV; numbers read back to the same bits."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_written(x) for x in row] for row in self.rows)
        return text.getvalue()

    def write(self, path: str | Path) -> None:
        """Write the table to a file: .csv, .json, or .parquet where pyarrow is installed.

        Raises:
            ParameterError: the ending is another, or pyarrow is missing.
            ClusterError: it cannot be written; then nothing is left of it.
        """
        path = Path(path)
        check_ending(path)
        if path.suffix == ".parquet":
            write_whole(path, self._write_parquet)
            return
        text = self.to_csv() if path.suffix == ".csv" else json.dumps(self.to_json(), indent=1)
        write_whole(path, lambda beside: _write_text(beside, text))

    def _write_parquet(self, path: Path) -> None:
        import pyarrow
        import pyarrow.parquet

        arrays = {}
        for name in self.columns:
            values = self.column(name)
            kinds = {type(x) for x in values if x is not None}
            if len(kinds) > 1 and kinds != {int, float}:
                values = [None if x is None else str(_written(x)) for x in values]
            elif kinds & {list, dict}:
                values = [None if x is None else _written(x) for x in values]
            elif kinds == {int, float}:
                values = [None if x is None else float(x) for x in values]
            arrays[name] = pyarrow.array(values)
        pyarrow.parquet.write_table(pyarrow.table(arrays), path)

    def figure(
        self, x: str | None = None, y: str | None = None, lines: str | Sequence[str] | None = None
    ) -> Plot:
        """Return the picture of one column against a setting, as a part of a report."""
        from regard.cluster.sweeps.figure import figure

        return figure(self, x, y, lines)

    def plot(
        self, x: str | None = None, y: str | None = None, lines: str | Sequence[str] | None = None
    ) -> Any:
        """Draw a column against a setting, a line for each value of others.

        Args:
            x: a setting of numbers; by default the one with most values.
            y: what is drawn; by default the first column of numbers that was found.
            lines: a setting or several; by default those others that make up to 8 lines, but not
                `seed`. Cells that differ in nothing of these are averaged.

        Returns:
            A Matplotlib figure.
        """
        from regard.report import draw

        return draw(self.figure(x, y, lines))

    def report(self, picture: Plot | None = None) -> Report:
        """Return what came out, a picture if one is given, and the first rows."""
        blocks: list[Block] = [Text(self._came_out(), "headline")]
        fixed = self._fixed()
        told = [
            f"{name} = {_shown(value)}" for name, value in fixed.items() if value not in (None, "")
        ]
        if told:
            blocks.append(Text(f"The same in every cell: {', '.join(told)}."))
        if picture is not None:
            blocks.append(picture)
        known = {*fixed, "status"} if set(self.counts) == {DONE} else set(fixed)
        names = [name for name in self.columns if name not in known]
        if names:
            cells = [[_shown(x) for x in self.column(name)[:_SHOWN]] for name in names]
            left = len(self.rows) - len(cells[0])
            caption = f"The first {_SHOWN} of {len(self.rows)} cells" if left > 0 else ""
            blocks.append(Table(tuple(names), tuple(zip(*cells, strict=True)), caption))
        return Report(self.title, tuple(blocks))

    def _fixed(self) -> dict[str, Any]:
        """Return the columns that say the same in every row, with what they say."""
        columns = ((name, self.column(name)) for name in self.columns if name != "status")
        return {
            name: values[0]
            for name, values in columns
            if len(values) > 1 and all(x == values[0] for x in values)
        }

    def _came_out(self) -> str:
        """Return how many cells came out how, as a sentence."""
        cells = "1 cell" if len(self.rows) == 1 else f"{len(self.rows)} cells"
        if set(self.counts) == {DONE}:
            return f"{cells}, all {marked('done', 'query')}."
        counts = ", ".join(
            f"{count} {status if status == DONE else marked(status, 'bad')}"
            for status, count in self.counts.items()
        )
        return f"{cells}: {counts}."


def _shown(value: Any) -> str:
    if not isinstance(value, bool) and isinstance(value, int | float):
        return number(value, _DIGITS)
    words = "" if value is None else str(_written(value))
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def check_ending(path: Path) -> None:
    """Refuse the name of a table that cannot be written, before anything is computed."""
    if path.suffix not in (".csv", ".json", ".parquet"):
        raise ParameterError(f"{path}: a table ends in .csv, .json or .parquet.")
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise ParameterError(
                f"{path}: Parquet needs pyarrow, which is not installed: `pip install pyarrow`, "
                "or write .csv."
            ) from None


def tidy(cells: Sequence[Cell], outcomes: Sequence[Outcome]) -> tuple[list[str], int, list[Any]]:
    """Return the names of the columns, how many are settings, and the rows."""
    settings = list(dict.fromkeys(name for cell in cells for name in cell.settings))
    found = list(dict.fromkeys(name for one in outcomes for name in one.result))
    # What a result repeats of its settings is left out; what has only the name in common is kept.
    same = {
        name
        for name in found
        if name in settings
        and all(o.result.get(name, c.settings.get(name)) == c.settings.get(name)
                for c, o in zip(cells, outcomes, strict=True))
    }  # fmt: skip
    kept = [name for name in found if name not in same]
    taken = {*settings, "status", "message"}
    shown = [f"{name} found" if name in taken else name for name in kept]
    rows = [
        (
            *(cell.settings.get(name) for name in settings),
            one.status,
            *(one.result.get(name) for name in kept),
            one.message,
        )
        for cell, one in zip(cells, outcomes, strict=True)
    ]
    return [*settings, "status", *shown, "message"], len(settings), rows


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value) if isinstance(value, list | dict) else value


def _strict(value: Any) -> Any:
    """Return a value as JSON can have it: it has no nan and no infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else repr(value)
    if isinstance(value, list):
        return [_strict(x) for x in value]
    return {k: _strict(x) for k, x in value.items()} if isinstance(value, dict) else value


def _write_text(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        write_all(descriptor, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)
