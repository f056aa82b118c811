"""The gaps that a score needs, scores on either side of them, and the letters of a problem."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.kinds.condition.spec import ConditionProblem
from regard.solving.key_tables import symbol

Float64 = NDArray[np.float64]

MOST_TRIED = 8  # keys of the instances that show both sides
NEAR = 1e-3  # how far from the border they are


def gaps(n: int, epsilon: float) -> tuple[float, float]:
    """The sufficient and the necessary gap."""
    needed = math.log1p(-epsilon) - math.log(epsilon)
    return needed + math.log(n - 1), needed


def sides(problem: ConditionProblem) -> list[Float64]:
    """Scores (key j first) just on either side of the border, in the two extreme cases."""
    n = min(problem.given.n, MOST_TRIED)
    enough, needed = gaps(n, problem.goal.epsilon)
    low = -needed - 60.0  # all but one rival score next to nothing
    found = []
    for way in (1, -1):
        near = way * NEAR
        found.append(np.append(enough + near, np.zeros(n - 1)))
        if n > 2:
            found.append(np.concatenate([[needed + near], [0.0], np.full(n - 2, low)]))
    return found


def named(problem: ConditionProblem, scores: Float64, epsilon: str) -> dict[str, Any]:
    """Scores with key j first, by the names that conditions use; i is the strongest rival."""
    unit = [1] + [0] * (len(scores) - 1)
    return {
        "s": scores.tolist(),
        f"s_{problem.goal.of}": float(scores[0]),
        f"s_{problem.goal.other}": float(np.max(scores[1:])),
        "u": unit,
        "n": len(scores),
        "epsilon": epsilon,
    }


def renamed_step(problem: ConditionProblem, step: tuple[str, str]) -> tuple[str, str]:
    """Write a step about j and i in the letters of the problem."""
    return renamed(problem, step[0]), renamed(problem, step[1])


def renamed(problem: ConditionProblem, text: str) -> str:
    """Write LaTeX about keys j and i in the letters of the problem."""
    j, i = (symbol(f"x_{name}")[2:] for name in (problem.goal.of, problem.goal.other))
    if (j, i) == ("j", "i"):
        return text
    for old, mark in (("_j", "\x00"), ("_i", "\x01"), (r"i \ne j", "\x02")):
        text = text.replace(old, mark)
    return text.replace("\x00", f"_{j}").replace("\x01", f"_{i}").replace("\x02", rf"{i} \ne {j}")
