"""What a formula comes to, in float64.

Nothing here raises for numbers that are too large or not defined: they come out as infinity or
NaN. What does not fit in shape is refused before anything is computed.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from regard.errors import FormulaError
from regard.language.formula import size_limits
from regard.language.formula.evaluation import large_numbers
from regard.language.formula.evaluation.large_numbers import Large
from regard.language.formula.evaluation.operations import CALLS, OPERATORS, Value
from regard.language.formula.parsing.messages import undeclared
from regard.language.formula.shapes.inference import Shape, infer
from regard.language.formula.tree import Node, Tree, operands
from regard.language.formula.vocabulary import OF_SIZES


def evaluate(
    tree: Tree,
    text: str,
    values: Mapping[str, Any],
    expected: Sequence[int | str] | None = None,
) -> float | np.ndarray | bool:
    """Return the value of a formula.

    Args:
        tree: the formula.
        text: its source, for messages.
        values: of the names: numbers, columns with one axis, matrices with two.
        expected: the shape it should have, if it matters.

    Raises:
        FormulaError: a name has no value, or the shapes do not fit.
    """
    known = _values(tree, text, values)
    sizes = tuple(
        (at, tuple(_size(part, text, known, node) for part in operands(tree, at)))
        for at, node in enumerate(tree)
        if node.op == "call" and node.value in OF_SIZES
    )
    of_names = tuple((name, np.shape(value)) for name, value in known.items())
    wanted = None if expected is None else tuple(expected)
    shapes = _shapes(tree, text, of_names, wanted, sizes)
    if any(isinstance(value, Large) for value in known.values()):
        with large_numbers.exact_enough():
            result = _run(tree, known, shapes, large=True)
            if isinstance(result, Large) and not expected:
                return result
            result = large_numbers.in_floats(result)
    else:
        result = _run(tree, known, shapes)
    if isinstance(result, bool):
        return result
    if expected is not None and np.shape(result) != tuple(expected):
        return np.reshape(result, tuple(int(size) for size in expected))
    return float(result) if np.ndim(result) == 0 else np.array(result)


def constant(tree: Tree) -> float | None:
    """Return the value of a formula without names, or None if it has some or is no scalar."""
    if any(node.op == "name" or node.value in OF_SIZES for node in tree):
        return None
    try:
        value = evaluate(tree, "", {})
    except FormulaError:
        return None
    return value if isinstance(value, float) else None


def _values(tree: Tree, text: str, values: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values of the names in a formula, as float64."""
    known: dict[str, Value] = {}
    for node in tree:
        if node.op != "name" or node.value in known:
            continue
        if node.value not in values:
            raise FormulaError(undeclared(node.value, values), text, node.column)
        value = values[node.value]
        value = value if isinstance(value, Large) else _float64(value)
        if value is None:
            raise FormulaError(
                f"The value of {node.value} is not a number or an array of numbers.",
                text,
                node.column,
            )
        known[node.value] = value
    return known


def _float64(value: Any) -> Value | None:
    """Return a value as float64, or None if it holds something else than real numbers."""
    try:
        array = np.asarray(value)
        if array.dtype == object:  # fractions, long integers
            if not all(isinstance(entry, numbers.Real) for entry in array.flat):
                return None
        elif array.dtype.kind not in "biuf":
            return None
        with np.errstate(all="ignore"):
            return array.astype(np.float64)[()]
    except (TypeError, ValueError, OverflowError):
        return None


def _size(argument: Tree, text: str, known: dict[str, Value], node: Node) -> int:
    """Return a size in I(…), ones(…), zeros(…) or causal(…)."""
    size = evaluate(argument, text, known, ())
    assert isinstance(size, float)
    if not 1 <= size < math.inf or size % 1:
        raise FormulaError(
            f"The size of {node.value} must be a whole number from 1, and it is {size:g}.",
            text,
            node.column,
        )
    return int(size)


# An answer is tried on many instances, of the same shapes.
@lru_cache(maxsize=1024)
def _shapes(
    tree: Tree,
    text: str,
    of_names: tuple[tuple[str, tuple[int, ...]], ...],
    expected: tuple[int | str, ...] | None,
    sizes: tuple[tuple[int, tuple[int, ...]], ...],
) -> tuple[Shape, ...]:
    """Return the shape of every node, and refuse what does not fit or is too large."""
    shapes = tuple(infer(tree, text, dict(of_names), expected, dict(sizes)))
    _check_size(tree, text, shapes)
    return shapes


def _check_size(tree: Tree, text: str, shapes: tuple[Shape, ...]) -> None:
    """Refuse what would take too much memory or time."""
    work = 0
    stack: list[Shape] = []
    for node, shape in zip(tree, shapes, strict=True):
        arguments = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(shape)
        entries = math.prod(int(size) for size in shape)
        if node.op != "name" and entries > size_limits.MOST_ENTRIES:
            raise FormulaError(
                f"This would have {entries} entries, and a formula may compute "
                f"{size_limits.MOST_ENTRIES}.",
                text,
                node.column,
            )
        inner = [int(size) for argument in arguments for size in argument]
        cube = max(inner, default=1)
        if node.op in ("*", "·") and len(arguments) == 2 and all(arguments):
            work += entries * int(arguments[0][-1])
        elif node.op == "^" and shape:
            work += 12 * cube**3
        elif node.value == "pinv":
            work += 30 * math.prod(inner) * min(inner, default=1)
        if work > size_limits.MOST_WORK:
            raise FormulaError(
                "This would take too long to compute: its matrices are too large.",
                text,
                node.column,
            )


def _run(
    tree: Tree, known: dict[str, Value], shapes: Sequence[Shape], *, large: bool = False
) -> Value:
    stack: list[Value] = []
    with np.errstate(all="ignore"):
        for node, shape in zip(tree, shapes, strict=True):
            arguments = stack[len(stack) - node.arity :]
            del stack[len(stack) - node.arity :]
            if large and large_numbers.applies(arguments):
                value = large_numbers.operate(node, arguments, shape)
                if value is not None:
                    stack.append(value)
                    continue
                arguments = [large_numbers.in_floats(argument) for argument in arguments]
            if node.op == "name":
                value = known[node.value]
            elif node.op == "call":
                value = CALLS[node.value](arguments, shape)
            else:
                value = OPERATORS[node.op](node, arguments, shape)
            if not isinstance(value, bool) and np.shape(value) != shape:
                value = np.reshape(value, [int(size) for size in shape])[()]
            stack.append(value)
    return stack[0]
