"""What an answer gives: a Python file."""

from __future__ import annotations

from regard.kinds.code.spec import CodeProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: CodeProblem) -> tuple[AnswerField, ...]:
    """Return none: an answer is a file with the functions of the skeleton."""
    return ()
