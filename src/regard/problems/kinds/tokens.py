"""Self-attention on tokens that are combinations of basis vectors."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.language import parse, parse_limit
from regard.problems.fields import (
    Count,
    Formula,
    LimitText,
    Name,
    Number,
    Ordinary,
    OrdinaryPositive,
    Part,
    Positive,
)
from regard.problems.head import Head
from regard.shapes.extremes import SMALLEST

_TOKEN = re.compile(r"[xc]_([1-9][0-9]?)")
LARGEST = 1e6  # of an entry of a token: scores are products of two


class BasisGiven(Part):
    """Vectors at right angles, all of one length.

    Attributes:
        names: what they are called.
        norm: their length: a number or a parameter.
    """

    names: Annotated[list[Name], Field(min_length=1, max_length=64)]
    norm: OrdinaryPositive | Name = 1.0


class Tokens(Part):
    """Tokens as formulas in a basis.

    Attributes:
        basis: the vectors that tokens are made of.
        parameters: numbers that formulas may use.
        tokens: x_1, x_2, …: formulas.
        d: the length of a token; by default the number of basis vectors.
        scale: what the scores are multiplied by.
        limits: what becomes large, such as "beta -> inf".
    """

    basis: BasisGiven
    parameters: dict[Name, Ordinary] = Field(default_factory=dict)
    tokens: Annotated[list[Formula], Field(min_length=1, max_length=32)]
    d: Count | None = None
    scale: OrdinaryPositive = 1.0
    limits: list[LimitText] = Field(default_factory=list)

    @model_validator(mode="after")
    def _declared(self) -> Tokens:
        norm = self.basis.norm
        if isinstance(norm, str) and norm not in self.parameters:
            raise ValueError(f"basis.norm: {norm} is not among the parameters")
        if isinstance(norm, str) and self.parameters[norm] <= 0:
            raise ValueError(f"basis.norm: {norm} = {self.parameters[norm]:g} must be above 0")
        taken = [*self.basis.names, *self.parameters]
        if len(set(taken)) < len(taken):
            twice = next(name for name in taken if taken.count(name) > 1)
            raise ValueError(f"{twice} is declared twice")
        if self.d is not None and self.d < len(self.basis.names):
            raise ValueError(f"d = {self.d} has no room for {len(self.basis.names)} directions")
        for i, text in enumerate(self.tokens):
            self.vector(f"tokens[{i}]", text)
        for limit in self.limits:
            if parse_limit(limit).name not in self.parameters:
                raise ValueError(f"limits: {parse_limit(limit).name} is not among the parameters")
        return self

    @property
    def known(self) -> set[str]:
        """The names that formulas may use."""
        return set(self.basis.names) | set(self.parameters)

    @property
    def shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Their shapes."""
        vectors: dict[str, tuple[int | str, ...]] = dict.fromkeys(self.basis.names, ("d",))
        return vectors | dict.fromkeys(self.parameters, ())

    def token(self, where: str, label: str, letter: str = "") -> int:
        """Return the row, from 0, of a label such as x_2 or c_2; ValueError if there is none.

        Args:
            where: what messages call the place.
            label: the label.
            letter: "x" where a token has to be named, "c" where an output; either if empty.
        """
        match = _TOKEN.fullmatch(label)
        if not match or int(match[1]) > len(self.tokens):
            raise ValueError(f"{where}: {label!r} is none of the {len(self.tokens)} tokens")
        if letter and label[0] != letter:
            what = "an output is" if letter == "c" else "a token is"
            raise ValueError(f"{where}: {what} called {letter}_{match[1]} here, not {label}")
        return int(match[1]) - 1

    def vector(self, where: str, text: str) -> None:
        """Raise ValueError unless text is a vector in declared names, of ordinary size."""
        formula = parse(text)
        unknown = sorted(formula.names - self.known)
        if unknown:
            raise ValueError(f"{where}: {unknown[0]} is not declared")
        if len(formula.shape(self.shapes)) != 1:
            raise ValueError(f"{where}: must be a vector; {text!r} is none")
        norm = self.basis.norm
        size = self.parameters[norm] if isinstance(norm, str) else norm
        axes = size * np.eye(len(self.basis.names))
        found = formula.evaluate(
            {**self.parameters, **dict(zip(self.basis.names, axes, strict=True))}
        )
        largest = float(np.max(np.abs(found)))
        if not largest <= LARGEST:
            raise ValueError(f"{where}: its entries must be at most {LARGEST:g} in size")
        if 0 < largest < SMALLEST:
            raise ValueError(f"{where}: must be 0 or have an entry of {SMALLEST:g} at least")


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


class SelfAttentionProblem(Head):
    """Matrices K, Q, V (on columns) or W_K, W_Q, W_V (on rows)."""

    kind: Literal["self_attention"]
    given: Tokens
    goal: SelfAttentionGoal

    @model_validator(mode="after")
    def _labels(self) -> SelfAttentionProblem:
        for label, text in self.goal.outputs.items():
            self.given.token("goal.outputs", label, "c")
            self.given.vector(f"goal.outputs.{label}", text)
        for label, where in self.goal.attend.items():
            for other in [label, *([where] if isinstance(where, str) else where)]:
                self.given.token("goal.attend", other, "x")
        return self


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


class FeasibilityProblem(Head):
    """Can it be done, and what happens instead."""

    kind: Literal["feasibility"]
    given: FeasibilityGiven
    goal: FeasibilityGoal

    @model_validator(mode="after")
    def _labels(self) -> FeasibilityProblem:
        self.given.token("given.change.token", self.given.change.token)
        for i, text in enumerate(self.given.change.add):
            self.given.vector(f"given.change.add[{i}]", text)
        for label, text in self.goal.output.items():
            self.given.token("goal.output", label)
            self.given.vector(f"goal.output.{label}", text)
        return self
