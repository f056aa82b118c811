"""One query per head; what the heads bring is averaged. A single query is the case of one head."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Count
from regard.problems.head import Problem
from regard.problems.keys import Keys, Weights, WeightsGoal, covariances_fit, names_are_declared
from regard.problems.wanted_output import with_weights


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

    @property
    def own_weights(self) -> list[dict[int, float]]:
        """The weights wanted of each head by row; none where their average alone counts."""
        return []

    @model_validator(mode="before")
    @classmethod
    def _output_as_weights(cls, data: Any) -> Any:
        return with_weights(data)

    @model_validator(mode="after")
    def _names(self) -> WeightsProblem:
        names_are_declared("goal.weights", set(self.goal.weights), self.given)
        return self


class HeadsGoal(WeightsGoal):
    """Several heads, whose outputs are averaged.

    Attributes:
        heads: how many.
        combine: how their outputs become one.
        per_head: the weights wanted of each head, whichever head has which; left out, it is all
            the same how heads share the work. A head counts 1/heads in the average, so each may be
            off by the tolerance times the number of heads.
    """

    heads: Annotated[Count, Field(ge=2, le=16)] = 2
    combine: Literal["mean"] = "mean"
    per_head: list[Weights] = Field(default=[])

    @model_validator(mode="after")
    def _heads_make_up_the_average(self) -> HeadsGoal:
        if not self.per_head:
            return self
        if len(self.per_head) != self.heads:
            raise ValueError(f"per_head: {len(self.per_head)} entries for {self.heads} heads")
        for name in dict.fromkeys([*self.weights, *(n for one in self.per_head for n in one)]):
            got = sum(one.get(name, 0.0) for one in self.per_head) / self.heads
            if abs(got - self.weights.get(name, 0.0)) > 1e-9:
                raise ValueError(
                    f"per_head: the average over heads gives {name} {got:.6g}, and weights say "
                    f"{self.weights.get(name, 0.0):.6g}"
                )
        for at, one in enumerate(self.per_head):
            if abs(sum(one.values()) - 1) > 1e-9:
                raise ValueError(f"per_head: the weights of entry {at + 1} must sum to 1")
        return self


class HeadsProblem(WeightsProblem):
    """Queries q_1, q_2, …, one per head."""

    kind: Literal["heads"]
    goal: HeadsGoal

    @property
    def query_names(self) -> tuple[str, ...]:
        """What the queries are called in an answer."""
        return tuple(f"q_{h + 1}" for h in range(self.goal.heads))

    @property
    def own_weights(self) -> list[dict[int, float]]:
        """The weights wanted of each head by row; none where their average alone counts."""
        names = self.given.names
        return [{names[name]: w for name, w in one.items()} for one in self.goal.per_head]

    @model_validator(mode="after")
    def _covariances(self) -> HeadsProblem:
        covariances_fit("several heads", self.given)
        return self


PROBLEM = HeadsProblem
