"""Formulas of the language in 60 digits, by code that shares nothing with what proves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

from regard.language import parse

DIGITS = 60
_EACH = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "cos": mpmath.cos,
    "sin": mpmath.sin,
    "abs": abs,
    "modulus": abs,
    "erf": mpmath.erf,
}


def value(text: str, names: Mapping[str, Any]) -> Any:
    """Return a number, or an array of mpmath numbers with one axis or two."""
    stack: list[Any] = []
    for node in parse(text).tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(_node(node.op, node.value, parts, names))
    return stack[0]


def exact(array: Any) -> Any:
    """Return floats as mpmath numbers."""
    if np.ndim(array) == 0:
        return mpmath.mpf(float(array))
    found = np.empty(np.shape(array), object)
    for place in np.ndindex(found.shape):
        found[place] = mpmath.mpf(float(np.asarray(array)[place]))
    return found


def largest_difference(one: Any, other: Any) -> Any:
    """Return max |one - other|, relative to the size of the numbers if that is above 1."""
    pairs = list(zip(np.ravel(one).tolist(), np.ravel(other).tolist(), strict=True))
    scale = max([mpmath.mpf(1), *(abs(b) for _, b in pairs)])
    return max(abs(a - b) for a, b in pairs) / scale


def _node(op: str, what: Any, parts: list[Any], names: Mapping[str, Any]) -> Any:
    if op == "number":
        return mpmath.mpf(repr(what))
    if op == "name":
        return names[what]
    if op == "constant":
        return mpmath.pi
    if op in ("+", "-"):
        return parts[0] + parts[1] if op == "+" else parts[0] - parts[1]
    if op in ("*", "·"):
        return _product(*parts)
    if op == "/":
        return parts[0] / parts[1]
    if op == "neg":
        return -parts[0]
    if op == "'":
        return parts[0][None, :] if parts[0].ndim == 1 else parts[0].T
    if op == "^":
        return _power(*parts)
    if op == "column":
        return np.array(parts, object)
    if op == "matrix":
        return np.array(parts, object).reshape(what)
    return _call(what, parts)


def _product(left: Any, right: Any) -> Any:
    if np.ndim(left) == 0 or np.ndim(right) == 0:
        return left * right
    if np.ndim(left) == 1:
        return left[:, None] * right if np.ndim(right) == 2 else np.sum(left * right)
    found = np.asarray(left.dot(right), object)
    return found.ravel()[0] if found.size == 1 else found


def _power(base: Any, exponent: Any) -> Any:
    if np.ndim(base) == 0:
        return base**exponent
    matrix = mpmath.matrix(base.tolist()) ** int(exponent)
    return np.array(matrix.tolist(), object).reshape(base.shape)


def _call(name: str, parts: list[Any]) -> Any:
    (x, *others) = parts
    if name in _EACH:
        return np.vectorize(_EACH[name], otypes=[object])(x) if np.ndim(x) else _EACH[name](x)
    if name == "softmax":
        rows = np.atleast_2d(x)
        powers = np.vectorize(mpmath.exp, otypes=[object])(rows)
        return (powers / powers.sum(axis=1, keepdims=True)).reshape(np.shape(x))
    if name == "norm":
        return mpmath.sqrt(sum(entry * entry for entry in np.ravel(x)))
    if name == "sum":
        return sum(np.ravel(x).tolist())
    if name == "tr":
        return sum(x[i, i] for i in range(len(x)))
    if name == "dot":
        return sum(a * b for a, b in zip(np.ravel(x), np.ravel(others[0]), strict=True))
    if name == "outer":
        return np.outer(x, others[0])
    if name == "I":
        return np.array(mpmath.eye(int(x)).tolist(), object).reshape(int(x), int(x))
    if name in ("max", "min"):
        return (max if name == "max" else min)(np.ravel(x).tolist() + others)
    raise AssertionError(name)
