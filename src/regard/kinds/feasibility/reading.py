"""What an answer says about tokens without matrices: what comes out, and whether a change helps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.attempt import Attempt
from regard.checking.matrices import as_vector, in_coordinates, with_own_names
from regard.checking.sampling import Float64
from regard.errors import InvalidAnswer
from regard.kinds.feasibility.instance import Instance
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.problems.tokens import token_label


@dataclass(frozen=True, eq=False)
class Asked(Attempt[FeasibilityProblem]):
    """A problem and what an answer says.

    Attributes:
        possible: what it says about whether the goal can be reached.
        label: what the output is called, such as c_2.
        token: what the token that may be changed is called, such as x_2.
        own: the names that the answer declares beside these.
    """

    possible: bool
    label: str
    token: str
    own: tuple[str, ...]

    @property
    def in_coordinates(self) -> bool:
        """Whether the output is given in numbers: coordinates along the basis vectors."""
        fields = [self.answer.fields[name] for name in (self.label, *self.own)]
        return in_coordinates(fields, self.problem.given.vectors)

    @property
    def tolerance(self) -> float:
        """How far off the output may be, relative to the length of the goal."""
        return self.problem.goal.tolerance

    @property
    def names_a_change(self) -> bool:
        """Whether the answer says how it can be done."""
        return self.possible and self.answer.has(self.token)

    def vector(self, name: str, at: Instance) -> Float64:
        """Return a field as a vector on an instance; InvalidAnswer where it is none."""
        names = {"n": float(len(at.tokens)), **at.table.names}
        symbols = with_own_names(self.answer, self.own, names)
        found = evaluate(name, self.answer.need(name), symbols)
        if isinstance(found, bool | list | dict):
            raise InvalidAnswer(f"answer: {name} must be a formula or a list of numbers.")
        return as_vector(name, np.asarray(found, float), at.tokens.shape[1], "a token")

    def error(self, at: Instance) -> float:
        """Return how far what the answer says is from what comes out, relative to the goal."""
        with np.errstate(all="ignore"):
            return float(np.linalg.norm(self.vector(self.label, at) - at.output) / at.size)

    def changed_error(self, at: Instance) -> float:
        """Return the error with the answer's changed token; infinity where it is no such change."""
        change = self.vector(self.token, at) - at.tokens[at.changed]
        for one in at.added.values():
            square = float(one @ one)
            factor = float(change @ one) / square if square else 0.0
            if np.linalg.norm(change - factor * one) <= 1e-6 * at.size:
                return float(at.errors(np.array([factor]), one)[0])
        return float("inf")


def labels(problem: FeasibilityProblem) -> tuple[str, str]:
    """Return what the output and the token that may be changed are called, such as c_2 and x_2."""
    given = problem.given
    row = given.token("goal.output", next(iter(problem.goal.output)))
    changed = given.token("given.change.token", given.change.token)
    return token_label(row, "c"), token_label(changed)


def read(problem: FeasibilityProblem, answer: Answer) -> Asked:
    """Return what an answer says; InvalidAnswer where something is missing or contradicts."""
    label, token = labels(problem)
    possible = answer.need("possible")
    if not isinstance(possible, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    answer.need(label)
    if answer.has(token) and not possible:
        raise InvalidAnswer(f"answer: {token} is given, although possible is false.")
    own = tuple(name for name in answer.fields if name not in ("possible", label, token))
    return Asked(problem, answer, possible, label, token, own)
