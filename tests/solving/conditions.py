"""What the names of a condition stand for, one case for every other key."""

from __future__ import annotations

from regard.kinds.condition.spec import ConditionProblem
from regard.problems.instances import Float64

__all__ = ["condition_cases"]


def condition_cases(
    problem: ConditionProblem, scores: Float64, keys: Float64 | None = None
) -> list[dict[str, Float64 | float]]:
    """Return the numbers and arrays by name; a condition holds if it does in every case.

    Args:
        problem: whose names are used.
        scores: (n,).
        keys: (n, d), for conditions about keys.
    """
    goal, row = problem.goal, problem.given.names[problem.goal.of]
    shared: dict[str, Float64 | float] = {
        "n": float(len(scores)),
        "epsilon": goal.epsilon,
        "R": goal.ratio,
        "s": scores,
        f"s_{goal.of}": float(scores[row]),
    }
    if keys is not None:
        shared[f"k_{goal.of}"] = keys[row]
    cases = []
    for i in range(len(scores)):
        if i != row:
            case = {**shared, f"s_{goal.other}": float(scores[i])}
            cases.append(case if keys is None else {**case, f"k_{goal.other}": keys[i]})
    return cases
