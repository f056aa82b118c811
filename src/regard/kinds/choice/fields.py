"""What an answer gives: true or false for each statement, and reasons."""

from __future__ import annotations

from regard.kinds.choice.spec import ChoiceProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: ChoiceProblem) -> tuple[AnswerField, ...]:
    """Return the labels of the statements, and the reasons that are asked for."""
    # All true is no answer that a question would have.
    found = [AnswerField(s.label, "true or false", "true") for s in problem.goal.statements]
    what = "a chain of equations, or numbers that show that it fails"
    name = next(iter(problem.given.shapes), "1")
    example = f'"{name} = 2 {name}"'
    return (
        *found,
        *(AnswerField(f"reason_{name}", what, example) for name in problem.goal.reasons),
    )


def goals(problem: ChoiceProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each statement, and each reason that is asked for."""
    return tuple(field.name for field in fields(problem) if not field.optional)
