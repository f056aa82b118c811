"""The answer of a solution as one line that a person would say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.report import document as doc
from regard.report.characters import columns, shorten
from regard.report.decimals import typeset
from regard.report.inline import shown
from regard.report.numbers import number, rounded_up
from regard.report.text.prose import formula
from regard.solving.answer_tables import typeset_field

if TYPE_CHECKING:
    from regard.solving import Solution

_DIGITS = 4
_WIDEST = 10**6
_CLOSE = 1e-3  # of a factor that is the smallest one that is enough, rounded


def said(solution: Solution, room: int) -> str:
    """Return the answer in at most `room` columns: its fields, or else as it is at the top."""
    fields = [f"{name} = {_field(solution, name, x)}" for name, x in solution.answer.items()]
    whole = shown(", ".join(fields))
    if columns(whole) <= room:
        return whole
    top = [line.strip(" ") for line in formula(solution.headline, "", _WIDEST)]
    if len(top) == 1 and columns(top[0]) <= room:
        return top[0]
    for count in range(len(fields) - 1, 0, -1):
        some = shown(", ".join(fields[:count])) + ", …"
        if columns(some) <= room:
            return some
    return shorten(whole, room)


def _field(solution: Solution, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        least = _enough(solution, name)
        if least is not None and abs(value - least) <= _CLOSE * least:
            return f"{rounded_up(least)} or more"
        return typeset(number(value))
    if isinstance(value, str):
        return f"{value.count(chr(10))} lines (--json)" if "\n" in value else typeset_field(value)
    if isinstance(value, dict):
        first, *others = [f"{name} {_entry(x)}" for name, x in value.items()]
        return ", ".join([first.partition(" ")[2], *others])
    return _entry(value)


def _enough(solution: Solution, name: str) -> float | None:
    """Return from where on every number is right for a field, where a curve says so."""
    sliders = [block for block in solution.details if isinstance(block, doc.Slider)]
    found = (one.enough for one in sliders if one.plot.x_label == name)
    return next((enough[0] for enough in found if enough is not None), None)


def _entry(value: Any) -> str:
    """Write an entry: rows of a matrix between semicolons, things with fields as a list."""
    if isinstance(value, str):
        return typeset_field(value)
    if isinstance(value, dict):
        first, *others = value.items()
        return f"{_entry(first[1])} ({', '.join(f'{name} {_entry(x)}' for name, x in others)})"
    if not isinstance(value, list):
        return typeset(number(value, _DIGITS))
    if value and all(isinstance(row, list) for row in value):
        return f"[{'; '.join(', '.join(map(_entry, row)) for row in value)}]"
    inner = ", ".join(map(_entry, value))
    return inner if any(isinstance(x, dict) for x in value) else f"({inner})"
