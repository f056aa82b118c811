"""Self-attention without matrices: which outputs a change of one token can reach."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.problems.fields import Formula, Name, Part, Positive
from regard.problems.head import Problem
from regard.problems.tokens import Tokens


class Change(Part):
    """What may be added to a token, with any factor."""

    token: Name
    add: Annotated[list[Formula], Field(min_length=1, max_length=8)]


class FeasibilityGiven(Tokens):
    """Self-attention with K = Q = V = I: tokens are their own queries, keys and values."""

    change: Change


class FeasibilityGoal(Part):
    """`c_2 = "u_b"`: the output that is wanted of a token, and how near it has to come.

    Attributes:
        output: one token and a vector.
        tolerance: relative to the length of that vector.
    """

    output: Annotated[dict[Name, Formula], Field(min_length=1, max_length=1)]
    tolerance: Positive = 1e-2


class FeasibilityProblem(Problem):
    """Can it be done, and what happens instead."""

    kind: Literal["feasibility"]
    given: FeasibilityGiven
    goal: FeasibilityGoal

    def refuse(self) -> None:
        """Refuse labels that no token has."""
        self.given.token("given.change.token", self.given.change.token)
        for i, text in enumerate(self.given.change.add):
            self.given.vector(f"given.change.add[{i}]", text)
        for label, text in self.goal.output.items():
            self.given.token("goal.output", label)
            self.given.vector(f"goal.output.{label}", text)


PROBLEM = FeasibilityProblem
