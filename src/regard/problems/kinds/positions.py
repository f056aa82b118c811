"""Heads that look T steps back, or T give or take B/2."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Count, Integer, OrdinaryPositive, Part, Positive, Share
from regard.problems.head import Head

SMALLEST = 1e-12  # of a tolerance: below it float64 can hardly tell a weight from 1


class PositionsGiven(Part):
    """Sinusoidal positions: e_{2i} = sin(w_i t), e_{2i+1} = cos(w_i t), w_i = base^(-2i/d_model).

    Attributes:
        d_model: even.
        n: the length of the sequence.
        T: how far back: query position minus key position.
        base: 10000 in the paper that introduced them.
    """

    d_model: Annotated[Count, Field(multiple_of=2, le=1024)]
    n: Annotated[Count, Field(ge=2)]
    T: Integer
    base: Annotated[Positive, Field(gt=1)] = 10000.0

    @model_validator(mode="after")
    def _reachable(self) -> PositionsGiven:
        if abs(self.T) >= self.n:
            raise ValueError(f"the offset T = {self.T} must be less than n = {self.n} in size")
        return self


class OffsetGiven(PositionsGiven):
    """Positions, and how wide W_Q and W_K are; by default as wide as d_model."""

    d_k: Annotated[Count, Field(ge=2)] | None = None


class OffsetGoal(Part):
    """At least 1 − tolerance of the weight on the key T steps back."""

    tolerance: Annotated[Share, Field(ge=SMALLEST)] = 1e-2


class OffsetProblem(Head):
    """The 2×2 blocks of A = W_K W_Q' on its diagonal and off it."""

    kind: Literal["offset"]
    given: OffsetGiven
    goal: OffsetGoal

    @model_validator(mode="after")
    def _asks_for_something(self) -> OffsetProblem:
        if self.goal.tolerance >= 1 - 1 / self.given.n:
            raise ValueError(
                f"goal.tolerance: {self.goal.tolerance:g} asks for nothing: {self.given.n} equal "
                f"weights are no further off than {1 - 1 / self.given.n:g}"
            )
        return self


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


class BandProblem(Head):
    """Which blocks of A are zeroed."""

    kind: Literal["band"]
    given: BandGiven
    goal: BandGoal
