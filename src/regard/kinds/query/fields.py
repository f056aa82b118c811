"""What an answer gives: one query, or the least error."""

from __future__ import annotations

from regard.kinds.heads.fields import INSTANCE_FIRST
from regard.kinds.heads.fields import fields as of_heads
from regard.kinds.query.spec import QueryProblem
from regard.problems.answer_fields import AnswerField

__all__ = ["INSTANCE_FIRST", "fields"]


SHOWS_ARRAYS = True


def fields(problem: QueryProblem) -> tuple[AnswerField, ...]:
    """Return `q` and its factor, or `error`."""
    if problem.goal.find == ["error"]:
        return (AnswerField("error", "the least error that a query can have", "0.25"),)
    found = of_heads(problem)
    if problem.goal.longest is None:
        return found
    return (*found, AnswerField("possible", "false, alone, if no query does it", "false", True))
