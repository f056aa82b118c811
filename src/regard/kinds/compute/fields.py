"""What an answer gives: numbers."""

from __future__ import annotations

from regard.kinds.compute.spec import PROBLEM as ComputeProblem
from regard.kinds.compute.spec.names import quantity
from regard.problems.answer_fields import AnswerField

SHOWS_ARRAYS = True
_EXAMPLES = {0: "0.25", 1: '"[0.25, 1/3]"', 2: '"[[0.25, 1/3], [-2, 0.75]]"'}
_WHAT = {0: "a number", 1: "numbers, or formulas", 2: "rows of numbers, or formulas"}


def fields(problem: ComputeProblem) -> tuple[AnswerField, ...]:
    """Return the names of what is to be computed: an entry, a row, or all rows."""
    found = []
    for name in problem.goal.find:
        asked = quantity(name, problem.given)
        axes = 2 - (asked.row is not None) - (asked.column is not None)
        found.append(AnswerField(name, _WHAT[axes], _EXAMPLES[axes]))
    return tuple(found)


def goals(problem: ComputeProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each thing that is to be computed."""
    return tuple(field.name for field in fields(problem) if not field.optional)
