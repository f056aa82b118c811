"""Answers written on the command line: a formula, or field=formula for each field."""

from __future__ import annotations

import re
from typing import Any

from regard.errors import InvalidAnswer

# q=…, q = …, M=…; not q == …, and not s_j >= …
_FIELD = re.compile(r"\s*([A-Za-z]\w{0,79})\s*=(?!=)(.*)", re.DOTALL)


def apart(text: str, names: list[str]) -> list[str]:
    """Return a text as field=formula for each, where it names several of these fields.

    >>> apart("q_1 = C mu_a, q_2 = C mu_b", ["q_1", "q_2", "C"])
    ['q_1 = C mu_a', 'q_2 = C mu_b']
    >>> apart("C (k_a + k_b), C=20", ["q", "C"])
    ['q=C (k_a + k_b)', 'C=20']
    """
    if not names or "\n" in text:
        return [text]
    found = re.compile(rf"(?:\s*[,;]\s*|\s+)(?=(?:{'|'.join(map(re.escape, names))})\s*=(?!=))")
    pieces = found.split(text.strip())
    if len(pieces) == 1 or any(piece.count("(") != piece.count(")") for piece in pieces):
        return [text]
    first = pieces[0] if _FIELD.fullmatch(pieces[0]) else f"{names[0]}={pieces[0]}"
    return [first, *pieces[1:]]


def inline(said: list[str]) -> dict[str, Any] | str:
    """Return the fields that were written, or the one text that is a file or a formula.

    >>> inline(["q=C (k_a + k_b)", "C=20"])
    {'q': 'C (k_a + k_b)', 'C': 20}
    >>> inline(["s_j - s_i >= 3"])
    's_j - s_i >= 3'
    """
    from regard.checking.typed.fields import typed  # slow to load

    found: dict[str, Any] = {}
    for text in said:
        match = _FIELD.fullmatch(text)
        if match is None:
            if len(said) == 1:
                return text
            raise InvalidAnswer(
                f"{text[:80]!r}: with several fields write each as field=formula, such as "
                'q_1="C k_a" q_2="C k_b".'
            )
        name, value = match.groups()
        if name in found:
            raise InvalidAnswer(f"answer: {name} is given twice.")
        found[name] = typed(value.strip())
    return found
