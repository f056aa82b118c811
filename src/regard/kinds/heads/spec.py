"""One query per head; what the heads bring is averaged."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Count
from regard.problems.head import Problem
from regard.problems.keys import Keys, WeightsGoal, covariances_fit, names_are_declared


class HeadsGoal(WeightsGoal):
    """Several heads, whose outputs are averaged."""

    heads: Annotated[Count, Field(ge=2, le=16)] = 2
    combine: Literal["mean"] = "mean"


class HeadsProblem(Problem):
    """Queries q_1, q_2, …, one per head."""

    kind: Literal["heads"]
    given: Keys
    goal: HeadsGoal

    @model_validator(mode="after")
    def _names(self) -> HeadsProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        covariances_fit("several heads", self.given)
        return self


PROBLEM = HeadsProblem
