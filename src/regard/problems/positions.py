"""Sinusoidal positions: as problems give them, and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regard.problems.fields import Count, Integer, Part, Positive

Float64 = NDArray[np.float64]


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


def frequencies(d_model: int, base: float) -> Float64:
    """Return w_i = base^(-2i/d_model), (d_model/2,): the fastest first."""
    return np.asarray(float(base) ** (-2.0 * np.arange(d_model // 2) / d_model))


@dataclass(frozen=True)
class Positions:
    """Positions in numbers: how wide, how many, how far back to look, and the base."""

    d_model: int
    n: int
    T: int
    base: float

    @cached_property
    def omega(self) -> Float64:
        """The frequencies w_i, (d_model/2,)."""
        return frequencies(self.d_model, self.base)

    @property
    def symbols(self) -> dict[str, float]:
        """What formulas of any block may use."""
        numbers = {"T": self.T, "d_model": self.d_model, "n": self.n, "base": self.base}
        return {name: float(x) for name, x in numbers.items()}

    def of_block(self, letter: str, index: int) -> dict[str, float]:
        """What formulas of block i may use beside: the letter i itself, w_i and omega_i."""
        speed = float(self.omega[index])
        return {letter: float(index), f"w_{letter}": speed, f"omega_{letter}": speed}
