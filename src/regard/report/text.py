"""A report as plain text for a terminal: no colours, no line wider than asked for."""

from __future__ import annotations

from regard.errors import ParameterError
from regard.report import grid
from regard.report.characters import columns, plain, wrap
from regard.report.document import Block, Facts, Heading, Report, Table, Text


def to_text(report: Report, width: int = 80) -> str:
    """Render a report as lines of at most `width` columns.

    Paragraphs and cells of words are wrapped. Columns that do not fit beside each other
    come in parts below each other, each with the names of the rows. Only a number wider
    than all the room there is gets shortened, with ….

    Args:
        report: what to show.
        width: at least 20.

    Returns:
        The text, without a newline at its end.
    """
    if width < 20:
        raise ParameterError(f"to_text: width must be at least 20. Got {width}.")
    blocks = [_underlined(report.title, "=", width)]
    blocks += [_block(block, width) for block in report.blocks]
    return "\n\n".join("\n".join(lines) for lines in blocks if any(lines)).rstrip("\n")


def _block(block: Block, width: int) -> list[str]:
    match block:
        case Text(text):
            return _paragraph(text, width)
        case Heading(text):
            return _underlined(text, "-", width)
        case Table(caption=caption):
            return _paragraph(caption, width) + grid.table(block, width)
        case Facts(pairs):
            return grid.pairs(pairs, width)


def _paragraph(text: str, width: int) -> list[str]:
    return wrap(plain(text), width) if plain(text) else []


def _underlined(text: str, rule: str, width: int) -> list[str]:
    lines = _paragraph(text, width)
    return [*lines, rule * max(columns(line) for line in lines)]
