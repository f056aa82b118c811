"""Is this the key, and is this its weight?"""

from __future__ import annotations

import math

from regard.checking import Answer, Counterexample, GoalResult, Verdict
from regard.checking.mistakes import recognise
from regard.errors import InvalidAnswer
from toy_course.sharpest.instance import scores_of
from toy_course.sharpest.misconceptions import MISTAKES, Case
from toy_course.sharpest.spec import SharpestProblem


def judge(problem: SharpestProblem, answer: Answer) -> Verdict:
    """Judge the two numbers of an answer, each by itself."""
    answer.only("key", "weight")
    key, said = _number(answer, "key"), _number(answer, "weight")
    scores = scores_of(problem)
    top = max(scores)
    weight = 1 / sum(math.exp(score - top) for score in scores)
    best = key in range(1, len(scores) + 1) and scores[int(key) - 1] == top
    off = abs(said - weight)
    near = off <= problem.goal.tolerance
    goals = (
        GoalResult("the key", "this", best, "it is" if best else "another has more weight"),
        GoalResult("its weight", "this", near, f"off by {off:.3g}", off, problem.goal.tolerance),
    )
    if best and near:
        return Verdict(problem, goals)
    return Verdict(
        problem,
        goals,
        Counterexample(
            {"scores": scores}, f"The largest score is {top:g}, its weight {weight:.4g}."
        ),
        recognise(MISTAKES, Case(problem, key, said, weight)),
    )


def _number(answer: Answer, name: str) -> float:
    """Return a field that must be a number, such as 0.25 or exp(1)/(1 + exp(1))."""
    found = answer.value(name, {})
    if not isinstance(found, float):
        raise InvalidAnswer(f"answer: {name} must be one number.")
    return found
