"""Is this the key, and is this its weight?"""

from __future__ import annotations

import math

from regard.checking import Answer, GoalResult, Verdict
from regard.checking.mistakes import recognise
from toy_course.sharpest.misconceptions import MISTAKES, Case
from toy_course.sharpest.spec import SharpestProblem


def judge(problem: SharpestProblem, answer: Answer) -> Verdict:
    """Judge the two numbers of an answer, each by itself."""
    answer.need("key")
    answer.need("weight")
    answer.only("key", "weight")
    scores = [
        sum(a * b for a, b in zip(key, problem.given.query, strict=True))
        for key in problem.given.keys
    ]
    top = max(scores)
    weight = 1 / sum(math.exp(score - top) for score in scores)
    key, said = float(answer.fields["key"]), float(answer.fields["weight"])
    best = key == int(key) and 1 <= key <= len(scores) and scores[int(key) - 1] == top
    off = abs(said - weight)
    near = off <= problem.goal.tolerance
    goals = (
        GoalResult("the key", "this", best, "it is" if best else "another has more weight"),
        GoalResult("its weight", "this", near, f"off by {off:.3g}", off, problem.goal.tolerance),
    )
    wrong = None if best and near else recognise(MISTAKES, Case(problem, key, said, weight))
    return Verdict(problem, goals, misconception=wrong)
