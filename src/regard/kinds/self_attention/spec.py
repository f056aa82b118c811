"""Matrices of one head of self-attention that do what is asked of its tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Formula, Name, Number, Part, Positive
from regard.problems.head import Problem
from regard.problems.tokens import Tokens


class SelfAttentionGoal(Part):
    """What the head has to do; tokens that are not mentioned are free.

    Attributes:
        outputs: `c_2 = "u_b"`: the output of token 2.
        attend: `x_1 = "x_3"` or `x_1 = { x_2 = 0.5, x_3 = 0.5 }`: where token 1 looks.
        tolerance: of outputs in length, of weights in size.
    """

    outputs: dict[Name, Formula] = Field(default_factory=dict)
    attend: dict[Name, Name | dict[Name, Annotated[Number, Field(gt=0, le=1)]]] = Field(
        default_factory=dict
    )
    tolerance: Positive = 1e-3

    @model_validator(mode="after")
    def _something(self) -> SelfAttentionGoal:
        if not self.outputs and not self.attend:
            raise ValueError("say what is wanted: `outputs` or `attend`")
        for label, weights in self.attend.items():
            total = sum(weights.values()) if isinstance(weights, dict) else 1.0
            if abs(total - 1) > 1e-9:
                raise ValueError(f"attend.{label}: weights must sum to 1; they sum to {total:.12g}")
        return self


class SelfAttentionProblem(Problem):
    """Matrices K, Q, V (on columns) or W_K, W_Q, W_V (on rows)."""

    kind: Literal["self_attention"]
    given: Tokens
    goal: SelfAttentionGoal

    def refuse(self) -> None:
        """Refuse labels that no token has."""
        for label, text in self.goal.outputs.items():
            self.given.token("goal.outputs", label, "c")
            self.given.vector(f"goal.outputs.{label}", text)
        for label, where in self.goal.attend.items():
            for other in [label, *([where] if isinstance(where, str) else where)]:
                self.given.token("goal.attend", other, "x")


PROBLEM = SelfAttentionProblem
