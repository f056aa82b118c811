"""What a formula comes to, in float64.

Nothing here raises for numbers that are too large or not defined: they come out as infinity or
NaN. What does not fit in shape is refused before anything is computed.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from regard.errors import FormulaError
from regard.language import limits
from regard.language.inference import Shape, infer
from regard.language.messages import undeclared
from regard.language.tree import Node, Tree, operands

_Array = Any  # np.float64, an array with one or two axes, or bool
# Two numbers count as equal if they differ by no more than rounding.
_RELATIVE: Final = 1e-9
_ABSOLUTE: Final = 1e-12


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
        (at, _size(operands(tree, at)[0], text, known, node))
        for at, node in enumerate(tree)
        if node.op == "call" and node.value == "I"
    )
    of_names = tuple((name, np.shape(value)) for name, value in known.items())
    wanted = None if expected is None else tuple(expected)
    result = _run(tree, known, _shapes(tree, text, of_names, wanted, sizes))
    if isinstance(result, bool):
        return result
    if expected is not None and np.shape(result) != tuple(expected):
        return np.reshape(result, tuple(int(size) for size in expected))
    return float(result) if np.ndim(result) == 0 else np.array(result)


def constant(tree: Tree) -> float | None:
    """Return the value of a formula without names, or None if it has some or is no scalar."""
    if any(node.op == "name" or node.value == "I" for node in tree):
        return None
    try:
        value = evaluate(tree, "", {})
    except FormulaError:
        return None
    return value if isinstance(value, float) else None


def _values(tree: Tree, text: str, values: Mapping[str, Any]) -> dict[str, _Array]:
    """Return the values of the names in a formula, as float64."""
    known: dict[str, _Array] = {}
    for node in tree:
        if node.op != "name" or node.value in known:
            continue
        if node.value not in values:
            raise FormulaError(undeclared(node.value, values), text, node.column)
        value = _float64(values[node.value])
        if value is None:
            raise FormulaError(
                f"The value of {node.value} is not a number or an array of numbers.",
                text,
                node.column,
            )
        known[node.value] = value
    return known


def _float64(value: Any) -> _Array | None:
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


def _size(argument: Tree, text: str, known: dict[str, _Array], node: Node) -> int:
    """Return the size in I(…)."""
    size = evaluate(argument, text, known, ())
    assert isinstance(size, float)
    if not 1 <= size < math.inf or size % 1:
        raise FormulaError(
            f"The size of I must be a whole number from 1, and it is {size:g}.", text, node.column
        )
    return int(size)


# An answer is tried on many instances, of the same shapes.
@lru_cache(maxsize=1024)
def _shapes(
    tree: Tree,
    text: str,
    of_names: tuple[tuple[str, tuple[int, ...]], ...],
    expected: tuple[int | str, ...] | None,
    sizes: tuple[tuple[int, int], ...],
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
        if node.op != "name" and entries > limits.MOST_ENTRIES:
            raise FormulaError(
                f"This would have {entries} entries, and a formula may compute "
                f"{limits.MOST_ENTRIES}.",
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
        if work > limits.MOST_WORK:
            raise FormulaError(
                "This would take too long to compute: its matrices are too large.",
                text,
                node.column,
            )


def _run(tree: Tree, known: dict[str, _Array], shapes: Sequence[Shape]) -> _Array:
    stack: list[_Array] = []
    with np.errstate(all="ignore"):
        for node, shape in zip(tree, shapes, strict=True):
            arguments = stack[len(stack) - node.arity :]
            del stack[len(stack) - node.arity :]
            if node.op == "name":
                value = known[node.value]
            elif node.op == "call":
                value = _CALLS[node.value](arguments, shape)
            else:
                value = _OPERATORS[node.op](node, arguments, shape)
            if not isinstance(value, bool) and np.shape(value) != shape:
                value = np.reshape(value, [int(size) for size in shape])[()]
            stack.append(value)
    return stack[0]


def _multiply(node: Node, arguments: list[_Array], shape: Shape) -> _Array:
    left, right = arguments
    if np.ndim(left) == 0 or np.ndim(right) == 0:
        return left * right
    if np.ndim(left) == 1 and np.ndim(right) == 2:
        return left[:, None] * right
    return left @ right


def _power(node: Node, arguments: list[_Array], shape: Shape) -> _Array:
    base, exponent = arguments
    if not shape:
        return base**exponent
    try:
        return np.linalg.matrix_power(base, int(exponent))
    except np.linalg.LinAlgError:  # a singular matrix
        return np.full(shape, np.nan)


def _compare(node: Node, arguments: list[_Array], shape: Shape) -> bool:
    return all(
        _holds(relation, left, right)
        for relation, left, right in zip(node.value, arguments, arguments[1:], strict=False)
    )


def _holds(relation: str, left: _Array, right: _Array) -> bool:
    """Say whether a relation holds in every entry; with NaN none does."""
    if np.isnan(left).any() or np.isnan(right).any():
        return False
    if relation in ("=", "!="):
        close = np.isclose(left, right, rtol=_RELATIVE, atol=_ABSOLUTE).all()
        return bool(close) == (relation == "=")
    compared = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    return bool(compared[relation](left, right).all())


def _constant(node: Node, arguments: list[_Array], shape: Shape) -> _Array:
    if node.value == "I":
        return np.eye(int(shape[0]))
    return np.float64(math.pi if node.value == "pi" else math.inf)


def _entries(node: Node, arguments: list[_Array], shape: Shape) -> _Array:
    return np.array(arguments, dtype=np.float64)


_OPERATORS: Final[dict[str, Callable[[Node, list[_Array], Shape], _Array]]] = {
    "number": lambda node, _, shape: np.float64(node.value),
    "constant": _constant,
    "+": lambda _, arguments, shape: arguments[0] + arguments[1],
    "-": lambda _, arguments, shape: arguments[0] - arguments[1],
    "*": _multiply,
    "·": _multiply,
    "/": lambda _, arguments, shape: arguments[0] / arguments[1],
    "^": _power,
    "neg": lambda _, arguments, shape: -arguments[0],
    "'": lambda _, arguments, shape: np.transpose(arguments[0]),
    "column": _entries,
    "matrix": _entries,
    "compare": _compare,
    "and": lambda _, arguments, shape: arguments[0] and arguments[1],
    "or": lambda _, arguments, shape: arguments[0] or arguments[1],
    "not": lambda _, arguments, shape: not arguments[0],
}


def _entries_of(arguments: list[_Array]) -> _Array:
    return np.array(arguments) if len(arguments) > 1 else arguments[0]


def _norm(x: _Array) -> _Array:
    """The Euclidean length, without overflow on the way."""
    largest = np.max(np.abs(x), initial=0.0)
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * np.sqrt(np.sum(np.square(x / largest)))


def _softmax(x: _Array) -> _Array:
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=-1, keepdims=True)


def _pinv(x: _Array) -> _Array:
    try:
        return np.linalg.pinv(x[:, None] if np.ndim(x) == 1 else x)
    except np.linalg.LinAlgError:  # NaN or infinity in it
        return np.full(np.shape(x)[::-1], np.nan)


def _each(function: Callable[[float], float]) -> Callable[[_Array], _Array]:
    """Apply a function of the standard library to every entry."""
    return lambda x: np.array([function(entry) for entry in np.ravel(x).tolist()]).reshape(
        np.shape(x)
    )[()]


_erf = _each(math.erf)
_normal = _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))

_CALLS: Final[dict[str, Callable[[list[_Array], Shape], _Array]]] = {
    "dot": lambda arguments, _: np.ravel(arguments[0]) @ np.ravel(arguments[1]),
    "outer": lambda arguments, _: np.outer(arguments[0], arguments[1]),
    "norm": lambda arguments, _: _norm(arguments[0]),
    "exp": lambda arguments, _: np.exp(arguments[0]),
    "log": lambda arguments, _: np.log(arguments[0]),
    "sqrt": lambda arguments, _: np.sqrt(arguments[0]),
    "cos": lambda arguments, _: np.cos(arguments[0]),
    "sin": lambda arguments, _: np.sin(arguments[0]),
    "sum": lambda arguments, _: np.sum(arguments[0]),
    "pinv": lambda arguments, _: _pinv(arguments[0]),
    "tr": lambda arguments, _: np.trace(arguments[0]),
    "abs": lambda arguments, _: np.abs(arguments[0]),
    "modulus": lambda arguments, _: np.abs(arguments[0]),
    "max": lambda arguments, _: np.max(_entries_of(arguments), initial=-np.inf),
    "min": lambda arguments, _: np.min(_entries_of(arguments), initial=np.inf),
    "softmax": lambda arguments, _: _softmax(arguments[0]),
    "erf": lambda arguments, _: _erf(arguments[0]),
    "Phi": lambda arguments, _: _normal(arguments[0]),
    "I": lambda arguments, shape: np.eye(int(shape[0])),
}
