"""The key of an answer, on the instances that it is tried on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regard.checking.answers import Answer, without_name
from regard.checking.matrices import half_a_digit, matrix, shape_words, with_own_names
from regard.errors import InvalidAnswer
from regard.kinds.key.instance import Replacement, drawn
from regard.kinds.key.spec import KeyProblem
from regard.language import Formula
from regard.problems.instances import Float64

KEY = "k"


@dataclass(frozen=True, eq=False)
class Tried:
    """A key on one instance.

    Attributes:
        case: the instance.
        key: what the answer comes to.
        room: by how much its length may be off, for the digits that it is written with.
    """

    case: Replacement
    key: Float64
    room: float

    @property
    def score(self) -> float:
        """The score of the new key."""
        return float(self.case.scale * (self.key @ self.case.query))

    @property
    def length(self) -> float:
        """The length of the new key."""
        return float(np.linalg.norm(self.key))

    @cached_property
    def error(self) -> float:
        """How far off weights or output are; NaN where the key is not finite."""
        return self.error_at(self.score)

    def error_at(self, score: float) -> float:
        """Return the error of a key with this score."""
        return self.case.error(self.case.weight(score)) if math.isfinite(score) else math.nan

    @property
    def length_is_right(self) -> bool:
        """Whether the key is as long as it has to be, or short enough."""
        goal = self.case.problem.goal
        if goal.norm is not None:
            return abs(self.length - goal.norm) <= self.room
        return goal.longest is None or self.length <= goal.longest + self.room

    @property
    def right(self) -> bool:
        """Whether error and length are both as asked for."""
        return self.error <= self.case.problem.goal.tolerance * (1 + 1e-9) and self.length_is_right


def read(problem: KeyProblem, answer: Answer) -> tuple[Tried, ...]:
    """Return the key of an answer on each instance; InvalidAnswer where it does not fit."""
    return tuple(_tried(case, answer) for case in drawn(problem))


def _tried(case: Replacement, answer: Answer) -> Tried:
    d = len(case.query)
    symbols = {**case.instance.symbols, "q": case.query}
    own = [name for name in answer.beside(KEY) if name not in ("error", "possible")]
    names = with_own_names(answer, own, symbols)
    field = without_name(KEY, answer.need(KEY))
    if isinstance(field, Formula) and field.is_condition:
        raise InvalidAnswer(
            "answer: k must be one key, in numbers or as a formula in q and the keys, and no "
            "condition on it."
        )
    found = np.asarray(matrix(KEY, field, names, d), float)
    if found.shape in ((1, d), (d, 1)):
        found = found.reshape(d)
    if found.shape != (d,):
        raise InvalidAnswer(
            f"answer: k must have {d} numbers, as q has. It is {shape_words(found)}."
        )
    in_decimals = isinstance(field, np.ndarray) or (
        isinstance(field, list) and any(isinstance(item, float) for item in field)
    )
    room = math.sqrt(d) * half_a_digit([field]) if in_decimals else 1e-9
    return Tried(case, found, room + 1e-9 * float(np.linalg.norm(found)))
