"""Sinusoidal positions, as problems give them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from regard.problems.fields import Count, Integer, Part, Positive


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
