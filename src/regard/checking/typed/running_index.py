r"""Sums and extremes over an index in a condition: `max_{i≠j} s_i`, `\sum_{i \neq j} e^{s_i}`.

The formula language has no index that runs. What runs over one is taken out of the text and gets a
name of its own; whoever knows the scores evaluates it, once for every other key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from regard.errors import FormulaError
from regard.language import Formula, parse

__all__ = ["Over", "without_index"]

_NOT_EQUAL = r"(?:≠|!=|\\neq?(?![A-Za-z]))"
_INDEX = rf"\s*([A-Za-z])\s*(?:{_NOT_EQUAL}\s*([A-Za-z])\s*)?"
_OPERATOR: Final = re.compile(
    rf"(?:\\?(max|min|sum)|∑)(?:\\limits)?\s*_\s*(?:\{{{_INDEX}\}}|([A-Za-z])(?![A-Za-z0-9]))"
)
_QUANTIFIER: Final = re.compile(
    rf"[\s,;]*(?:for(?:\s+(?:all|every|each|any))?|∀|\\forall|\\quad)?\s*\$?{_INDEX}\$?\s*$"
)
_ENDS: Final = re.compile(
    r"[+\-−<>=≤≥≠,)\]}]|!=|\\(?:leqslant|geqslant|leq|geq|le|ge|neq|ne|lt|gt|right)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:and|or)(?![A-Za-z])"
)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


@dataclass(frozen=True)
class Over:
    """A sum or an extreme over the keys.

    Attributes:
        what: of the values of the body.
        index: the letter that runs.
        without: the letter of the key that is left out; None: all keys count.
        body: the formula in that index.
    """

    what: Literal["max", "min", "sum"]
    index: str
    without: str | None
    body: Formula

    def __str__(self) -> str:
        """Write it in words."""
        which = {"max": "the largest", "min": "the smallest", "sum": "the sum of all"}[self.what]
        left_out = "" if self.without is None else f", {self.index} ≠ {self.without}"
        return f"{which} {self.body}{left_out}"


def without_index(text: str) -> tuple[str, dict[str, Over]]:
    """Return a condition with a name for all that runs over an index, and what these stand for.

    >>> text, over = without_index("s_j - max_{i≠j} s_i >= 9, for all i ≠ j")
    >>> text, str(over["m_1"])
    ('s_j - m_1 >= 9', 'the largest s_i, i ≠ j')

    A text that cannot be read comes back as it is: what is wrong with it is said elsewhere.
    """
    try:
        plain, found = _taken_out(text)
        parse(plain)
    except FormulaError:
        return text, {}
    return plain, found


def _taken_out(text: str) -> tuple[str, dict[str, Over]]:
    found: dict[str, Over] = {}
    tail = _QUANTIFIER.search(text)
    if tail and tail[2]:
        text = text[: tail.start()]
    for operator in reversed(list(_OPERATOR.finditer(text))):  # the innermost first
        end = _end(text, operator.end())
        body = text[operator.end() : end]
        if not body.strip() or any(name in body for name in found):
            continue  # one within another cannot be read
        what: Literal["max", "min", "sum"] = operator[1] or "sum"  # type: ignore[assignment]
        name = f"m_{len(found) + 1}"
        found[name] = Over(what, operator[2] or operator[4], operator[3], parse(body))
        text = f"{text[: operator.start()]}{name} {text[end:]}".rstrip()
    return text, found


def _end(text: str, begin: int) -> int:
    """Return where the term that begins at a place ends: at a sum, a relation or a bracket."""
    depth, place = 0, begin + len(text[begin:]) - len(text[begin:].lstrip())
    while place < len(text):
        ends = _ENDS.match(text, place)
        if depth == 0 and ends and text[begin:place].strip():
            return place
        depth += (text[place] in _OPENING) - (text[place] in _CLOSING)
        if depth < 0:
            return place
        place += 1
    return place
