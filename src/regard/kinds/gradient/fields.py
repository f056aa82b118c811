"""What an answer gives: gradients as formulas or numbers, or a bound."""

from __future__ import annotations

from regard.kinds.gradient.spec import GradientProblem
from regard.problems.answer_fields import AnswerField

SHOWS_ARRAYS = True
_EXAMPLES = {"J": '"2 diag(s)"', "ds": '"2 s"'}  # of a softmax, which has no G


def fields(problem: GradientProblem) -> tuple[AnswerField, ...]:
    """Return the gradients that are asked for, and the bound."""
    found = []
    for name in problem.goal.find:
        if problem.in_numbers:
            found.append(AnswerField(name, "numbers, or a formula", "[[0.25, 1.5], [-2, 0.75]]"))
        else:
            what = "a formula in the arrays of the problem and in other gradients"
            found.append(AnswerField(name, what, _EXAMPLES.get(name, '"2 G"')))
    if problem.goal.bound is not None:
        found.append(AnswerField("bound", "an upper bound, in n and gamma", '"n gamma"'))
    return tuple(found)


def goals(problem: GradientProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each gradient, or the bound."""
    return tuple(field.name for field in fields(problem) if not field.optional)
