"""The matrix of an answer, and how far off it is.

With orthonormal bases P and R of the two subspaces, M is right if share M P = P and share M R = 0:
the error is the length of what is wrong for the worst vectors of length 1. What M does outside of
the two subspaces does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from regard.checking.answers import Answer
from regard.checking.attempt import Attempt
from regard.checking.matrices import (
    Float64,
    half_a_digit,
    in_coordinates,
    matrix,
    shape_words,
    with_own_names,
)
from regard.errors import InvalidAnswer
from regard.kinds.separator.instance import Bases, bases_of
from regard.kinds.separator.spec import SeparatorProblem, Vectors
from regard.language import Formula

EXACT = 1e-6  # of a formula, for vectors of length 1
ROUNDED = 1e-3  # of numbers, which people round, when a misconception is looked for


@dataclass(frozen=True, eq=False)
class Asked(Attempt[SeparatorProblem]):
    """A problem and the matrix of an answer.

    Attributes:
        side: "M c" or "c M": where the matrix stands.
    """

    side: str

    @property
    def share(self) -> float:
        """What the sum of the two values is multiplied by."""
        return self.problem.given.share

    @property
    def own(self) -> tuple[str, ...]:
        """The names that the answer declares beside M and side."""
        return self.answer.beside("M", "side")

    @cached_property
    def plain(self) -> Bases:
        """The bases of the problem."""
        return bases_of(self.problem)

    @cached_property
    def in_numbers(self) -> bool:
        """Whether the answer is numbers alone, of arrays that are shown or can be placed.

        Fixed bases are shown. Subspaces at right angles may be put along the axes, S along the
        first of them and T along the next: numbers are coordinates there.
        """
        given = self.problem.given
        fields = [self.answer.fields[name] for name in ("M", *self.own)]
        placed = all(given.fixed) or (not any(given.fixed) and given.orthogonal)
        return placed and in_coordinates(fields, self.plain.symbols)

    @property
    def tolerance(self) -> float:
        """How far off M c may be, for vectors of length 1."""
        return ROUNDED if self.in_numbers else EXACT

    @property
    def allowed(self) -> float:
        """How large the error may be."""
        if not self.in_numbers:
            return self.tolerance
        return half_a_digit(self.answer.fields[name] for name in ("M", *self.own))

    def raw(self, bases: Bases) -> Float64:
        """Return what the answer calls M, whatever its shape."""
        symbols = with_own_names(self.answer, self.own, bases.symbols)
        return matrix("M", self.answer.need("M"), symbols, len(bases.S))

    def acting(self, bases: Bases) -> Float64:
        """Return the matrix that acts on the column c; InvalidAnswer where it is of no use."""
        found, d = self.raw(bases), len(bases.S)
        if found.shape != (d, d):
            raise InvalidAnswer(
                f"answer: M must be {d} × {d}, so that it takes a vector of {d} entries to one. "
                f"It is {shape_words(found)}."
            )
        return found if self.side == "M c" else found.T

    def fits(self, bases: Bases) -> bool:
        """Whether the answer can be evaluated there: I(3) is about three dimensions only."""
        try:
            self.acting(bases)
        except InvalidAnswer:
            return False
        return True

    def error(self, bases: Bases) -> float:
        """Return how far off M c is for the worst two values of length 1.

        Numbers are judged to the digits written: by how much an entry has to be changed at most.
        """
        found = self.acting(bases)
        return entries_off(found, bases, self.share) if self.in_numbers else self.off(found, bases)

    def off(self, M: Float64, bases: Bases) -> float:
        """Return the largest error of M for values of length 1; NaN if M is not finite."""
        with np.errstate(all="ignore"):
            P, R = np.linalg.qr(bases.kept)[0], np.linalg.qr(bases.dropped)[0]
            wrong, left = self.share * (M @ P) - P, self.share * (M @ R)
            if not (np.all(np.isfinite(wrong)) and np.all(np.isfinite(left))):
                return float("nan")
            return float(max(np.linalg.norm(wrong, 2), np.linalg.norm(left, 2) if left.size else 0))

    def right(self, M: Float64, bases: Bases) -> bool:
        """Whether a matrix takes the value out of c."""
        return self.off(M, bases) <= self.tolerance

    def missing_factor(self, M: Float64, bases: Bases) -> float | None:
        """Return the factor, other than 1, that would make M right, or None."""
        with np.errstate(all="ignore"):
            P = np.linalg.qr(bases.kept)[0]
            found = self.share * (M @ P)
            factor = float(np.sum(found * P) / np.sum(found * found))
            if not np.isfinite(factor) or abs(factor - 1) <= self.tolerance:
                return None
            return factor if self.right(factor * M, bases) else None


def entries_off(M: Float64, bases: Bases, share: float) -> float:
    """Return how far an entry of M is off at most from the nearest right matrix."""
    with np.errstate(all="ignore"):
        P, R = np.linalg.qr(bases.kept)[0], np.linalg.qr(bases.dropped)[0]
        both = np.hstack([P, R])
        left = np.hstack([P / share, 0 * R]) - M @ both
        if not np.all(np.isfinite(left)):
            return float("nan")
        change = left @ np.linalg.pinv(both)
        if np.max(np.abs(change @ both - left)) > EXACT * max(1.0, float(np.max(np.abs(left)))):
            return float(np.linalg.norm(left))  # no matrix will do
        return float(np.max(np.abs(change)))


def possible(problem: SeparatorProblem) -> bool:
    """Whether both bases together are independent: drawn ones are, fixed ones by their digits."""
    S, T = problem.given.S, problem.given.T
    if not (isinstance(S, Vectors) and isinstance(T, Vectors)):
        return True
    digits = [[Fraction(repr(float(x))) for x in row] for row in (*S.rows, *T.rows)]
    exact = fmpq_mat([[fmpq(*x.as_integer_ratio()) for x in row] for row in digits])
    return bool(exact.rank() == len(digits))


def read(problem: SeparatorProblem, answer: Answer) -> Asked:
    """Return the matrix of an answer and where it stands."""
    answer.need("M")
    said = answer.fields.get("side")
    return Asked(problem, answer, problem.goal.side if said is None else _side(said))


def _side(given: Any) -> str:
    """Read `M c` and `c M`; a transpose mark, as in c' M, makes no difference."""
    if isinstance(given, Formula):
        order = [node.value for node in given.tree if node.op == "name"]
        extra = {node.op for node in given.tree} - {"name", "*", "·", "'"}
        if not extra and order in (["M", "c"], ["c", "M"]):
            return " ".join(order)
    raise InvalidAnswer('answer: side must be "M c" or "c M".')
