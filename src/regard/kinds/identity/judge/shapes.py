"""Are the sizes right that an answer names, such as N × D_K?"""

from __future__ import annotations

from dataclasses import replace

from regard.checking.mistakes import recognise
from regard.checking.verdict import Counterexample, GoalResult, Misconception
from regard.kinds.identity.misconceptions import MISTAKES
from regard.kinds.identity.misconceptions.case import Case
from regard.kinds.identity.reading import Asked

WEIGHT = 0.5  # of sizes, beside a formula


def judge_shapes(
    asked: Asked, stated: dict[str, tuple[str, ...]]
) -> tuple[list[GoalResult], Misconception | None, Counterexample | None]:
    """Judge the sizes of each formula; numbers are those of the example.

    Returns:
        a goal for each, and what is said of the first that is wrong.
    """
    goals: list[GoalResult] = []
    idea = example = None
    for claim in asked.problem.goal.claims:
        if claim.shape is None:
            continue
        name = f"the sizes of {claim.name}"
        goal = GoalResult(name, "this", False, "", weight=WEIGHT, part="shapes")
        if claim.name not in stated:
            missing = "they are asked for, and the answer does not say them"
            goals.append(replace(goal, sentence=missing))
            continue
        case = Case(asked, claim, stated[claim.name])
        said, passed = " × ".join(case.stated), case.names_sizes(claim.shape)
        sentence = said if passed else f"{said} is stated, and it is {' × '.join(claim.shape)}"
        goals.append(replace(goal, passed=passed, sentence=sentence))
        if not passed:
            idea = idea or recognise(MISTAKES, case)
            arrays = {claim.name: list(case.stated)}
            example = example or Counterexample(arrays, f"{claim.name}: {sentence}.")
    return goals, idea, example
