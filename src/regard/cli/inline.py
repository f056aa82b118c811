"""Answers written on the command line: a formula, or field=formula for each field."""

from __future__ import annotations

import re
from typing import Any

from regard.errors import InvalidAnswer

# q=…, q = …, M=…; not q == …, and not s_j >= …
_FIELD = re.compile(r"\s*([A-Za-z]\w{0,79})\s*=(?!=)(.*)", re.DOTALL)


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
