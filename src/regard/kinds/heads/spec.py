"""One query per head; what the heads bring is averaged. A single query is the case of one head."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Count
from regard.problems.head import Problem
from regard.problems.keys import Keys, WeightsGoal, covariances_fit, names_are_declared


class WeightsProblem(Problem):
    """Queries with which keys get given weights: what `heads` and `query` have in common."""

    given: Keys
    goal: WeightsGoal

    @property
    def query_names(self) -> tuple[str, ...]:
        """What the queries are called in an answer: q, or q_1, q_2 and so on."""
        return ("q",)

    @property
    def wanted_rows(self) -> list[int]:
        """The rows of the keys that are to have weight, in the order of the goal."""
        return [self.given.names[name] for name in self.goal.weights]

    @model_validator(mode="after")
    def _names(self) -> WeightsProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        return self


class HeadsGoal(WeightsGoal):
    """Several heads, whose outputs are averaged."""

    heads: Annotated[Count, Field(ge=2, le=16)] = 2
    combine: Literal["mean"] = "mean"


class HeadsProblem(WeightsProblem):
    """Queries q_1, q_2, …, one per head."""

    kind: Literal["heads"]
    goal: HeadsGoal

    @property
    def query_names(self) -> tuple[str, ...]:
        """What the queries are called in an answer."""
        return tuple(f"q_{h + 1}" for h in range(self.goal.heads))

    @model_validator(mode="after")
    def _covariances(self) -> HeadsProblem:
        covariances_fit("several heads", self.given)
        return self


PROBLEM = HeadsProblem
