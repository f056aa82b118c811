"""The numbers that an answer to a worked example gives, as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from regard.checking import digits
from regard.checking.answers import Answer, Value, evaluate, without_name
from regard.checking.digits import Decimals
from regard.errors import InvalidAnswer
from regard.kinds.compute.instance import LETTERS, Example, Float64, pick
from regard.kinds.compute.spec import ComputeProblem, is_quantity, quantity
from regard.language import Formula

Array = TypeVar("Array", Float64, Decimals)


@dataclass(frozen=True, eq=False)
class Work:
    """A problem, what comes out, and what an answer says.

    Attributes:
        problem: what is asked.
        example: every number as it is.
        given: what the answer says, by name: all that it computes, also what is not asked for.
        decimals: how many these numbers are written with.
    """

    problem: ComputeProblem
    example: Example
    given: Mapping[str, Float64]
    decimals: Mapping[str, Decimals]

    def names(self) -> list[str]:
        """Return what the answer computes, in the order of the computation."""
        return sorted(self.given, key=lambda name: (LETTERS.index(quantity(name).letter), name))

    def wanted(self, name: str) -> Float64:
        """Return what comes out under a name."""
        return pick(self.example.right, name)

    def fits(self, name: str) -> bool:
        """Whether an answer has as many numbers as it must have."""
        return self.given[name].shape == self.wanted(name).shape

    def apart(self, name: str) -> Float64:
        """Return how far off each number is, where they fit."""
        return np.asarray(np.abs(self.given[name] - self.wanted(name)))

    def allowed(self, name: str) -> Float64:
        """Return how far off each number may be."""
        tolerance = self.problem.goal.tolerance
        return digits.allowed(self.decimals[name], self.wanted(name), tolerance)

    def passes(self, name: str, given: Float64 | None = None) -> bool:
        """Whether an answer is right, or would be with these numbers instead."""
        given = self.given[name] if given is None else given
        if not self.fits(name):
            return False
        return bool(np.all(np.abs(given - self.wanted(name)) <= self.allowed(name)))

    def same(self, name: str, other: Float64) -> bool:
        """Whether an answer has these numbers, to the digits that it is written with."""
        if self.given[name].shape != other.shape:
            return False
        near = digits.alike(self.decimals[name], other, self.problem.goal.tolerance)
        with np.errstate(all="ignore"):
            return bool(np.all(np.abs(self.given[name] - other) <= near))

    def own(self, letter: str, token: int) -> Float64 | None:
        """Return a row that the answer gives, alone or in a matrix; token counts from 1."""
        row, whole = f"{letter}_{token}", letter.upper()
        if row in self.given and self.fits(row):
            return self.given[row]
        return self.given[whole][token - 1] if whole in self.given and self.fits(whole) else None


def read(problem: ComputeProblem, answer: Answer) -> Work:
    """Read an answer, and compute what comes out.

    Raises:
        InvalidAnswer: something asked for is missing, or cannot be read.
    """
    example = Example(problem.given)
    count = example.found.n
    numbers: dict[str, Float64] = {}
    decimals: dict[str, Decimals] = {}
    for name, (values, places) in _fields(problem, example, answer).items():
        if is_quantity(name, count):
            numbers[name] = _as_asked(values, pick(example.right, name))
            decimals[name] = digits.in_one_list(places).reshape(numbers[name].shape)
    for name in problem.goal.find:
        if name not in numbers:
            numbers[name] = _gathered(name, numbers, count, answer)
            decimals[name] = _gathered(name, decimals, count, answer)
    return Work(problem, example, numbers, decimals)


def _fields(
    problem: ComputeProblem, example: Example, answer: Answer
) -> dict[str, tuple[Float64, Decimals]]:
    """Return every field in numbers, with the decimals that they are written with.

    A formula may use what is given and the fields above it.
    """
    tokens = example.inputs["tokens"]
    given: dict[str, Value] = {"X": tokens, **example.inputs}
    del given["tokens"]
    given |= {f"x_{i}": row for i, row in enumerate(tokens, 1)}
    given |= {"n": float(len(tokens)), "d_k": float(example.found.d_k)}
    used = _names_used(answer)
    found: dict[str, tuple[Float64, Decimals]] = {}
    for name, field in answer.fields.items():
        if name in given:
            raise InvalidAnswer(f"answer: {name} is given in the problem: use another name.")
        if not is_quantity(name, len(tokens)) and name not in used:
            raise InvalidAnswer(
                f"answer: {name} is nothing that is computed here. Asked for are "
                f"{', '.join(problem.goal.find)}."
            )
        names = {**given, **{above: values for above, (values, _) in found.items()}}
        plain = without_name(name, field)
        found[name] = _number_or_array(name, plain, answer.decimals.get(name), names)
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


def _number_or_array(
    name: str, field: Any, said: Any, symbols: Mapping[str, Value]
) -> tuple[Float64, Decimals]:
    if isinstance(field, list):
        known = said if isinstance(said, list) and len(said) == len(field) else [None] * len(field)
        parts = [
            _number_or_array(f"{name}[{i}]", part, one, symbols)
            for i, (part, one) in enumerate(zip(field, known, strict=True))
        ]
        if not parts or len({values.shape for values, _ in parts}) > 1:
            raise InvalidAnswer(f"answer: {name} must be a list of numbers, or of equal lists.")
        return np.array([values for values, _ in parts]), np.array([places for _, places in parts])
    found = evaluate(name, field, symbols)
    if isinstance(found, bool | dict | str):
        raise InvalidAnswer(f"answer: {name} must be a list of numbers or a formula.")
    values = np.asarray(found, float)
    if isinstance(field, Formula):
        return values, digits.of_formula(field, values)
    return values, digits.of_numbers(values, said)


def _as_asked(numbers: Float64, wanted: Float64) -> Float64:
    """Return a row or a column as the vector that it is; everything else as it stands."""
    if wanted.ndim == 1 and numbers.ndim < 3 and max(numbers.shape, default=1) == numbers.size:
        return numbers.reshape(numbers.size)
    return numbers


def _gathered(name: str, values: Mapping[str, Array], count: int, answer: Answer) -> Array:
    """Return a matrix out of its rows, or a row out of its matrix."""
    letter, token = quantity(name)
    if token is not None:
        whole = values.get(letter.upper())
        if whole is None or whole.ndim != 2 or len(whole) != count:
            answer.need(name)
        assert whole is not None
        row: Array = whole[token - 1]
        return row
    names = [f"{letter}_{i}" for i in range(1, count + 1)]
    rows = [values[row] for row in names if row in values]
    if len(rows) < count or len({row.shape for row in rows}) > 1:
        answer.need(name)
    matrix: Array = np.array(rows)
    return matrix
