"""The blocks that compare: a list of goals, and numbers beside those that are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from regard.errors import ParameterError
from regard.report import checks
from regard.report.blocks import TONES, Table
from regard.report.plot import LARGEST

SIGNS: Final = {"good": "✓", "bad": "✗", "open": "?", "": ""}
ROLES: Final = ("", "yours", "wanted", "off")


@dataclass(frozen=True)
class Checklist:
    """Goals, each with a sign for how it came out.

    Args:
        items: for each its tone ("good", "bad" or "open"), what was wanted, and what was found.
    """

    items: tuple[tuple[str, str, str], ...]

    def __post_init__(self) -> None:
        items = [
            checks.strings(f"Checklist: items[{i}]", item)
            for i, item in enumerate(checks.sequence("Checklist: items", self.items))
        ]
        for i, item in enumerate(items):
            if len(item) != 3:
                raise ParameterError(
                    f"Checklist: items[{i}] must be a tone, a goal and what was found. "
                    f"Got {len(item)} strings."
                )
            checks.one_of(f"Checklist: items[{i}][0]", item[0], TONES)
        object.__setattr__(self, "items", tuple((t, goal, found) for t, goal, found in items))

    @property
    def table(self) -> Table:
        """The goals as a table, with the sign of each before it: for where lists have no signs."""
        rows = tuple((f"{SIGNS[tone]} {goal}".strip(), found) for tone, goal, found in self.items)
        return Table(("goal", "found"), rows)


@dataclass(frozen=True)
class Comparison:
    """Numbers for each of some names, with bars for those of one row and a line at what is wanted.

    Args:
        names: what the numbers are of.
        rows: each with its name, its role ("yours", "wanted", "off" or ""), and a cell for every
            name.
        yours: the lengths of the bars.
        wanted: where the lines are on them; none where nothing is compared.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    yours: tuple[float, ...]
    wanted: tuple[float, ...]

    def __post_init__(self) -> None:
        names = checks.strings("Comparison: names", self.names)
        rows = tuple(
            checks.strings(f"Comparison: rows[{i}]", row)
            for i, row in enumerate(checks.sequence("Comparison: rows", self.rows))
        )
        for i, row in enumerate(rows):
            if len(row) != len(names) + 2:
                raise ParameterError(
                    f"Comparison: rows[{i}] must be a name, a role and a cell for each of "
                    f"{len(names)} names. Got {len(row)} strings."
                )
            checks.one_of(f"Comparison: rows[{i}][1]", row[1], ROLES)
        yours = checks.numbers("Comparison: yours", self.yours, LARGEST)
        wanted = checks.numbers("Comparison: wanted", self.wanted, LARGEST)
        for field, numbers in (("yours", yours), ("wanted", wanted)):
            if len(numbers) not in (len(names), 0 if field == "wanted" else len(names)):
                raise ParameterError(
                    f"Comparison: {field} must have one number for each name ({len(names)}). "
                    f"Got {len(numbers)}."
                )
            object.__setattr__(self, field, numbers)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "rows", rows)

    @property
    def table(self) -> Table:
        """The numbers as a table without bars: a row for each name."""
        columns = ("", *(row[0] for row in self.rows))
        cells = zip(*(row[2:] for row in self.rows), strict=True)
        rows = tuple((name, *row) for name, row in zip(self.names, cells, strict=True))
        return Table(columns, rows)
