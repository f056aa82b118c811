"""What an answer gives: a key, and its weight."""

from __future__ import annotations

from regard.problems.answer_fields import AnswerField
from toy_course.sharpest.spec import SharpestProblem

SHOWS_ARRAYS = True


def fields(problem: SharpestProblem) -> tuple[AnswerField, ...]:
    """Return `key` and `weight`."""
    keys = len(problem.given.keys)
    return (
        AnswerField("key", f"which key, from 1 to {keys}", "1"),
        AnswerField("weight", "its weight, as a number", "0.25"),
    )
