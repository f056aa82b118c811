"""Sentences with words that stand out.

`From [6.91]{.target} on, one query does it.`

The words in square brackets have the colour named after them: "target" what is wanted or reached,
"query" what to do and what is proved, "bad" what does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

MARKED: Final = ("headline", "shows")  # roles of texts with such words
_MARKED = re.compile(r"\[([^\[\]]*)\]\{\.(target|query|bad)\}")


def marked(words: str, colour: str) -> str:
    """Return words that stand out; none where there is nothing to show.

    >>> marked("6.91", "target")
    '[6.91]{.target}'
    """
    return f"[{words}]{{.{colour}}}" if words else ""


def pieces(text: str) -> list[tuple[str, str]]:
    """Return the parts of a sentence, each with its colour or "".

    >>> pieces("From [6.91]{.target} on")
    [('', 'From '), ('target', '6.91'), ('', ' on')]
    """
    found, end = [], 0
    for match in _MARKED.finditer(text):
        found.append(("", text[end : match.start()]))
        found.append((match[2], match[1]))
        end = match.end()
    found.append(("", text[end:]))
    return [(colour, words) for colour, words in found if words]


def written(text: str, words: Callable[[str], str], colour: Callable[[str, str], str]) -> str:
    """Return the sentence with its parts as `words` writes them, and those that stand out coloured.

    Spaces at the ends of the other parts stay.

    >>> written("from [6.91]{.target} on", str.upper, lambda name, part: f"<{name} {part}>")
    'FROM <target 6.91> ON'
    """
    return "".join(
        colour(name, words(part))
        if name
        else f"{' ' * part.startswith(' ')}{words(part).strip(' ')}{' ' * part.endswith(' ')}"
        for name, part in pieces(text)
    )


def unmarked(text: str) -> str:
    """Return the sentence in one colour.

    >>> unmarked("From [6.91]{.target} on")
    'From 6.91 on'
    """
    return _MARKED.sub(r"\1", text)
