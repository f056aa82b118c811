"""Matrices of two causal heads, one after the other, that serve every sequence."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Name, Part
from regard.problems.head import Problem

Task = Literal["what followed", "token two before"]
MOST = 6000  # sequences, of all lengths together: each of them is looked at


class LayersGiven(Part):
    """Tokens, positions and a second room for tokens, all of length 1 and at right angles.

    Attributes:
        vocabulary: the names of the tokens.
        length: N; every sequence of 1 to N tokens counts.
        start: whether a token of its own stands before every sequence, at position 0.
    """

    vocabulary: Annotated[list[Name], Field(min_length=2, max_length=6)]
    length: Annotated[int, Field(ge=3, le=10)]
    start: bool = False

    @model_validator(mode="after")
    def _fits(self) -> LayersGiven:
        names = self.vocabulary
        if len(set(names)) < len(names):
            raise ValueError("vocabulary: a name stands twice")
        if self.start and "start" in names:
            raise ValueError("vocabulary: start is the name of the token before every sequence")
        count = sum(len(names) ** n for n in range(1, self.length + 1))
        if count > MOST:
            raise ValueError(
                f"length: there are {count} sequences of up to {self.length} of {len(names)} "
                f"tokens, and up to {MOST} are looked at"
            )
        return self


class LayersGoal(Part):
    """What every row of layer 2 has to bring, to within a distance.

    Attributes:
        bring: "what followed": u of the token that stood after the same token before (rows are free
            whose token has not stood before, or was followed by different ones); "token two
            before": u of the token two places back (rows 1 and 2 are free).
        tolerance: the largest ‖c − wanted‖.
    """

    bring: Task
    tolerance: Annotated[float, Field(gt=1e-9, lt=0.7)] = 1e-2


class LayersProblem(Problem):
    """K_1, Q_1, V_1 and K_2, Q_2, V_2 for every sequence."""

    kind: Literal["layers"]
    given: LayersGiven
    goal: LayersGoal


PROBLEM = LayersProblem
