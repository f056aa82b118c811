"""A report as plain data: a title and blocks of four kinds.

Everything is a string by the time it is here, so that every renderer shows the same
digits. White space means what it means in HTML: a run of it is one space.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from regard.errors import ParameterError
from regard.report.characters import plain
from regard.report.numbers import all_numbers


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str

    def __post_init__(self) -> None:
        _string("Text: text", self.text)


@dataclass(frozen=True)
class Heading:
    """The heading of the blocks after it, up to the next heading."""

    text: str

    def __post_init__(self) -> None:
        _words("Heading: text", self.text)


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
        columns = _strings("Table: columns", self.columns)
        if not columns:
            raise ParameterError("Table: columns must name at least one column. Got none.")
        rows = tuple(
            _strings(f"Table: rows[{i}]", row)
            for i, row in enumerate(_sequence("Table: rows", self.rows))
        )
        for i, row in enumerate(rows):
            if len(row) != len(columns):
                raise ParameterError(
                    f"Table: rows[{i}] must have one cell per column ({len(columns)}). "
                    f"Got {len(row)}."
                )
        _string("Table: caption", self.caption)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "rows", rows)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it is all numbers."""
        return tuple(
            all_numbers(plain(row[j]) for row in self.rows) for j in range(len(self.columns))
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
        pairs = tuple(
            _strings(f"Facts: pairs[{i}]", pair)
            for i, pair in enumerate(_sequence("Facts: pairs", self.pairs))
        )
        for i, pair in enumerate(pairs):
            if len(pair) != 2:
                raise ParameterError(
                    f"Facts: pairs[{i}] must be a name and a value. Got {len(pair)} strings."
                )
        object.__setattr__(self, "pairs", pairs)


Block: TypeAlias = Text | Heading | Table | Facts

_TYPES: dict[str, type[Block]] = {"text": Text, "heading": Heading, "table": Table, "facts": Facts}


@dataclass(frozen=True)
class Report:
    """A title and the blocks below it, in order.

    Prints as terminal text and shows as HTML in a notebook. Lists given for tuples are
    stored as tuples, so reports compare by content and cannot change.
    """

    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        _words("Report: title", self.title)
        blocks = _sequence("Report: blocks", self.blocks)
        for i, block in enumerate(blocks):
            if not isinstance(block, Block):
                raise ParameterError(
                    f"Report: blocks[{i}] must be Text, Heading, Table or Facts. "
                    f"Got {type(block).__name__}."
                )
        object.__setattr__(self, "blocks", blocks)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it: dicts, lists and strings.

        >>> Report("Two keys", (Facts((("error", "0"),)),)).to_dict()
        {'title': 'Two keys', 'blocks': [{'type': 'facts', 'pairs': [['error', '0']]}]}
        """
        return {"title": self.title, "blocks": [_block_to_dict(block) for block in self.blocks]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that `to_dict` wrote, equal to the original.

        Raises:
            ParameterError: the data is no report; the message says where.
        """
        try:
            fields = _fields_of(cls, data)
            blocks = _sequence("blocks", fields["blocks"])
            return cls(fields["title"], tuple(_block_from_dict(i, b) for i, b in enumerate(blocks)))
        except ParameterError as error:
            raise ParameterError(f"Report.from_dict: {error}") from None

    # The renderers import this module, so they can be imported only once it exists.
    def __str__(self) -> str:
        from regard.report.text import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from regard.report.html import to_html_fragment

        return to_html_fragment(self)


def _block_to_dict(block: Block) -> dict[str, Any]:
    data: dict[str, Any] = {"type": type(block).__name__.lower()}
    for field in dataclasses.fields(block):
        data[field.name] = _lists(getattr(block, field.name))
    return data


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


def _block_from_dict(i: int, data: Any) -> Block:
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in _TYPES:
        got = f"type {kind!r}" if isinstance(data, Mapping) else type(data).__name__
        raise ParameterError(
            f"blocks[{i}] must be a dict with a type out of {', '.join(_TYPES)}. Got {got}."
        )
    block = _TYPES[kind]
    try:
        return block(**_fields_of(block, {k: v for k, v in data.items() if k != "type"}))
    except ParameterError as error:
        raise ParameterError(f"blocks[{i}]: {error}") from None


def _fields_of(cls: type, data: Any) -> dict[str, Any]:
    """Return data, if it is a dict with the fields of a dataclass and no others."""
    if not isinstance(data, Mapping):
        raise ParameterError(f"data must be a dict. Got {type(data).__name__}.")
    names = [field.name for field in dataclasses.fields(cls)]
    needed = {f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING}
    if not needed <= set(data) <= set(names):
        got = ", ".join(str(name) for name in data) or "nothing"
        raise ParameterError(f"{cls.__name__} has the fields {', '.join(names)}. Got {got}.")
    return dict(data)


def _sequence(where: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, list | tuple):
        raise ParameterError(f"{where} must be a tuple or a list. Got {type(given).__name__}.")
    return tuple(given)


def _strings(where: str, given: Any) -> tuple[str, ...]:
    cells = _sequence(where, given)
    for i, cell in enumerate(cells):
        _string(f"{where}[{i}]", cell)
    return cells


def _string(where: str, given: Any) -> None:
    if not isinstance(given, str):
        fix = " Try regard.report.number." if isinstance(given, int | float) else ""
        raise ParameterError(f"{where} must be a string. Got {type(given).__name__}.{fix}")


def _words(where: str, given: Any) -> None:
    _string(where, given)
    if not plain(given):
        raise ParameterError(f"{where} must not be empty.")
