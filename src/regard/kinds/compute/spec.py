"""The numbers of a worked example."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regard.problems.fields import Exact, ExactRows, Name, Part, Share
from regard.problems.head import Problem

MATRICES = ("Q", "K", "V", "Z", "A", "C")  # queries, keys, values, scores, weights, outputs
INPUTS = ("tokens", "W_Q", "W_K", "W_V")
ROOT = "1/sqrt(d_k)"  # a scale that is no rational number
_ROW = re.compile(r"[qkvzac]_([1-9][0-9]?)")
MOST = 16  # rows and columns: every number is written out
_LARGEST = 2**53  # whole numbers up to it are float64s, which certificates are made of
_LARGEST_SCORE = 10_000  # e^-10000 is written out with its 4343 zeros


def fraction(number: int | float | str) -> Fraction:
    """Return the number that is written: 0.1 and "1/10" are one tenth.

    >>> fraction(0.1), fraction("-1.5/3")
    (Fraction(1, 10), Fraction(-1, 2))
    """
    above, _, below = str(number).partition("/")
    if below and not Fraction(below):
        raise ValueError(f"{number} divides by 0")
    return Fraction(above) / Fraction(below or "1")


def fractions(rows: Sequence[Sequence[Any]]) -> NDArray[np.object_]:
    """Return a matrix of the numbers that are written."""
    return np.array([[fraction(entry) for entry in row] for row in rows], dtype=object)


class Quantity(NamedTuple):
    """What an answer may give numbers for.

    Attributes:
        letter: q, k, v, z (scores), a (weights) or c (outputs).
        token: whose, counted from 1; None for all of them, a matrix with a row for each.
    """

    letter: str
    token: int | None

    def tokens(self, count: int) -> Sequence[int]:
        """Return whose rows these are, counted from 1, where there are so many tokens."""
        return range(1, count + 1) if self.token is None else (self.token,)


def is_quantity(name: str, count: int) -> bool:
    """Whether a name is that of a quantity, where there are so many tokens."""
    row = _ROW.fullmatch(name)
    return name in MATRICES or bool(row and int(row[1]) <= count)


def quantity(name: str) -> Quantity:
    """Return what a name stands for: q_2 for the query of token 2, Q for all queries."""
    letter, _, token = name.partition("_")
    return Quantity(letter.lower(), int(token) if token else None)


class ComputeGiven(Part):
    """Tokens and the matrices of one head, in exact numbers: 3, -0.25, "1/3".

    Attributes:
        tokens: one row each, counted from 1 in names such as q_1.
        W_Q: rows are right-multiplied, q = x W_Q; so are W_K and W_V.
        scale: what the scores are multiplied by: a number or "1/sqrt(d_k)".
    """

    tokens: ExactRows
    W_Q: ExactRows
    W_K: ExactRows
    W_V: ExactRows
    scale: Exact | Literal["1/sqrt(d_k)"] = 1

    @model_validator(mode="after")
    def _shapes(self) -> ComputeGiven:
        width = len(self.tokens[0])
        for name in ("W_Q", "W_K", "W_V"):
            if len(getattr(self, name)) != width:
                raise ValueError(
                    f"matrix {name} must have one row per entry of a token ({width}); "
                    f"it has {len(getattr(self, name))}"
                )
        if len(self.W_Q[0]) != len(self.W_K[0]):
            raise ValueError(
                f"the matrices W_Q and W_K must be equally wide; they have {len(self.W_Q[0])} "
                f"and {len(self.W_K[0])} columns"
            )
        return self

    @model_validator(mode="after")
    def _sizes(self) -> ComputeGiven:
        matrices: dict[str, list[list[Any]]] = {name: getattr(self, name) for name in INPUTS}
        if self.scale != ROOT:
            matrices["scale"] = [[self.scale]]
        for name, rows in matrices.items():
            if max(len(rows), len(rows[0])) > MOST:
                raise ValueError(f"matrix {name} must have at most {MOST} rows and {MOST} columns")
            numbers = fractions(rows).reshape(-1)
            below = math.lcm(*(number.denominator for number in numbers))
            if max(abs(numbers)) * below > _LARGEST or below > _LARGEST:
                raise ValueError(
                    f"numbers in {name} have too many digits: over a common denominator their "
                    "numerators must be below 2^53"
                )
        return self

    def factor(self) -> float:
        """Return what the scores are multiplied by."""
        root = 1 / math.sqrt(len(self.W_Q[0]))
        return root if self.scale == ROOT else float(fraction(self.scale))

    def largest_score(self) -> float:
        """Return the size of the largest score."""
        x, W_Q, W_K = (fractions(rows) for rows in (self.tokens, self.W_Q, self.W_K))
        largest = np.max(np.abs((x @ W_Q) @ (x @ W_K).T))
        return abs(float(largest) * self.factor())

    def width(self, letter: str) -> int:
        """Return how many numbers a row of q, k, v, z, a or c has."""
        if letter in "qk":
            return len(self.W_Q[0])
        return len(self.tokens) if letter in "za" else len(self.W_V[0])


class ComputeGoal(Part):
    """What to compute.

    Attributes:
        find: q_1, k_1, v_1 (of token 1), z_1 (its scores), a_1 (its weights), c_1 (its output),
            or all tokens at once: Q, K, V, Z, A, C.
        tolerance: how near a rounded answer has to come.
        printed: numbers printed elsewhere, to be compared with what comes out.
    """

    find: Annotated[list[Name], Field(min_length=1, max_length=200)]
    tolerance: Share = 5e-3
    printed: dict[Name, list[Exact] | ExactRows] = Field(default_factory=dict)


class ComputeProblem(Problem):
    """Queries, keys, values, scores, weights and outputs in exact numbers."""

    kind: Literal["compute"]
    given: ComputeGiven
    goal: ComputeGoal

    def refuse(self) -> None:
        """Refuse unknown quantities, and scores that floats cannot hold."""
        count = len(self.given.tokens)
        for name in [*self.goal.find, *self.goal.printed]:
            if not is_quantity(name, count):
                raise ValueError(
                    f"goal: {name} is nothing that can be computed: use q, k, v, z, a or c with a "
                    f"token from 1 to {count}, such as q_1, or {', '.join(MATRICES)}"
                )
        for name, numbers in self.goal.printed.items():
            letter, token = quantity(name)
            rows: list[Any] = [numbers] if token else numbers
            wanted, width = 1 if token else count, self.given.width(letter)
            fits = len(rows) == wanted and all(
                isinstance(row, list)
                and len(row) == width
                and not any(isinstance(entry, list) for entry in row)
                for row in rows
            )
            if not fits:
                need = f"{width} numbers" if token else f"{wanted} rows of {width} numbers"
                raise ValueError(f"goal.printed.{name}: must be {need}")
            fractions(rows)  # ValueError where one divides by 0
        self._scores_in_reach()

    def _scores_in_reach(self) -> None:
        weights = any(quantity(name).letter in "ac" for name in self.goal.find)
        largest = self.given.largest_score() if weights or self.goal.printed else 0.0
        if largest > _LARGEST_SCORE:
            raise ValueError(
                f"the scores reach {largest:.3g} in size, and their powers of e are to be written "
                f"out: use smaller numbers, or a smaller scale, so that no score is above "
                f"{_LARGEST_SCORE}"
            )


PROBLEM = ComputeProblem
