"""One query that gives the weights asked for."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from regard.problems.head import Problem
from regard.problems.keys import Keys, WeightsGoal, names_are_declared


class QueryProblem(Problem):
    """A query q; with random keys one whose output stays near what is wanted."""

    kind: Literal["query"]
    given: Keys
    goal: WeightsGoal

    @model_validator(mode="after")
    def _names(self) -> QueryProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        return self


PROBLEM = QueryProblem
