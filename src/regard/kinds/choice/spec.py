"""Statements about formulas, of which some are true for all inputs and some are not."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.problems.assertions import Assertion, assertions
from regard.problems.fields import Count, Name, Part
from regard.problems.head import Problem
from regard.problems.symbols import SymbolsGiven


class SharedPositions(Part):
    """Two different positions have the same sinusoidal embedding.

    Attributes:
        d_model: the width, even.
        base: of the wavelengths.
        over: positions are whole numbers, or any real ones.
    """

    d_model: Annotated[Count, Field(ge=2, multiple_of=2)]
    base: Annotated[int, Field(ge=2, le=10**9)] = 10_000
    over: Literal["integers", "reals"] = "integers"


class Statement(Part):
    """One statement.

    Attributes:
        label: how answers call it.
        words: the statement as students read it.
        says: what it says, as an equation, an inequality or a bound on a rank, for all arrays;
            several are joined by `and`, and `!=` means "not always the same".
        shared_positions: in place of `says`: that two positions have the same sinusoidal row.
    """

    label: Name
    words: Annotated[str, Field(max_length=400)] = ""
    says: Annotated[str, Field(max_length=2000)] | None = None
    shared_positions: SharedPositions | None = None


class ChoiceGoal(Part):
    """The statements, and whether reasons are asked for.

    Attributes:
        statements: each is to be called true or false.
        reasons: labels of statements for which the answer has to give a reason: `reason_a`.
    """

    statements: Annotated[list[Statement], Field(min_length=1, max_length=12)]
    reasons: list[Name] = Field(default_factory=list)


class ChoiceProblem(Problem):
    """Say which statements are true."""

    kind: Literal["choice"]
    given: SymbolsGiven
    goal: ChoiceGoal

    def refuse(self) -> None:
        """Refuse labels and statements that are not told apart, or that nothing decides."""
        labels = [statement.label for statement in self.goal.statements]
        if len(set(labels)) < len(labels):
            raise ValueError("goal.statements: two statements have one label")
        for label in labels:
            if label == "true" or label.startswith("reason_"):
                raise ValueError(
                    f"goal.statements: {label} cannot be a label: answers use the word"
                )
        for i, statement in enumerate(self.goal.statements):
            if (statement.says is None) == (statement.shared_positions is None):
                raise ValueError(
                    f"goal.statements[{i}]: give `says`, or `shared_positions`, and not both"
                )
            self.parts(statement, f"goal.statements[{i}].says")
        for label in self.goal.reasons:
            if label not in labels:
                raise ValueError(f"goal.reasons: {label} is no label of a statement")
            if [part.relation for part in self.parts(self.labelled(label))] not in (["="], ["!="]):
                raise ValueError(
                    f"goal.reasons: {label} is no single equation: only these have one"
                )

    def labelled(self, label: str) -> Statement:
        """Return the statement with this label."""
        return next(one for one in self.goal.statements if one.label == label)

    def parts(self, statement: Statement, where: str = "says") -> list[Assertion]:
        """Return what a statement asserts; nothing of one about positions."""
        return [] if statement.says is None else assertions(self.given, statement.says, where)


PROBLEM = ChoiceProblem
