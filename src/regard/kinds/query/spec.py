"""One query that gives the weights asked for, or how near one can come."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.kinds.heads.spec import WeightsProblem
from regard.problems.fields import OrdinaryPositive
from regard.problems.keys import WeightsGoal
from regard.problems.laws import Fixed, Gaussian, Orthogonal, Orthonormal

MOST_KEYS = 40  # for which a query of limited length is looked for


class QueryGoal(WeightsGoal):
    """Weights that are wanted of one query.

    Attributes:
        longest: how long the query may be; left out, any length is allowed.
        find: "query", a query within the tolerance; "error", the least error of all queries.
    """

    longest: OrdinaryPositive | None = None
    find: Annotated[list[Literal["query", "error"]], Field(min_length=1, max_length=1)] = Field(
        default=["query"]
    )

    @property
    def least(self) -> bool:
        """Whether it takes the least error of all queries to answer."""
        return self.longest is not None or self.find == ["error"]


class QueryProblem(WeightsProblem):
    """A query q; with random keys one whose output stays near what is wanted."""

    kind: Literal["query"]
    goal: QueryGoal

    @model_validator(mode="after")
    def _can_be_bounded(self) -> QueryProblem:
        if not self.goal.least:
            return self
        law, what = self.given.keys, "goal.longest" if self.goal.longest else "goal.find"
        known = isinstance(law, Fixed | Orthonormal) or (
            isinstance(law, Orthogonal) and law.norms is not None
        )
        if isinstance(law, Gaussian) or not known:
            raise ValueError(
                f"{what}: needs keys that are rows of numbers, orthonormal, or orthogonal with "
                f"norms"
            )
        if self.given.n > MOST_KEYS:
            raise ValueError(f"{what}: up to {MOST_KEYS} keys, not {self.given.n}")
        if self.given.values_known:
            raise ValueError(f"{what}: is about weights: leave the values out")
        return self


PROBLEM = QueryProblem
