"""What an answer gives: an inequality."""

from __future__ import annotations

from regard.kinds.condition.spec import ConditionProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: ConditionProblem) -> tuple[AnswerField, ...]:
    """Return the one field, with an inequality in the letters of the problem."""
    of, other = problem.goal.of, problem.goal.other
    if problem.goal.effect in ("aligned", "dominable"):
        names, example = f"the keys k_{of}, k_{other}", f"3 norm(k_{other}) > norm(k_{of})"
    else:
        names, example = f"the scores s_{of}, s_{other}, all scores s", f"2 s_{of} + s_{other} >= 1"
    what = f"an inequality in {names}; it is meant for every other {other}"
    return (AnswerField("condition", what, f'"{example}"'),)


def goals(problem: ConditionProblem) -> tuple[str, ...]:
    """Return what `points` are given for: that it is sufficient and, where asked, necessary."""
    return ("sufficient", "necessary") if problem.goal.exact else ("sufficient",)
