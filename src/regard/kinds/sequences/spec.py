"""Matrices K, Q, V that copy something for every sequence over a vocabulary, not for one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.problems.fields import Name, Part
from regard.problems.head import Problem

Task = Literal["own token", "first token", "previous token", "last place", "written after"]


class SequencesGiven(Part):
    """Tokens u_a, u_b … and positions p_1 … p_N, all of length 1 and at right angles.

    Attributes:
        vocabulary: the names of the tokens.
        length: N; every sequence of 1 to N tokens counts.
        positions: "one-hot": position t is p_t, and the input is u_x + p_t; "none": it is u_x.
        is_causal: whether row t sees the positions up to t only.
    """

    vocabulary: Annotated[list[Name], Field(min_length=2, max_length=6)]
    length: Annotated[int, Field(ge=2, le=16)]
    positions: Literal["one-hot", "none"] = "one-hot"
    is_causal: bool = False

    @model_validator(mode="after")
    def _distinct(self) -> SequencesGiven:
        if len(set(self.vocabulary)) < len(self.vocabulary):
            raise ValueError("vocabulary: a name stands twice")
        return self


class SequencesGoal(Part):
    """What every row has to bring, to within a distance.

    Attributes:
        copy: "own token": row t brings u of its token; "first token": of the token at position 1;
            "previous token": of the one before it (row 1 is free); "last place": p_j, where j is
            the last position that holds the token `of` (rows that see none are free); "written
            after": u of the token `write` where the token before is `of`, else 0 (row 1 is free).
        of: the token of "last place" and "written after".
        write: the token of "written after".
        tolerance: the largest ‖c − wanted‖.
    """

    copy_what: Annotated[Task, Field(alias="copy")]
    of: Name | None = None
    write: Name | None = None
    tolerance: Annotated[float, Field(gt=1e-9, lt=0.7)] = 1e-2


class SequencesProblem(Problem):
    """K, Q and V for every sequence."""

    kind: Literal["sequences"]
    given: SequencesGiven
    goal: SequencesGoal

    def refuse(self) -> None:
        """Refuse tokens and places that the task does not have."""
        task, of = self.goal.copy_what, self.goal.of
        if (task in ("last place", "written after")) != (of is not None):
            raise ValueError(
                'goal.of: the token of "last place" or "written after", and of nothing else'
            )
        if (task == "written after") != (self.goal.write is not None):
            raise ValueError('goal.write: the token of "written after", and of nothing else')
        for key, name in (("of", of), ("write", self.goal.write)):
            if name is not None and name not in self.given.vocabulary:
                raise ValueError(f"goal.{key}: {name} is not in the vocabulary")
        if task == "last place" and self.given.positions == "none":
            raise ValueError('goal.copy: "last place" brings a position, and there are none')
        if task == "written after" and self.given.positions == "none":
            raise ValueError('goal.copy: "written after" looks for a place, and needs positions')
        if self.given.positions == "none" and task != "own token" and self.given.length < 3:
            raise ValueError("given.length: without positions the order shows from 3 tokens on")


PROBLEM = SequencesProblem
