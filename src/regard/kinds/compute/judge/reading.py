"""The numbers that an answer to a worked example gives, as they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from regard.analysis.exact_trace.trace import trace
from regard.checking import digits
from regard.checking.answers import Answer, Value, evaluate, without_name
from regard.checking.digits import Decimals
from regard.errors import InvalidAnswer
from regard.kinds.compute.judge.numbers import FIELDS, Float64, Work, letter, pick
from regard.kinds.compute.spec import MATRICES, ComputeProblem, fraction
from regard.language import Formula

Array = TypeVar("Array", Float64, Decimals)
ROOT = "1/sqrt(d_k)"
_ROW = re.compile(r"[qkvzac]_([1-9][0-9]?)")


def work(problem: ComputeProblem, answer: Answer) -> Work:
    """Read an answer and compute what comes out.

    Raises:
        InvalidAnswer: something asked for is missing, or cannot be read.
    """
    given = problem.given
    inputs = [
        [[fraction(entry) for entry in row] for row in getattr(given, name)]
        for name in ("tokens", "W_Q", "W_K", "W_V")
    ]
    scale = ROOT if given.scale == ROOT else fraction(given.scale)
    found = trace(*inputs, scale=scale)
    right = {one: found.floats(field) for one, field in FIELDS.items()}
    numbers: dict[str, Float64] = {}
    decimals: dict[str, Decimals] = {}
    for name, (values, places) in _read(problem, answer).items():
        if _is_quantity(name, found.n):
            numbers[name] = _as_asked(values, pick(right, name))
            decimals[name] = digits.in_one_list(places).reshape(numbers[name].shape)
    for name in problem.goal.find:
        if name not in numbers:
            numbers[name] = _gathered(name, numbers, found.n, answer)
            decimals[name] = _gathered(name, decimals, found.n, answer)
    return Work(problem, found, right, numbers, decimals)


def _is_quantity(name: str, count: int) -> bool:
    row = _ROW.fullmatch(name)
    return name in MATRICES or bool(row and int(row[1]) <= count)


def _read(problem: ComputeProblem, answer: Answer) -> dict[str, tuple[Float64, Decimals]]:
    """Return every field in numbers, with the decimals that they are written with.

    A formula may use what is given and the fields above it.
    """
    given = problem.given
    symbols: dict[str, Value] = {
        name: np.array([[float(fraction(entry)) for entry in row] for row in getattr(given, field)])
        for name, field in (("X", "tokens"), ("W_Q", "W_Q"), ("W_K", "W_K"), ("W_V", "W_V"))
    }
    tokens = np.asarray(symbols["X"])
    symbols |= {f"x_{i}": row for i, row in enumerate(tokens, 1)}
    symbols |= {"n": float(len(tokens)), "d_k": float(len(given.W_Q[0]))}
    used = _names_used(answer)
    found: dict[str, tuple[Float64, Decimals]] = {}
    for name, field in answer.fields.items():
        if name in symbols:
            raise InvalidAnswer(f"answer: {name} is given in the problem: use another name.")
        if not _is_quantity(name, len(tokens)) and name not in used:
            raise InvalidAnswer(
                f"answer: {name} is nothing that is computed here. Asked for are "
                f"{', '.join(problem.goal.find)}."
            )
        names = {**symbols, **{above: values for above, (values, _) in found.items()}}
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
    if name not in MATRICES:
        whole = values.get(letter(name).upper())
        if whole is None or whole.ndim != 2 or len(whole) != count:
            answer.need(name)
        assert whole is not None
        row: Array = whole[int(name[2:]) - 1]
        return row
    names = [f"{letter(name)}_{i + 1}" for i in range(count)]
    rows = [values[row] for row in names if row in values]
    if len(rows) < count or len({row.shape for row in rows}) > 1:
        answer.need(name)
    matrix: Array = np.array(rows)
    return matrix
