r"""Arrays of numbers as formulas: rows in brackets, a vector in parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from regard.report.numbers import number

MOST_ROWS: Final = 10  # and columns, that are written out: as many as a matrix of the notation has
_POWER = re.compile(r"(\d)e([-+]?\d+)")


def array(value: Any, digits: int = 6) -> str:
    r"""Return rows of numbers as a formula between dollars; "" for what is none, or is too large.

    >>> array([[1, -0.5], [0, 2]]), array([3, 1e-7]), array("x")
    ('$\\begin{bmatrix} 1 & -0.5 \\\\ 0 & 2 \\end{bmatrix}$', '$(3, 1 \\times 10^{-7})$', '')
    """
    if _is_row(value):
        return f"$({', '.join(_entry(x, digits) for x in value)})$"
    if _is_table(value):
        return f"${matrix(value, digits)}$"
    return ""


def shown(value: Any) -> str:
    """Return a number, or rows of numbers: as a formula, or as lists where they are too large."""
    if not isinstance(value, Sequence):
        return number(float(value))
    return array(value) or f"[{', '.join(map(shown, value))}]"


def matrix(rows: Sequence[Sequence[float]], digits: int = 6) -> str:
    """Return rows of numbers as LaTeX in brackets."""
    lines = r" \\ ".join(" & ".join(_entry(x, digits) for x in row) for row in rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def _is_list(value: Any) -> bool:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and 0 < len(value) <= MOST_ROWS


def _is_row(value: Any) -> bool:
    if not _is_list(value):
        return False
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)


def _is_table(value: Any) -> bool:
    if not _is_list(value):
        return False
    return all(_is_row(row) and len(row) == len(value[0]) for row in value)


def _entry(value: float, digits: int) -> str:
    text = number(value, digits)
    text = text.replace("infinity", r"\infty").replace("not a number", r"\text{NaN}")
    return _POWER.sub(lambda m: rf"{m[1]} \times 10^{{{int(m[2])}}}", text)
