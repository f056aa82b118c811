"""What an answer gives: whether it can be done, and what comes out."""

from __future__ import annotations

from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: FeasibilityProblem) -> tuple[AnswerField, ...]:
    """Return `possible`, the output that is asked about, and the changed token."""
    label = next(iter(problem.goal.output))
    basis = problem.given.basis.names
    example = f'"{basis[0]} - 2 {basis[-1]}"'
    return (
        AnswerField("possible", "whether it can be done", "true"),
        AnswerField(label, "the output that comes out then, or instead", example),
        AnswerField(
            problem.given.change.token, "if it is possible: the token that does it", example, True
        ),
    )


def goals(problem: FeasibilityProblem) -> tuple[str, ...]:
    """Return what `points` are given for: whether it can be done, and what comes out."""
    return tuple(field.name for field in fields(problem) if not field.optional)
