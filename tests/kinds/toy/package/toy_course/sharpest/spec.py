"""Keys and a query; asked for is the key with the largest weight, and that weight."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Part, Positive, Row, Rows
from regard.problems.head import Problem


class SharpestGiven(Part):
    """Keys as rows, and a query as long as they are."""

    keys: Rows
    query: Row

    @model_validator(mode="after")
    def _fits(self) -> SharpestGiven:
        if len(self.query) != len(self.keys[0]):
            raise ValueError(f"query: must have {len(self.keys[0])} numbers, as a key has")
        return self


class SharpestGoal(Part):
    """How exactly the weight is wanted."""

    tolerance: Annotated[Positive, Field(le=0.1)] = 1e-3


class SharpestProblem(Problem):
    """The key, counted from 1, and its weight."""

    kind: Literal["sharpest"]
    given: SharpestGiven
    goal: SharpestGoal


PROBLEM = SharpestProblem
