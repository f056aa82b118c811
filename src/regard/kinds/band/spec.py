"""A head that looks T steps back, give or take B/2."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import OrdinaryPositive, Part, Positive
from regard.problems.head import Problem
from regard.problems.positions import PositionsGiven


class BandGiven(PositionsGiven):
    """A window of shifts T − B/2 … T + B/2."""

    B: OrdinaryPositive

    @model_validator(mode="after")
    def _something_is_outside(self) -> BandGiven:
        if math.floor(Fraction(self.B) / 2) + 1 >= self.n + abs(self.T):
            raise ValueError(
                f"a window of B = {self.B:g} leaves nothing outside: T ± B/2 covers all shifts "
                f"less than n = {self.n} in size"
            )
        return self


class BandGoal(Part):
    """How the window is reached.

    Attributes:
        phase: a block is kept while w_i B/2 is at most this.
        accept: any phase in this range counts as right.
    """

    phase: Annotated[Positive, Field(le=math.pi)] = math.pi / 2
    accept: tuple[Positive, Positive] = (math.pi / 4, math.pi)

    @model_validator(mode="after")
    def _in_range(self) -> BandGoal:
        low, high = self.accept
        if not low <= self.phase <= high:
            raise ValueError(
                f"phase: {self.phase:g} is outside of accept, the phases that are right: "
                f"{low:g} to {high:g}. Write accept = [low, high] to allow others"
            )
        return self


class BandProblem(Problem):
    """Which blocks of A are zeroed."""

    kind: Literal["band"]
    given: BandGiven
    goal: BandGoal


PROBLEM = BandProblem
