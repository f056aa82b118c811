"""What `regard show` prints: the whole statement, the fields of an answer, and how one is written.

A statement is never cut off. What is said about the fields takes as few lines as it can, so that
most problems are one screen of a terminal.
"""

from __future__ import annotations

import shlex
from itertools import groupby
from typing import TYPE_CHECKING

from regard.report import document as doc
from regard.report.characters import columns, shorten
from regard.report.text.plain import lines as plain_lines
from regard.report.text.screen import COLUMNS, LINES, Line, hanging

if TYPE_CHECKING:
    from regard.problems import Problem
    from regard.problems.answer_fields import AnswerField

_INDENT = "  "
_WIDEST_NAME = 16  # columns of the names of fields that stand before what belongs there
_MOST_NAMED = 4  # of fields in the command that shows the syntax


def of_question(
    problem: Problem, fields: tuple[AnswerField, ...], name: str, width: int = COLUMNS
) -> list[Line]:
    """Return a problem as lines: title, place, statement, numbers, fields, one command."""
    from regard.problems.given_numbers import given_numbers
    from regard.problems.problem_sets import place

    found: list[Line] = [(line, "bold cyan") for line in hanging("", problem.title, width)]
    if place(problem):
        found += [(line, "dim") for line in hanging("", place(problem), width)]
    numbers = given_numbers(problem)
    blocks: list[doc.Block] = [
        doc.Prose(problem.statement),
        *([doc.Facts(numbers)] if numbers else []),
    ]
    for block in blocks:
        found += [("", ""), *((line, "") for line in plain_lines(block, width))]
    if not fields:
        return [*found, ("", ""), *_without_fields(problem, name, width)]
    told, written = _fields(fields, width), _syntax(fields, name, width)
    if len(found) + 1 + len(told) + len(written) > LINES:
        names = ", ".join(field.name for field in fields)
        told = [(line, "") for line in hanging("", f"Your answer has {names}: see --full.", width)]
        written = _syntax(fields, name, width, 2)
    return [*found, ("", ""), *told, *written]


def _without_fields(problem: Problem, name: str, width: int) -> list[Line]:
    """Return how an answer is given: a program, or what a kind without `fields` takes."""
    from regard.problems.registry import part

    if part(problem.kind, "start") is None:
        said = (
            "What an answer is made of is in the statement: a file with fields, or field=formula."
        )
        return [(line, "") for line in hanging("", said, width)]
    said = (
        f"The answer is a file with these functions, .py or .ipynb. To begin: regard start {name} "
        "-o mine.py"
    )
    found: list[Line] = [(line, "") for line in hanging("", said, width)]
    return [*found, (f"To check: regard check {name} mine.py", "green")]


def _fields(fields: tuple[AnswerField, ...], width: int) -> list[Line]:
    """Return the fields with what belongs there; those that are alike share a line."""
    found: list[Line] = [("Your answer has", "bold")]
    for (what, optional), alike in groupby(fields, lambda field: (field.what, field.optional)):
        names = ", ".join(field.name for field in alike)
        text = f"{what}{' (may be left out)' if optional else ''}"
        marker = f"{_INDENT}{names}  "
        if columns(marker) <= _WIDEST_NAME:
            found += [(line, "") for line in hanging(marker, text, width)]
        else:
            lines = hanging(f"{_INDENT}{_INDENT}", f"{names}: {text}", width)
            found += [(f"{_INDENT}{lines[0].lstrip()}", ""), *((line, "") for line in lines[1:])]
    return found


def _syntax(
    fields: tuple[AnswerField, ...], name: str, width: int, most: int = _MOST_NAMED
) -> list[Line]:
    """Return one command that shows how fields are written, without being the answer."""
    needed = [field for field in fields if not field.optional]
    if len(needed) == 1:
        values = [_in_shell(needed[0].example)]
    else:
        values = [f"{field.name}={_in_shell(field.example)}" for field in needed[:most]]
    values += ["…"] if len(needed) > most else []
    head = f"regard check {name}"
    lines = [head]
    for value in values:
        if columns(f"{_INDENT}{lines[-1]} {value} \\") <= width:
            lines[-1] += f" {value}"
        else:
            lines[-1] += " \\"
            lines.append(f"{_INDENT}{_INDENT}{value}")
    said = "How it is written (not the answer):"
    if len(lines) == 1 and columns(f"{said} {head}") + columns(lines[0]) - columns(head) <= width:
        return [(f"{said} {lines[0]}", "")]
    return [(said, "bold"), *((shorten(f"{_INDENT}{line}", width), "green") for line in lines)]


def _in_shell(example: str) -> str:
    """Return a value as it is typed on the command line.

    >>> _in_shell('"C (k_b - 2 k_a)"'), _in_shell("[3, 5]"), _in_shell("true")
    ('"C (k_b - 2 k_a)"', '"[3, 5]"', 'true')
    """
    if example[:1] == '"' or example.replace(".", "").isalnum():
        return example
    return f'"{example}"' if '"' not in example and "$" not in example else shlex.quote(example)
