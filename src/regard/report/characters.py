"""What every renderer does to a string before it shows it, and how wide a terminal shows it."""

from __future__ import annotations

import re
import unicodedata

_SPACE = re.compile("[ \t-\r\x1c-\x1f\x85\u2028\u2029]+")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
# A terminal obeys control characters, an encoder refuses lone surrogates, XML refuses the two
# last code points, and the marks that reverse a line make it read as what it does not say.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    r"""Return text with each run of white space as one space and � for what must not be shown.

    A space that does not break (U+00A0) stays.

    >>> plain("a\n  b \x1b[31m")
    'a b �[31m'
    """
    return _UNPRINTABLE.sub("\ufffd", _SPACE.sub(" ", text).strip(" "))


def verbatim(text: str) -> list[str]:
    r"""Return the lines of a text as they are, tabs as spaces and � for what must not be shown.

    >>> verbatim("if x:\n\ty\x1b\n")
    ['if x:', '    y�']
    """
    lines = [line.expandtabs(4).rstrip() for line in _LINE_END.split(text)]
    while lines and not lines[-1]:
        lines.pop()
    return [_UNPRINTABLE.sub("\ufffd", line) for line in lines]


def columns(text: str) -> int:
    """Return how many columns of a terminal text takes.

    >>> columns("α̂ ≤ 中")
    6
    """
    return len(text) if text.isascii() else sum(_columns_of_one(c) for c in text)


def _columns_of_one(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """Break plain text at spaces into lines of at most width columns, width at least 2.

    A word wider than a line is broken where the line ends. Nothing but spaces is lost.
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and columns(line) + 1 + columns(word) <= width:
            line += " " + word
            continue
        if line:
            lines.append(line)
        line, rest = _cut(word, width)
        while rest:
            lines.append(line)
            line, rest = _cut(rest, width)
    lines.append(line)
    return lines


def shorten(text: str, width: int) -> str:
    """Return text if it fits into width columns, else its beginning and …."""
    return text if columns(text) <= width else _cut(text, width - 1)[0] + "…"


def _cut(text: str, width: int) -> tuple[str, str]:
    """Return the longest beginning of text that fits into width columns, and the rest."""
    used = 0
    for i, character in enumerate(text):
        used += _columns_of_one(character)
        if used > width:
            return text[:i], text[i:]
    return text, ""
