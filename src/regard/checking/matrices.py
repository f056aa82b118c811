"""Matrices out of answers: evaluated on an instance, with the further names an answer declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.answers import Answer, Value, evaluate, without_name
from regard.errors import FormulaError, InvalidAnswer
from regard.language import Formula

Float64 = NDArray[np.float64]
ROUNDING = 1e-9  # relative: numbers with all of their digits were rounded when they were made


def matrix(name: str, field: Any, symbols: Mapping[str, Value], d: int) -> Float64:
    """Return what a field comes to, as an array; an I that stands alone has the size d.

    Raises:
        InvalidAnswer: it is no number and no array, or cannot be evaluated.
    """
    if isinstance(field, Formula) and field.names <= set(symbols):
        try:
            return np.asarray(field.evaluate(symbols, (d, d)), float)
        except FormulaError:
            pass  # of another shape, or of none: what follows tells
    if isinstance(field, list) and field:
        return _rows(name, [matrix(name, item, symbols, d) for item in field])
    if not isinstance(field, Formula | np.ndarray | float):
        raise InvalidAnswer(f"answer: {name} must be a formula or a matrix of numbers.")
    found = evaluate(name, field, symbols)
    if isinstance(found, bool):
        raise InvalidAnswer(f"answer: {name} must be a formula or a matrix of numbers.")
    return np.asarray(found, float)


def _rows(name: str, items: list[Float64]) -> Float64:
    """Return entries side by side, or rows below each other: ["1/sqrt(2)", 0] is a column."""
    shapes = {item.shape for item in items}
    if len(shapes) > 1 or any(len(shape) > 1 for shape in shapes):
        raise InvalidAnswer(f"answer: {name} must be a formula or a matrix of numbers.")
    return np.array(items)


def shape_words(array: Float64) -> str:
    """Say what an array is: a number, a vector of n entries, an n × m matrix."""
    if array.ndim == 0:
        return "a single number"
    if array.ndim == 1:
        return f"a column of {len(array)} entries"
    return " × ".join(map(str, array.shape))


def with_own_names(
    answer: Answer, own: Iterable[str], symbols: Mapping[str, Value]
) -> dict[str, Value]:
    """Return symbols with the names that an answer declares beside its fields, in their order.

    Raises:
        InvalidAnswer: such a name has a meaning already, or is neither a formula nor numbers.
    """
    names = dict(symbols)
    for name in own:
        if name in symbols:
            raise InvalidAnswer(f"answer: {name} has a meaning in the problem: use another name.")
        field = without_name(name, answer.fields[name])
        if not isinstance(field, Formula | np.ndarray | float):
            raise InvalidAnswer(f"answer: {name} must be a formula or numbers.")
        found = evaluate(name, field, names)
        if isinstance(found, bool):
            raise InvalidAnswer(f"answer: {name} must be a formula or numbers.")
        names[name] = found
    return names


def as_vector(name: str, found: np.ndarray, width: int, like: str) -> np.ndarray:
    """Return a vector, also of one row or column; InvalidAnswer where it is none of that width."""
    if found.shape not in ((width,), (1, width), (width, 1)):
        is_zero = found.shape == () and not found
        zeros = f"; if the vector of zeros is meant, write zeros({width})" if is_zero else ""
        raise InvalidAnswer(
            f"answer: {name} must be a vector of {width} entries, as long as {like}. It is "
            f"{shape_words(found)}{zeros}."
        )
    return found.reshape(width)


def half_a_digit(fields: Iterable[Any]) -> float:
    """Return half a unit of the last decimal that numbers are written with, of two at least."""
    numbers: list[float] = []
    for field in _leaves(fields):
        if isinstance(field, Formula):
            numbers += [float(node.value) for node in field.tree if node.op == "number"]
        else:
            numbers += np.ravel(field).tolist()
    texts = [repr(float(x)) for x in numbers if np.isfinite(x)]
    most = max((len(t.partition(".")[2]) if "e" not in t else 17 for t in texts), default=0)
    largest = max((abs(x) for x in numbers if np.isfinite(x)), default=1.0)
    return max(0.5 * 10.0 ** -max(2, most), ROUNDING * max(1.0, largest))


def in_coordinates(fields: Iterable[Any], vectors: Iterable[str]) -> bool:
    """Whether fields are arrays of numbers and name no vector of the problem: only coordinates.

    Numbers beside names, such as 0 [[1, 2], [3, 4]] + S S', are a formula like any other.
    """
    fields = list(fields)
    known, arrays = set(vectors), any(isinstance(field, list) for field in fields)
    for field in _leaves(fields):
        if isinstance(field, Formula):
            if field.names & known:
                return False
            arrays = arrays or any(node.op in ("matrix", "column") for node in field.tree)
        else:
            arrays = arrays or not isinstance(field, float)
    return arrays


def _leaves(fields: Iterable[Any]) -> list[Any]:
    """Return what fields are made of: lists of formulas and numbers item by item."""
    found: list[Any] = []
    for field in fields:
        found += _leaves(field) if isinstance(field, list) else [field]
    return found
