"""The blocks of words and tables: paragraphs, headings, tables, facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from regard.errors import ParameterError
from regard.report import checks
from regard.report.inline import shown
from regard.report.numbers import all_numbers

TEXT_ROLES: Final = ("", "eyebrow", "headline", "hint", "shows")
HEADING_ROLES: Final = (
    "", "answer", "beside", "callouts", "exercise", "folded", "theme", "cards",
)  # fmt: skip
TONES: Final = ("", "good", "bad", "open")
_ANCHOR: Final = re.compile(r"[A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Text:
    """A paragraph.

    As an "eyebrow" it says where the report belongs, above its title; as a "headline" what came
    out, in a sentence whose words may stand out (`report.headline`); as a "hint" what to try next;
    as "shows" what to see in the numbers below it, also with words that stand out.
    """

    text: str
    role: str = ""

    def __post_init__(self) -> None:
        checks.string("Text: text", self.text)
        checks.one_of("Text: role", self.role, TEXT_ROLES)


@dataclass(frozen=True)
class Heading:
    """The heading of the blocks after it, up to the next heading of its level or above.

    Level 1 heads a chapter, level 2 a section, level 3 a part of one.

    Args:
        text: what it says.
        level: 1, 2 or 3.
        role: how a page sets the section: "answer" in a card; "beside" that card, as a callout
            of its tone; "callouts", each paragraph by itself; an "exercise", with room to write
            below it on paper; "folded", opened when wanted.
            Of level 1: "theme", what the chapters after it are about; "callouts" or "cards", what
            is below in boxes, after all themes.
        status: what came out, in a few words, such as "solved and proved"; or what it is about.
        tone: of the status: "good", "bad" (wrong or impossible) or "open".
        label: of a chapter: which part of the whole it is, such as "(a)".
        anchor: the name of the place in a page, for links to it; letters, digits, `-`, `_`, `.`.
    """

    text: str
    level: int = 2
    role: str = ""
    status: str = ""
    tone: str = ""
    label: str = ""
    anchor: str = ""

    @property
    def words(self) -> str:
        """The heading where there is no card: its text, and the status after a colon."""
        return f"{self.text}: {self.status}" if self.status else self.text

    def __post_init__(self) -> None:
        checks.words("Heading: text", self.text)
        checks.string("Heading: status", self.status)
        checks.one_of("Heading: role", self.role, HEADING_ROLES)
        checks.one_of("Heading: tone", self.tone, TONES)
        checks.string("Heading: label", self.label)
        checks.string("Heading: anchor", self.anchor)
        if not _ANCHOR.fullmatch(self.anchor):
            raise ParameterError(
                f"Heading: anchor must be letters, digits, -, _ and dots. Got {self.anchor[:80]!r}."
            )
        if isinstance(self.level, bool) or self.level not in (1, 2, 3):
            raise ParameterError(f"Heading: level must be 1, 2 or 3. Got {self.level!r}.")


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns.

    A column of numbers is aligned to the right. A first column of words, if others follow
    it, names the rows.

    Args:
        columns: at least one; if all are empty, the table has no header.
        rows: each with one string per column.
        caption: what the table shows; empty for none.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        columns = checks.strings("Table: columns", self.columns)
        if not columns:
            raise ParameterError("Table: columns must name at least one column. Got none.")
        rows = tuple(
            checks.strings(f"Table: rows[{i}]", row)
            for i, row in enumerate(checks.sequence("Table: rows", self.rows))
        )
        for i, row in enumerate(rows):
            if len(row) != len(columns):
                raise ParameterError(
                    f"Table: rows[{i}] must have one cell per column ({len(columns)}). "
                    f"Got {len(row)}."
                )
        checks.string("Table: caption", self.caption)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "rows", rows)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it is all numbers."""
        return tuple(
            all_numbers(shown(row[j]) for row in self.rows) for j in range(len(self.columns))
        )

    @property
    def names_rows(self) -> bool:
        """Whether the first column says what each row is about."""
        return len(self.columns) > 1 and not self.numeric[0]


@dataclass(frozen=True)
class Facts:
    """Pairs of a name and a value, one below the other."""

    pairs: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        pairs = checks.pairs("Facts: pairs", self.pairs, "a name and a value")
        object.__setattr__(self, "pairs", pairs)
