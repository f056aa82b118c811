r"""The arrays of a problem, for whoever has to work with them.

A statement need not repeat the numbers of its problem: a variant has others. So they are shown
beside it, for the kinds whose `fields` say `SHOWS_ARRAYS`, unless the statement writes matrices out
itself.
"""

from __future__ import annotations

from typing import Any

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.head import Problem
from regard.problems.registry import part
from regard.problems.writing import to_dict

MOST_ROWS, MOST_COLUMNS = 16, 12
_MATRIX = r"\begin{bmatrix}"


def given_numbers(problem: Problem) -> tuple[tuple[str, str], ...]:
    r"""Return names and arrays, as LaTeX between dollars; () where the statement tells them.

    >>> from regard.problems import load
    >>> given_numbers(load("select-the-first-value"))
    (('keys', '$\\begin{bmatrix} 2 & 0 \\\\ 0 & 1 \\\\ -1 & -1 \\end{bmatrix}$'),)
    """
    if not getattr(part(problem.kind, "fields"), "SHOWS_ARRAYS", False):
        return ()
    if _MATRIX in problem.statement:
        return ()
    given = to_dict(problem)["given"]
    if isinstance(given.get("numbers"), dict):
        given = given["numbers"]
    found = []
    for name, value in given.items():
        rows = value
        if isinstance(value, dict) and value.get("law") == "fixed":
            rows = value["rows"]
        if _is_row(rows):
            rows = [rows]
        if _is_table(rows):
            found.append((name, f"${_matrix(rows)}$"))
    return tuple(found)


def _is_row(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_COLUMNS:
        return False
    return all(isinstance(x, int | float) or _is_constant(x) for x in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= MOST_ROWS and all(map(_is_row, value))


def _is_constant(value: Any) -> bool:
    """Whether a text is a number such as 1/3 or sqrt(2)/2."""
    try:
        return isinstance(value, str) and not parse(value).names
    except FormulaError:
        return False


def _matrix(rows: list[Any]) -> str:
    inside = r" \\ ".join(" & ".join(map(_entry, row)) for row in rows)
    return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"


def _entry(value: Any) -> str:
    return parse(value).to_latex() if isinstance(value, str) else f"{value:.12g}"
