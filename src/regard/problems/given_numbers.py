r"""The arrays of a problem, for whoever has to work with them.

A statement need not repeat the numbers of its problem: a variant has others. So they are shown
beside it, for the kinds whose `fields` say `SHOWS_ARRAYS`, unless the statement writes matrices out
itself.
"""

from __future__ import annotations

import re
from typing import Any

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.head import Problem
from regard.problems.registry import part
from regard.problems.statement_numbers import matrix, names_in
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
            found.append((name, f"${matrix(rows)}$"))
    return tuple(found)


def untold(problem: Problem) -> list[str]:
    """Return which numbers vary and are neither in the statement nor shown beside it."""
    told = names_in(problem.template)
    shown = {name for name, _ in given_numbers(problem)}

    def is_told(name: str) -> bool:
        if name == "weights":
            return any(one.startswith("w_") for one in told)
        matrix_name = re.sub(r"(_\d+){1,2}$", "", name)
        return bool({name, matrix_name} & (told | shown)) or any(
            re.fullmatch(rf"{name}(_\d+){{1,2}}", one) for one in told
        )

    return [name for name in problem.vary or () if not is_told(name)]


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
