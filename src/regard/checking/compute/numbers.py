"""The numbers of a worked example as an answer has them, and as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.trace import Trace, trace
from regard.checking.answers import Answer, Value, evaluate
from regard.checking.sampling import softmax
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems.kinds.compute import MATRICES, ComputeProblem, fraction

Float64 = NDArray[np.float64]
Rows = dict[str, Float64]  # by letter: one row per token

FIELDS = {
    "q": "queries", "k": "keys", "v": "values", "z": "scores", "a": "weights", "c": "averages",
}  # fmt: skip
LETTERS = "".join(FIELDS)  # in the order of the computation
ROOT = "1/sqrt(d_k)"
_ROW = re.compile(r"[qkvzac]_([1-9][0-9]?)")


@dataclass(frozen=True, eq=False)
class Work:
    """A problem, what comes out, and what an answer says.

    Attributes:
        problem: what is asked.
        found: every number, exactly.
        right: the same in float64, by letter.
        given: what the answer says, by name: all that it computes, also what is not asked for.
    """

    problem: ComputeProblem
    found: Trace
    right: Rows
    given: Mapping[str, Float64]

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return float(self.found.scale)

    def names(self) -> list[str]:
        """Return what the answer computes, in the order of the computation."""
        return sorted(self.given, key=lambda name: (LETTERS.index(letter(name)), name))

    def wanted(self, name: str) -> Float64:
        """Return what comes out under a name."""
        return pick(self.right, name)

    def fits(self, name: str) -> bool:
        """Whether an answer has as many numbers as it must have."""
        return self.given[name].shape == self.wanted(name).shape

    def error(self, name: str, wanted: Float64 | None = None) -> float:
        """Return the largest error, relative where numbers are above 1; infinite if none fit."""
        wanted = self.wanted(name) if wanted is None else wanted
        if self.given[name].shape != wanted.shape:
            return float("inf")
        with np.errstate(all="ignore"):
            return float(np.max(np.abs(self.given[name] - wanted) / np.maximum(1, np.abs(wanted))))

    def same(self, name: str, other: Float64) -> bool:
        """Whether an answer has these numbers, as near as they are asked for."""
        return bool(self.error(name, other) <= self.problem.goal.tolerance)

    def own(self, kind: str, token: int) -> Float64 | None:
        """Return a row that the answer gives, alone or in a matrix; token counts from 0."""
        for name, index in ((f"{kind}_{token + 1}", None), (kind.upper(), token)):
            if name in self.given and self.fits(name):
                return self.given[name] if index is None else self.given[name][index]
        return None


def letter(name: str) -> str:
    """Return q for q_2 and for Q."""
    return name[0].lower()


def pick(rows: Rows, name: str) -> Float64:
    """Return a row, or all of them, by name."""
    whole = rows[letter(name)]
    return whole if name in MATRICES else whole[int(name[2:]) - 1]


def work(problem: ComputeProblem, answer: Answer) -> Work:
    """Read an answer and compute what comes out.

    Raises:
        InvalidAnswer: something asked for is missing, or cannot be read.
    """
    given, goal = problem.given, problem.goal
    inputs = [
        [[fraction(entry) for entry in row] for row in getattr(given, name)]
        for name in ("tokens", "W_Q", "W_K", "W_V")
    ]
    scale = ROOT if given.scale == ROOT else fraction(given.scale)
    found = trace(*inputs, scale=scale)
    right = {one: found.floats(field) for one, field in FIELDS.items()}
    numbers = _read(problem, answer)
    values = {
        name: _as_asked(numbers[name], pick(right, name))
        for name in numbers
        if _is_quantity(name, found.n)
    }
    for name in goal.find:
        if name not in values:
            values[name] = _gathered(name, values, found.n, answer)
    return Work(problem, found, right, values)


def _is_quantity(name: str, count: int) -> bool:
    row = _ROW.fullmatch(name)
    return name in MATRICES or bool(row and int(row[1]) <= count)


def _read(problem: ComputeProblem, answer: Answer) -> dict[str, Float64]:
    """Return every field in numbers; a formula may use what is given and the fields above it."""
    given = problem.given
    symbols: dict[str, Value] = {
        name: np.array([[float(fraction(entry)) for entry in row] for row in getattr(given, field)])
        for name, field in (("X", "tokens"), ("W_Q", "W_Q"), ("W_K", "W_K"), ("W_V", "W_V"))
    }
    tokens = np.asarray(symbols["X"])
    symbols |= {f"x_{i}": row for i, row in enumerate(tokens, 1)}
    symbols |= {"n": float(len(tokens)), "d_k": float(len(given.W_Q[0]))}
    used = _names_used(answer)
    found: dict[str, Float64] = {}
    for name, field in answer.fields.items():
        if name in symbols:
            raise InvalidAnswer(f"answer: {name} is given in the problem: use another name.")
        if not _is_quantity(name, len(tokens)) and name not in used:
            raise InvalidAnswer(
                f"answer: {name} is nothing that is computed here. Asked for are "
                f"{', '.join(problem.goal.find)}."
            )
        found[name] = _number_or_array(name, field, {**symbols, **found})
    return found


def _names_used(answer: Answer) -> set[str]:
    """Return the names in all formulas, also in those within lists."""
    waiting, used = list(answer.fields.values()), set[str]()
    while waiting:
        field = waiting.pop()
        if isinstance(field, Formula):
            used |= field.names
        elif isinstance(field, list):
            waiting += field
    return used


def _number_or_array(name: str, field: Any, symbols: Mapping[str, Value]) -> Float64:
    if isinstance(field, list):
        parts = [_number_or_array(f"{name}[{i}]", part, symbols) for i, part in enumerate(field)]
        if not parts or len({part.shape for part in parts}) > 1:
            raise InvalidAnswer(f"answer: {name} must be a list of numbers, or of equal lists.")
        return np.array(parts)
    found = evaluate(name, field, symbols)
    if isinstance(found, bool | dict | str):
        raise InvalidAnswer(f"answer: {name} must be a list of numbers or a formula.")
    return np.asarray(found, float)


def _as_asked(numbers: Float64, wanted: Float64) -> Float64:
    """Return a row or a column as the vector that it is; everything else as it stands."""
    if wanted.ndim == 1 and numbers.ndim < 3 and max(numbers.shape, default=1) == numbers.size:
        return numbers.reshape(numbers.size)
    return numbers


def _gathered(name: str, values: Mapping[str, Float64], count: int, answer: Answer) -> Float64:
    """Return a matrix out of its rows, or a row out of its matrix."""
    if name not in MATRICES:
        whole = values.get(letter(name).upper())
        if whole is None or whole.ndim != 2 or len(whole) != count:
            answer.need(name)
        assert whole is not None
        return np.asarray(whole[int(name[2:]) - 1])
    names = [f"{letter(name)}_{i + 1}" for i in range(count)]
    rows = [values[row] for row in names if row in values]
    if len(rows) < count or len({row.shape for row in rows}) > 1:
        answer.need(name)
    return np.array(rows)


def forward(Q: Float64, K: Float64, V: Float64, scale: float) -> Rows:
    """Return all numbers of a head in float64."""
    scores = scale * (Q @ K.T)
    weights = softmax(scores)
    return {"q": Q, "k": K, "v": V, "z": scores, "a": weights, "c": weights @ V}


def followed(work: Work, name: str) -> Float64:
    """Return what follows for a row or matrix from what the answer says before it."""
    kind = letter(name)
    count = work.found.n
    tokens = range(count) if name in MATRICES else [int(name[2:]) - 1]

    def before(one: str, token: int) -> Float64:
        own = work.own(one, token)
        return computed(one, token) if own is None else own

    def computed(one: str, token: int) -> Float64:
        if one in "qkv":
            return np.asarray(work.right[one][token])
        if one == "z":
            keys = np.array([before("k", j) for j in range(count)])
            return np.asarray(work.scale * (keys @ before("q", token)))
        if one == "a":
            return softmax(before("z", token))
        values = np.array([before("v", j) for j in range(count)])
        return np.asarray(before("a", token) @ values)

    with np.errstate(all="ignore"):
        rows = np.array([computed(kind, token) for token in tokens])
    return rows if name in MATRICES else rows[0]
