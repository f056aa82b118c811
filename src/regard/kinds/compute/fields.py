"""What an answer gives: numbers."""

from __future__ import annotations

from regard.kinds.compute.spec import MATRICES, ComputeProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: ComputeProblem) -> tuple[AnswerField, ...]:
    """Return the names of what is to be computed."""
    return tuple(_field(name) for name in problem.goal.find)


def _field(name: str) -> AnswerField:
    if name in MATRICES:
        return AnswerField(name, "rows of numbers, or formulas", '"[[0.25, 1/3], [-2, 0.75]]"')
    return AnswerField(name, "numbers, or formulas", '"[0.25, 1/3]"')
