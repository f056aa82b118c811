"""One query, or one per head, that gives the weights asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Count
from regard.problems.head import Head
from regard.problems.kinds.keys import Keys, WeightsGoal, covariances_fit, names_are_declared


class QueryProblem(Head):
    """A query q; with random keys one whose output stays near what is wanted."""

    kind: Literal["query"]
    given: Keys
    goal: WeightsGoal

    @model_validator(mode="after")
    def _names(self) -> QueryProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        return self


class HeadsGoal(WeightsGoal):
    """Several heads, whose outputs are averaged."""

    heads: Annotated[Count, Field(ge=2, le=16)] = 2
    combine: Literal["mean"] = "mean"


class HeadsProblem(Head):
    """Queries q_1, q_2, …, one per head."""

    kind: Literal["heads"]
    given: Keys
    goal: HeadsGoal

    @model_validator(mode="after")
    def _names(self) -> HeadsProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        covariances_fit("several heads", self.given)
        return self
