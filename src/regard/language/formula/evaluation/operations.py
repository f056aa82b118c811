"""What each operator and function of a formula does, in float64.

Nothing here raises for numbers that are too large or not defined: they come out as infinity or
NaN. The shapes fit, and the shape of the result is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from regard.language.formula.evaluation.array_operations import ARRAY_CALLS, blocks
from regard.language.formula.shapes.inference import Shape
from regard.language.formula.tree import Node

Value = Any  # np.float64, an array with one or two axes, or bool
# Two numbers count as equal if they differ by no more than rounding.
_RELATIVE: Final = 1e-9
_ABSOLUTE: Final = 1e-12


def _multiply(node: Node, arguments: list[Value], shape: Shape) -> Value:
    left, right = arguments
    if np.ndim(left) == 0 or np.ndim(right) == 0:
        return left * right
    if np.ndim(left) == 1 and np.ndim(right) == 2:
        return left[:, None] * right
    return left @ right


def _power(node: Node, arguments: list[Value], shape: Shape) -> Value:
    base, exponent = arguments
    if not shape:
        return base**exponent
    try:
        return np.linalg.matrix_power(base, int(exponent))
    except np.linalg.LinAlgError:  # a singular matrix
        return np.full(shape, np.nan)


def _compare(node: Node, arguments: list[Value], shape: Shape) -> bool:
    return all(
        _holds(relation, left, right)
        for relation, left, right in zip(node.value, arguments, arguments[1:], strict=False)
    )


def _holds(relation: str, left: Value, right: Value) -> bool:
    """Say whether a relation holds in every entry; with NaN none does."""
    if np.isnan(left).any() or np.isnan(right).any():
        return False
    if relation in ("=", "!="):
        close = np.isclose(left, right, rtol=_RELATIVE, atol=_ABSOLUTE).all()
        return bool(close) == (relation == "=")
    compared = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    return bool(compared[relation](left, right).all())


def _constant(node: Node, arguments: list[Value], shape: Shape) -> Value:
    if node.value == "I":
        return np.eye(int(shape[0]))
    return np.float64(math.pi if node.value == "pi" else math.inf)


def _entries(node: Node, arguments: list[Value], shape: Shape) -> Value:
    if any(np.ndim(part) for part in arguments):
        return blocks(node.value, arguments)
    return np.array(arguments, dtype=np.float64)


OPERATORS: Final[dict[str, Callable[[Node, list[Value], Shape], Value]]] = {
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


def _norm(x: Value) -> Value:
    """The Euclidean length, without overflow on the way."""
    largest = np.max(np.abs(x), initial=0.0)
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * np.sqrt(np.sum(np.square(x / largest)))


def _pinv(x: Value) -> Value:
    try:
        return np.linalg.pinv(x[:, None] if np.ndim(x) == 1 else x)
    except np.linalg.LinAlgError:  # NaN or infinity in it
        return np.full(np.shape(x)[::-1], np.nan)


def _each(function: Callable[[float], float]) -> Callable[[Value], Value]:
    """Apply a function of the standard library to every entry."""
    return lambda x: np.array([function(entry) for entry in np.ravel(x).tolist()]).reshape(
        np.shape(x)
    )[()]


_erf = _each(math.erf)
_normal = _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))

CALLS: Final[dict[str, Callable[[list[Value], Shape], Value]]] = {
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
    "erf": lambda arguments, _: _erf(arguments[0]),
    "Phi": lambda arguments, _: _normal(arguments[0]),
    "I": lambda arguments, shape: np.eye(int(shape[0])),
    **ARRAY_CALLS,
}
