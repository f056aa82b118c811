"""One screen of a terminal: parts in order, of which the less important give way.

A part is some units (a step, a goal, a picture) under a heading. Where not all of them fit, units
are left out from the end of one part after another, in an order that the caller chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from regard.report.characters import columns, shorten, wrap
from regard.report.inline import shown

LINES, COLUMNS = 23, 80  # of a terminal as most open, whose last line is the next prompt
Line = tuple[str, str]  # what it says, and the style of it for rich, or ""


@dataclass
class Part:
    """Some units below a heading.

    Attributes:
        units: each one or more lines that stay together.
        heading: the line above them, or "".
        more: what is said where units were left out, with {} for how many; "" for nothing.
        style: of the lines, as rich has it.
    """

    units: list[list[str]]
    heading: str = ""
    more: str = ""
    style: str = ""
    left_out: int = field(default=0, init=False)

    def lines(self) -> list[Line]:
        """Return what is left of it."""
        if not self.units:
            return []
        found = [(self.heading, "bold")] if self.heading else []
        found += [(line, self.style) for unit in self.units for line in unit]
        if self.left_out and self.more:
            found.append((self.more.format(self.left_out), "dim"))
        return found

    def leave_out(self) -> None:
        """Give up the last unit."""
        self.units.pop()
        self.left_out += 1


def fit(parts: Sequence[Part], order: Sequence[tuple[Part, int]], lines: int = LINES) -> list[Line]:
    """Return parts with a blank line between them, in at most so many lines.

    Args:
        parts: from the top.
        order: which part gives way first, each with how many units it keeps at that stage; the
            same part may come again with fewer.
        lines: how many there may be.
    """
    for part, least in order:
        while len(_joined(parts)) > lines and len(part.units) > least:
            part.leave_out()
    found = _joined(parts)
    return found if len(found) <= lines else [*found[: lines - 1], ("…", "dim")]


def _joined(parts: Sequence[Part]) -> list[Line]:
    found: list[Line] = []
    for part in parts:
        lines = part.lines()
        found += [("", ""), *lines] if found and lines else lines
    return found


def both_ends(left: str, right: str, width: int) -> str:
    """Return a line with one text at its left and one at its right; the left one gives way."""
    room = width - columns(right) - 2
    left = shorten(left, max(1, room))
    return left + " " * max(2, width - columns(left) - columns(right)) + right


def hanging(marker: str, text: str, width: int) -> list[str]:
    """Wrap a string behind a marker, the lines after the first below its beginning."""
    first, *others = wrap(shown(text), width - columns(marker)) or [""]
    return [marker + first, *(" " * columns(marker) + line for line in others)]
