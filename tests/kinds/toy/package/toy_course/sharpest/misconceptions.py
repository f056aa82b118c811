"""What is got wrong about the sharpest key."""

from __future__ import annotations

from dataclasses import dataclass

from regard.checking.mistakes import Mistake
from toy_course.sharpest.instance import scores_of
from toy_course.sharpest.spec import SharpestProblem


@dataclass(frozen=True)
class Case:
    """An answer, and the weight that is right."""

    problem: SharpestProblem
    key: float
    said: float
    weight: float


def _all_the_weight(problem: SharpestProblem) -> dict[str, float]:
    scores = scores_of(problem)
    return {"key": scores.index(max(scores)) + 1, "weight": 1.0}


MISTAKES: tuple[Mistake[SharpestProblem, Case], ...] = (
    Mistake(
        "toy-all-the-weight",
        "The key with the largest score gets the most weight, and not all of it.",
        lambda case: case.said == 1.0,
        _all_the_weight,
        "A maximum for a softmax",
        hint="What does softmax make of a key that does not win?",
    ),
)
OFTEN = ("toy-all-the-weight",)
