"""A problem and an answer to it: what a judge works on, with what its kind makes of the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from regard.checking.answers import Answer
from regard.problems import Problem

P = TypeVar("P", bound=Problem)


@dataclass(frozen=True, eq=False)
class Attempt(Generic[P]):
    """A problem and an answer to it.

    Attributes:
        problem: what is asked.
        answer: what was answered.
    """

    problem: P
    answer: Answer
