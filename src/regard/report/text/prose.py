"""Prose as lines of text: markers of lists in the margin, emphasis left to the words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.language import notation
from regard.report import markdown
from regard.report.characters import columns, verbatim, wrap
from regard.report.markdown import Part, Span

# A space before a sign in a formula.
_SIGN = re.compile(" (?=[=≠≤≥<>≈∼→⟹⟺∈∉+−·] )")


class Margin:
    """The markers of the lists and quotations around a part, while parts are walked in order."""

    def __init__(self) -> None:
        self.numbers: list[int | None] = []  # of the open lists; None if they have none
        self.indents: list[str] = []
        self.marker = ""  # of an item that has shown nothing yet

    def enter(self, part: Part) -> None:
        """Follow the open of a list, an item or a quotation."""
        if part.tag == "ul":
            self.numbers.append(None)
        elif part.tag == "ol":
            self.numbers.append(int(part.text or 1))
        elif part.tag == "quote":
            self.indents.append("| ")
        else:
            number = self.numbers[-1]
            self.marker = "- " if number is None else f"{number}. "
            if number is not None:
                self.numbers[-1] = number + 1
            self.indents.append(" " * len(self.marker))

    def leave(self, part: Part) -> None:
        """Take back the indent of a list or item that ends."""
        if part.tag in ("ul", "ol"):
            self.numbers.pop()
        else:
            self.indents.pop()

    def take(self, most: int) -> tuple[str, str]:
        """Return what stands before the first line of a part, and before the others."""
        rest = "".join(self.indents)
        first = rest[: len(rest) - len(self.marker)] + self.marker if self.marker else rest
        self.marker = ""
        return (first, rest) if len(rest) <= most else (first[-most:], rest[-most:])

    @property
    def in_list(self) -> bool:
        """Whether a list is open."""
        return bool(self.numbers)


def prose(text: str, width: int) -> list[str]:
    """Render Markdown as lines of at most `width` columns."""
    result: list[str] = []
    margin = Margin()
    was_in_list = False
    for part in markdown.parse(text):
        if part.kind == "open":
            margin.enter(part)
            continue
        if part.kind == "close":
            margin.leave(part)
            was_in_list &= margin.in_list  # two lists in a row are kept apart
            continue
        if result and not (was_in_list and margin.in_list):
            result.append("")
        was_in_list = margin.in_list
        first, rest = margin.take(width // 2)
        for i, line in enumerate(_lines(part, width - len(rest))):
            result.append(((rest if i else first) + line).rstrip(" "))
    return result


def _lines(part: Part, width: int) -> list[str]:
    match part.kind:
        case "math":
            return formula(part.text, "  ", width)
        case "code":
            return code(part.text, "  ", width)
        case "rule":
            return ["-" * min(width, 20)]
    # A break begins a new line.
    return [line for text in words(part.spans).split("\n") for line in wrap(text, width)]


def formula(latex: str, indent: str, width: int) -> list[str]:
    """Set a formula on lines of its own; what does not fit goes on further to the right."""
    lines = notation.to_lines(latex)
    room = width - len(indent) - 2
    if max(columns(line) for line in lines) <= room:
        return [indent + line for line in lines]
    result = []
    for line in lines:
        first, *others = _broken(line.strip(" "), room)
        result += [indent + first, *(f"{indent}  {part}" for part in others)]
    return result


def _broken(line: str, room: int) -> list[str]:
    """Break a formula between parts, else before a sign outside of brackets, else at a space."""
    result: list[str] = []
    current = ""
    for part in _parts(line):
        if columns(current + part) <= room:
            current += part
            continue
        result += [current] if current else []
        current = part.strip(" ")
        if columns(current) > room:
            *full, current = _before_signs(current, room)
            result += full
    return [*result, current]


def _parts(line: str) -> list[str]:
    """Return what stands between wide gaps, and the cases of a list, with the gap before each."""
    parts, depth = [""], 0
    for i, character in enumerate(line):
        gap = line[i : i + 2] == "  " and not parts[-1].endswith(" ")
        if gap or (parts[-1].endswith(";") and depth == 0):
            parts.append("")
        depth += (character in "([") - (character in ")]")
        parts[-1] += character
    return parts


def _before_signs(part: str, room: int) -> list[str]:
    pieces = [""]
    for piece in _SIGN.split(part):
        depth = sum(pieces[-1].count(a) - pieces[-1].count(b) for a, b in ("()", "[]"))
        if depth > 0 and columns(pieces[-1]) + 1 + columns(piece) <= room:
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    lines: list[str] = []
    for piece in pieces[1:]:
        if lines and columns(lines[-1]) + 1 + columns(piece) <= room:
            lines[-1] += f" {piece}"
        else:
            lines += [line for line in wrap(piece, room) if line]
    return lines or [""]


def code(text: str, indent: str, width: int) -> list[str]:
    """Show lines as they are; what does not fit goes on on the next line."""
    result = []
    for line in verbatim(text):
        spaces = len(line) - len(line.lstrip(" "))
        start = indent + " " * min(spaces, width // 3)
        result += [(start + part).rstrip() for part in wrap(line.strip(" "), width - len(start))]
    return result


def words(spans: Sequence[Span]) -> str:
    """Return spans as text, a newline for each break."""
    text = ""
    address, start = "", 0
    for span in spans:
        match span.kind:
            case "math" | "display":
                text += notation.to_text(span.text)
            case "code":
                text += f"`{span.text}`"
            case "break":
                text += "\n"
            case "open" if span.tag == "link":
                address, start = span.text, len(text)
            case "close" if span.tag == "link":
                text += "" if text[start:] == address else f" ({address})"
            case "words":
                text += span.text
    return text
