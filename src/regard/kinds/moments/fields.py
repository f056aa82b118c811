"""What an answer gives: closed forms."""

from __future__ import annotations

from regard.kinds.moments.spec import MomentsProblem
from regard.problems.answer_fields import AnswerField

_WHAT = {
    "mean": "the mean, as a formula in the symbols of the problem",
    "variance": "the variance, as a formula in the symbols of the problem",
    "s": "what to divide by, as a formula in the symbols of the problem",
}


def fields(problem: MomentsProblem) -> tuple[AnswerField, ...]:
    """Return what was asked for."""
    symbol = next(iter(problem.given.parameters), "3")
    return tuple(
        AnswerField(name, _WHAT[name], f'"1 + sqrt({symbol})"') for name in problem.goal.find
    )


def goals(problem: MomentsProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each field."""
    return tuple(field.name for field in fields(problem) if not field.optional)
