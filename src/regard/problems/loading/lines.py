"""Where in a TOML file a key stands, so that a message can name the line.

Python's own reader keeps no positions. This finds the lines of tables and of the keys that
begin a line; a part of an inline table or of a long list is found by the line of its key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=""")
_LONG_STRING = re.compile(r'"""|' + "'''")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    r"""Return the line, from 1, of the longest beginning of path that is found in text.

    >>> line_of('id = "x"\n[given]\nn = 0\n', ["given", "n"])
    3
    """
    lines = _lines(text)
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return None


def _lines(text: str) -> dict[tuple[str | int, ...], int]:
    found: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    inside: str | None = None  # the quotes of a string that goes on over several lines
    for number, line in enumerate(text.splitlines(), start=1):
        quotes = _LONG_STRING.findall(line)
        if inside is not None:
            if inside in quotes:
                inside = None
            continue
        if len(quotes) % 2:
            inside = quotes[-1]
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                found.setdefault(table, number)
                table = (*table, counts[table])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
