"""Texts that a submission made, as they may be shown: no escapes, no tricks with direction, cut."""

from __future__ import annotations

import unicodedata

# Format characters turn text around or hide in it; surrogates and private ones have no picture.
HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def printable(text: str, most: int = 200, *, lines: bool = False) -> str:
    r"""Return a text with what cannot be seen left out, and cut after `most` characters.

    >>> printable("\x1b[31mred\x1b[0m \u202eback")
    '[31mred[0m back'

    Args:
        text: anything.
        most: how many characters may stay.
        lines: whether line ends stay; they become spaces otherwise.
    """
    text = text[: 4 * most].replace("\r\n", "\n").replace("\t", "    ")
    if not lines:
        text = text.replace("\n", " ")
    seen = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in HIDDEN)
    return seen if len(seen) <= most else seen[: most - 1] + "…"
