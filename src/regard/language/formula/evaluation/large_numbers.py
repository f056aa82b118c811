"""Numbers beyond float64 in formulas: a factor that grows until log(log(C)) is large.

They are balls of Arb, which hold e^(e^1000) as easily as 2, and know their own rounding:
(C + 1)^2 - C^2 at C = 1e300 is no number here, where float64 would say 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from regard.language.formula.shapes.inference import Shape
from regard.language.formula.tree import Node

BITS: Final = 256  # of a ball
SEEN: Final = 40  # bits of a number that float64 is told; a ball that knows fewer is no number
NOTHING: Final = 1e-100  # a ball around 0 that is narrower is 0 to float64
Value = Any


class Large(float):
    """A number with a ball that holds it.

    As a float it is infinite where float64 does not reach, and NaN where the ball is too wide.
    """

    exact: Any  # flint.arb
    __eq__ = object.__eq__  # two that float64 does not reach are not one
    __hash__ = object.__hash__

    def __new__(cls, exact: Any) -> Large:
        """Return the number that a ball holds."""
        made = super().__new__(cls, _nearest(exact))
        made.exact = exact
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Balls travel between processes as their middle and radius do: here as text."""
        return _from_text, (self.exact.str(BITS, more=True),)


@dataclass(frozen=True)
class Scaled:
    """An array times a number that float64 may not hold: C k in C k/log(C)."""

    number: Any
    array: Any


def _from_text(text: str) -> Large:
    from flint import arb  # slow to load

    return Large(arb(text))


def _nearest(exact: Any) -> float:
    """Return a ball as a float: infinite beyond float64, NaN where it is too wide."""
    if not exact.is_finite():
        return math.nan
    if exact.rel_accuracy_bits() < SEEN:
        return 0.0 if exact.abs_upper() < NOTHING else math.nan
    return float(exact)


@contextmanager
def exact_enough() -> Iterator[None]:
    """Work with so many bits that C and C + 1 differ up to C = 1e77."""
    from flint import ctx

    with ctx.workprec(BITS):
        yield


def applies(arguments: list[Value]) -> bool:
    """Whether there is a number among these that is kept as a ball."""
    return any(isinstance(argument, Large | Scaled) for argument in arguments)


def in_floats(value: Value) -> Value:
    """Return a number or an array as float64 has it; NaN beyond that."""
    if isinstance(value, Large):
        return np.float64(value if math.isfinite(value) else math.nan)
    if isinstance(value, Scaled):
        return in_floats(Large(value.number)) * value.array
    return value


def operate(node: Node, arguments: list[Value], shape: Shape) -> Value:
    """Return what a node comes to among numbers that are balls, or None where floats have to do."""
    if any(isinstance(x, bool) for x in arguments):
        return None
    if all(np.ndim(x) == 0 and not isinstance(x, Scaled) for x in arguments):
        if any(math.isinf(x) for x in arguments if not isinstance(x, Large)):
            return None  # exp(1000) in float64, which may be less than what is beyond it
        return _number(node, [_ball(x) for x in arguments])
    found = _array(node, arguments) if node.op in _OF_ARRAYS else None
    if found is None or np.shape(found.array) == shape != ():
        return found
    if shape == ():  # a score: k' k times a large number
        return Large(found.number * _ball(np.ravel(found.array)[0]))
    return Scaled(found.number, np.reshape(found.array, [int(size) for size in shape]))


_OF_ARRAYS: Final = ("*", "·", "/", "neg", "'")


def _ball(value: Value) -> Any:
    from flint import arb

    return value.exact if isinstance(value, Large) else arb(float(value))


def _number(node: Node, balls: list[Any]) -> Value:
    if node.op == "compare":
        if any(math.isnan(_nearest(ball)) for ball in balls):  # too wide to be a number
            return False
        found = [_holds(r, a, b) for r, a, b in zip(node.value, balls, balls[1:], strict=False)]
        return all(found)
    work = _CALLS.get(node.value) if node.op == "call" else _OPERATORS.get(node.op)
    return None if work is None else Large(work(*balls))


def _holds(relation: str, left: Any, right: Any) -> bool:
    """Whether a relation surely holds."""
    if relation == "<":
        return bool(left < right)
    if relation == "<=":
        return bool(left <= right)
    if relation == ">":
        return bool(left > right)
    if relation == ">=":
        return bool(left >= right)
    return bool(left == right) if relation == "=" else bool(left != right)


def _array(node: Node, arguments: list[Value]) -> Scaled | None:
    """Keep the large number of a product or a quotient apart from its array."""
    parts = [_scaled(x) for x in arguments]
    if node.op == "neg":
        return Scaled(-parts[0].number, parts[0].array)
    if node.op == "'":
        return Scaled(parts[0].number, np.transpose(parts[0].array))
    one, two = parts
    if node.op == "/":
        return Scaled(one.number / two.number, one.array) if np.ndim(two.array) == 0 else None
    if np.ndim(one.array) == 1 and np.ndim(two.array) == 2:
        found = one.array[:, None] * two.array
    else:
        plain = np.ndim(one.array) == 0 or np.ndim(two.array) == 0
        found = one.array * two.array if plain else one.array @ two.array
    return Scaled(one.number * two.number, found)


def _scaled(value: Value) -> Scaled:
    if isinstance(value, Scaled):
        return value
    if np.ndim(value) == 0:
        return Scaled(_ball(value), np.float64(1.0))
    return Scaled(_ball(1.0), value)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + (-x).exp())


def _normal(x: Any) -> Any:
    from flint import arb

    return (-x / arb(2).sqrt()).erfc() / 2


def _largest(first: Any, *others: Any) -> Any:
    for other in others:
        first = first.max(other)
    return first


def _smallest(first: Any, *others: Any) -> Any:
    for other in others:
        first = first.min(other)
    return first


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "·": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "neg": lambda a: -a,
    "'": lambda a: a,
}
_CALLS: Final[dict[str, Callable[..., Any]]] = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "cos": lambda x: x.cos(),
    "sin": lambda x: x.sin(),
    "tanh": lambda x: x.tanh(),
    "sigmoid": _sigmoid,
    "erf": lambda x: x.erf(),
    "Phi": _normal,
    "abs": abs,
    "modulus": abs,
    "norm": abs,
    "dot": lambda a, b: a * b,
    "sum": lambda x: x,
    "tr": lambda x: x,
    "max": _largest,
    "min": _smallest,
    "relu": lambda x: x.max(0 * x),
}
