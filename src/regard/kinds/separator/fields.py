"""What an answer gives: a matrix."""

from __future__ import annotations

from regard.kinds.separator.spec import SeparatorProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: SeparatorProblem) -> tuple[AnswerField, ...]:
    """Return M, and the side it stands on."""
    return (
        AnswerField("M", "a matrix, in S and T, whose columns are the bases", '"3 T T\'"'),
        AnswerField("side", "which product is meant", f'"{problem.goal.side}"', True),
    )
