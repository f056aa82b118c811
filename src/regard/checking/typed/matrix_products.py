r"""Products of matrices without a space: `QK^\top` where Q and K are matrices and QK is nothing."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["letters_apart", "matrix_letters"]

_CAPITALS: Final = re.compile(r"(?<![A-Za-z0-9_\\{])[A-Z]{2,4}(?![A-Za-z0-9_(])")


def matrix_letters(problem: Any) -> frozenset[str]:
    """Return the capital letters that a problem calls matrices by; none where a word may be one."""
    if problem.kind == "separator":
        return frozenset("ST")
    shapes = getattr(problem.given, "shapes", None)
    if problem.kind not in ("identity", "symmetry") or not shapes:
        return frozenset()
    names = {*shapes, *getattr(problem.given, "define", {})}
    if any(len(name) > 1 and name.isalpha() and name.isupper() for name in names):
        return frozenset()
    if problem.kind == "symmetry":
        names |= set("PY")  # the permutation, and the output before the change
    return frozenset(name for name in names if len(name) == 1 and name.isupper())


def letters_apart(text: str, letters: frozenset[str]) -> str:
    r"""Return a formula with a space between matrices that stand side by side.

    >>> letters_apart(r"softmax(QK^\top) V + QX", frozenset("QKV"))
    'softmax(Q K^\\top) V + QX'
    """

    def apart(word: re.Match[str]) -> str:
        return " ".join(word[0]) if set(word[0]) <= letters else word[0]

    return _CAPITALS.sub(apart, text)
