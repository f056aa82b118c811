"""Numbers are right to the digits that are written, and to two decimals at least.

With two decimals or fewer a number has to be rounded rightly to two; of more decimals the last may
be cut off instead. Whole numbers in a list without any decimals say that they are exact: weights
(0, 1, 0) are not the softmax (0.002, 0.998, 0.000), and (0.00, 1.00, 0.00) are.

Where numbers are parts of a formula, it stands for all that it comes to as each of them moves by
half a unit of its last digit (`larger`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.language import Formula

Float64 = NDArray[np.float64]
Decimals = NDArray[np.int64]

WORKED_OUT = -1  # decimals of what a formula comes to: it is judged to two
TWO_DECIMALS = 5e-3
WHOLE = 5e-7  # relative: what a whole number may be off and still be exact
ROUNDING = 1e-12, 1e-13  # relative and absolute, of float64
FEWEST, MOST_DIGITS = 2, 15  # decimals of a number that is part of a formula
HALF = 0.505  # of a unit of the last digit, with a little for rounding
_LITERAL = re.compile(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
_LIST = frozenset({"number", "neg", "column", "matrix"})
_ARITHMETIC = _LIST | {"+", "-", "*", "·", "/", "^", "'"}


def written(value: Any) -> Any:
    """Return the decimals of each number in plain data, nested as it is; None for anything else.

    >>> written([1, 0.25, 3.0, 7e-13, "x"])
    [0, 2, 1, 13, None]
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [written(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return 0 if isinstance(value, int) else _decimals(repr(value))


def of_numbers(values: Float64, said: Any) -> Decimals:
    """Return the decimals of numbers; where nothing is known, those that Python would write."""
    try:
        found = np.array(said, dtype=np.int64)
    except (TypeError, ValueError):
        found = np.zeros((), dtype=np.int64)
    if found.shape != values.shape:
        texts = [_decimals(repr(float(x))) for x in values.reshape(-1).tolist()]
        found = np.array(texts, dtype=np.int64).reshape(values.shape)
    return found


def of_formula(formula: Formula, values: Float64) -> Decimals:
    """Return the decimals of what a formula comes to.

    A list of numbers has those that are written, and sums of whole numbers that come to whole
    numbers are whole. Everything else is worked out.
    """
    ops = {node.op for node in formula.tree}
    said = [decimals_at(formula, node.column) for node in formula.tree if node.op == "number"]
    if ops <= _LIST and len(said) == values.size:
        return np.array(said).reshape(values.shape)
    found = np.full(values.shape, WORKED_OUT)
    if ops <= _ARITHMETIC and not any(said):
        found[values == np.round(values)] = 0
    return found


def decimal_numbers(formula: Formula) -> list[tuple[float, int]]:
    """Return the numbers in a formula that are written with a decimal point, with its decimals."""
    found = []
    for node in formula.tree:
        places = decimals_at(formula, node.column) if node.op == "number" else 0
        if places and node.value:
            found.append((float(node.value), places))
    return found


def decimals_at(formula: Formula, column: int) -> int:
    """Return how many decimals the number at a place of a formula is written with."""
    literal = _LITERAL.match(formula.text, column)
    return _decimals("" if literal is None else literal[0])


def _decimals(text: str) -> int:
    """Return how many decimals a number is written with: 1 of 3.0, none of 3, 14 of 6.9e-13."""
    try:
        exponent = Decimal(text).as_tuple().exponent
    except ArithmeticError:
        return WORKED_OUT
    if isinstance(exponent, str):  # infinity, or not a number
        return WORKED_OUT
    return max(-exponent, 1 if "." in text else 0)


def in_one_list(decimals: Decimals) -> Decimals:
    """Return the decimals of a list: whole numbers in it are written as far as the others are."""
    most = int(np.max(decimals, initial=0))
    return np.where(decimals == 0, most, decimals)


def allowed(decimals: Decimals, right: Float64, tolerance: float = TWO_DECIMALS) -> Float64:
    """Return how far off numbers may be that are written with so many decimals."""
    unit = 10.0 ** -np.clip(decimals, 3, 300)
    last = np.where(decimals > 2, 0.999999 * unit, np.inf)
    found = np.where(decimals == 0, WHOLE * np.maximum(1, np.abs(right)), last)
    relative, absolute = ROUNDING
    return np.asarray(np.minimum(found, tolerance) + relative * np.abs(right) + absolute)


def alike(decimals: Decimals, other: Float64, tolerance: float = TWO_DECIMALS) -> Float64:
    """Return how far numbers may be from others that they are said to be: also rounded to one."""
    return np.asarray(np.where(decimals == 1, 0.05, allowed(decimals, other, tolerance)))


def larger(field: Any) -> Iterator[Any]:
    """Return a field with one of its decimals after the other half a unit larger."""
    if isinstance(field, float | np.ndarray):
        step = min((_step(x) for x in np.ravel(field).tolist() if _step(x)), default=0.0)
        for entry in range(np.size(field) if step else 0):
            more = np.array(field, float)
            more.flat[entry] += step
            yield more if isinstance(field, np.ndarray) else float(more)
    elif isinstance(field, Formula):
        for place, node in enumerate(field.tree):
            if node.op != "number":
                continue
            step = _step(float(node.value), decimals_at(field, node.column))
            if step:
                up = replace(node, value=float(node.value) + step)
                yield Formula((*field.tree[:place], up, *field.tree[place + 1 :]), field.text)
    elif isinstance(field, list | dict):
        for key in field if isinstance(field, dict) else range(len(field)):
            for changed in larger(field[key]):
                copied: Any = field.copy()
                copied[key] = changed
                yield copied


def _step(x: float, decimals: int = 0) -> float:
    """Return half a unit of the last decimal of a number, which may be written with more of them.

    It is 0 for a whole number.
    """
    if not np.isfinite(x) or x == round(x):
        return 0.0
    most = max(written(float(x)), decimals, FEWEST)
    return HALF * 10.0 ** -min(most, MOST_DIGITS)
