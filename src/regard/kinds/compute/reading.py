"""The numbers that an answer to a worked example gives, as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from regard.checking.answers import Answer, Value, evaluate, without_name
from regard.checking.numbers import digits
from regard.checking.numbers.digits import Decimals
from regard.checking.typed.names import instead_of
from regard.errors import InvalidAnswer
from regard.kinds.compute.instance import Example, Float64
from regard.kinds.compute.spec import ComputeProblem, Quantity, is_quantity, quantity
from regard.language import Formula

HIDDEN = -1e9  # what is written for minus infinity in a mask that is added
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
        return sorted(self.given, key=self.place)

    def place(self, name: str) -> tuple[int, int, int, str]:
        """Return where in the order of the computation a name stands."""
        asked = self.quantity(name)
        return self.example.order.index(asked.name), asked.row or 0, asked.column or 0, name

    def quantity(self, name: str) -> Quantity:
        """Return what a name of the answer stands for."""
        return quantity(name, self.problem.given)

    def wanted(self, name: str) -> Float64:
        """Return what comes out under a name."""
        return self.example.pick(self.example.right, name)

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


def read(problem: ComputeProblem, answer: Answer) -> Work:
    """Read an answer, and compute what comes out.

    Raises:
        InvalidAnswer: something asked for is missing, or cannot be read.
    """
    example = Example(problem.given)
    numbers: dict[str, Float64] = {}
    decimals: dict[str, Decimals] = {}
    for name, (values, places) in _fields(problem, example, answer).items():
        if is_quantity(name, problem.given):
            numbers[name] = _as_asked(values, example.pick(example.right, name))
            decimals[name] = digits.in_one_list(places).reshape(numbers[name].shape)
    for name in problem.goal.find:
        if name not in numbers:
            numbers[name] = _gathered(name, numbers, example, answer)
            decimals[name] = _gathered(name, decimals, example, answer)
    return Work(problem, example, numbers, decimals)


def _fields(
    problem: ComputeProblem, example: Example, answer: Answer
) -> dict[str, tuple[Float64, Decimals]]:
    """Return every field in numbers, with the decimals that they are written with.

    A formula may use what is given and the fields above it.
    """
    given = given_names(example)
    used = _names_used(answer)
    found: dict[str, tuple[Float64, Decimals]] = {}
    for name, field in answer.fields.items():
        if name in given:
            raise InvalidAnswer(f"answer: {name} is given in the problem: use another name.")
        if not is_quantity(name, problem.given) and name not in used:
            raise InvalidAnswer(
                f"answer: {name} is nothing that is computed here. Asked for are "
                f"{', '.join(problem.goal.find)}.{instead_of(name, problem.goal.find)}"
            )
        names = {**given, **{above: values for above, (values, _) in found.items()}}
        plain = without_name(name, field)
        mask = is_quantity(name, problem.given) and quantity(name, problem.given).symbol == "M"
        plain = _without_truths(plain) if mask else plain
        found[name] = _number_or_array(name, plain, answer.decimals.get(name), names)
        if mask:
            found[name] = _without_infinities(found[name][0]), found[name][1]
    return found


def _without_truths(field: Any) -> Any:
    """Return a mask with 1 for true and 0 for false."""
    if isinstance(field, list):
        return [_without_truths(one) for one in field]
    return float(field) if isinstance(field, bool) else field


def _without_infinities(mask: Float64) -> Float64:
    """Return a mask with 1 and 0 in place of what is added to scores, 0 and minus infinity."""
    hidden = mask <= HIDDEN
    if not np.any(hidden) or np.any(mask[~hidden] != 0):
        return mask
    return np.where(hidden, 0.0, 1.0)


def given_names(example: Example) -> dict[str, Value]:
    """Return what a formula of an answer may use: arrays, their rows, and sizes."""
    names = {"tokens": "X", "scores": "S", "weights": "A", "context": "X_c"}
    found: dict[str, Value] = {}
    given = example.given
    for name, rows in example.setup.arrays.items():
        if name in ("scale", "temperature") or "." in name or given.n is not None:
            continue
        called = names.get(name, name)
        vector = len(rows) == 1 and name[0] in "bw"
        found[called] = rows[0] if vector else rows
        if called in ("X", "Q", "K", "V"):
            found |= {f"{called.lower()}_{i}": row for i, row in enumerate(rows, 1)}
    found |= {"n": float(given.n_k)}
    found |= {} if given.d_k is None else {"d_k": float(given.d_k)}
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
    """Return a row or a column as the vector that it is, and a list as the one row asked for.

    Everything else is left as it stands.
    """
    if wanted.ndim == 0 and numbers.size == 1:
        return numbers.reshape(())
    if wanted.ndim == 1 and numbers.ndim < 3 and max(numbers.shape, default=1) == numbers.size:
        return numbers.reshape(numbers.size)
    if wanted.ndim == 2 and 1 in wanted.shape and numbers.ndim < 2 and numbers.size == wanted.size:
        return numbers.reshape(wanted.shape)
    return numbers


def _gathered(name: str, values: Mapping[str, Array], example: Example, answer: Answer) -> Array:
    """Return a matrix out of its rows, or a row or an entry out of what holds it."""
    asked = quantity(name, example.given)
    known = {quantity(one, example.given): array for one, array in values.items()}
    whole, row = known.get(Quantity(asked.name)), known.get(Quantity(asked.name, asked.row))
    shape = example.right[asked.name].shape
    if asked in known:
        return known[asked]  # under another of its names
    if asked.row is None:
        rows = [known.get(Quantity(asked.name, i)) for i in range(1, shape[0] + 1)]
        there = [one for one in rows if one is not None]
        if len(there) == shape[0] and len({one.shape for one in there}) == 1:
            return np.array(there)
    elif row is None and whole is not None and whole.ndim and len(whole) == shape[0]:
        row = whole[asked.row - 1]
    if asked.row is not None and row is not None:
        if asked.column is None:
            return row
        if row.ndim == 1 and len(row) == shape[1]:
            return np.asarray(row[asked.column - 1])
    answer.need(name)
    raise AssertionError("need raises where a field is missing")
