"""A head that looks T steps back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.problems.fields import Count, Part, Share
from regard.problems.head import Problem
from regard.problems.positions import PositionsGiven

SMALLEST = 1e-12  # of a tolerance: below it float64 can hardly tell a weight from 1


class OffsetGiven(PositionsGiven):
    """Positions, and how wide W_Q and W_K are; by default as wide as d_model."""

    d_k: Annotated[Count, Field(ge=2)] | None = None


class OffsetGoal(Part):
    """At least 1 − tolerance of the weight on the key T steps back."""

    tolerance: Annotated[Share, Field(ge=SMALLEST)] = 1e-2


class OffsetProblem(Problem):
    """The 2×2 blocks of A = W_K W_Q' on its diagonal and off it."""

    kind: Literal["offset"]
    given: OffsetGiven
    goal: OffsetGoal

    def refuse(self) -> None:
        """Refuse tolerances that ask for nothing."""
        if self.goal.tolerance >= 1 - 1 / self.given.n:
            raise ValueError(
                f"goal.tolerance: {self.goal.tolerance:g} asks for nothing: {self.given.n} equal "
                f"weights are no further off than {1 - 1 / self.given.n:g}"
            )


PROBLEM = OffsetProblem
