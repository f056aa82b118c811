"""What formulas call, in balls and in rationals, and how to do without roots and logarithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq

from regard.certify.balls import BALLS, EXACT, norm, rational
from regard.certify.certificate import Unusable, exact
from regard.certify.claims.computed import softmax
from regard.certify.formulas.evaluation import (
    LARGEST_EXPONENT,
    evaluate,
    no_function,
    scalar,
    whole_number,
)
from regard.certify.formulas.number_tables import Table
from regard.language.formula.tree import Tree, operands

_EACH: dict[str, Callable[[arb], arb]] = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "cos": lambda x: x.cos(),
    "sin": lambda x: x.sin(),
    "abs": abs,
    "erf": lambda x: x.erf(),
    "Phi": lambda x: (-x / arb(2).sqrt()).erfc() / 2,
}


def in_balls(name: str, parts: list[Table]) -> Table:
    """Compute what a formula calls, in balls."""
    if name == "pi":
        return Table((), (arb.pi(),))
    if name == "inf":
        return Table((), (arb.pos_inf(),))
    if name == "^":
        base, exponent = (scalar(part, "a base or exponent") for part in parts)
        return Table((), ((exponent * base.log()).exp(),))
    (part, *others) = parts
    if name in _EACH or (name == "modulus" and part.shape == ()):
        each = _EACH["abs" if name == "modulus" else name]
        return Table(part.shape, tuple(each(entry) for entry in part.entries))
    if name in ("norm", "modulus"):
        return Table((), (norm(part.entries),))
    if name in ("max", "min"):
        entries = [entry for some in parts for entry in some.entries]
        if others and any(some.shape != () for some in parts):
            raise Unusable(f"{name} takes one table, or several numbers.")
        sign = 1 if name == "max" else -1
        return Table((), (sign * BALLS.largest([sign * entry for entry in entries]),))
    if name == "softmax":
        if part.shape is not None and len(part.shape) == 2:
            width = part.shape[1]
            starts = range(0, len(part.entries), width)
            rows = [softmax(part.entries[at : at + width]) for at in starts]
            return Table(part.shape, tuple(entry for row in rows for entry in row))
        return Table(part.shape, tuple(softmax(part.entries)))
    raise Unusable(f"{name} cannot be proved anything about.")


def in_rationals(name: str, parts: list[Table]) -> Table:
    """Compute what a formula calls and rationals can tell."""
    entries = [entry for part in parts for entry in part.entries]
    if name == "abs" or (name == "modulus" and parts[0].shape == ()):
        return Table(parts[0].shape, tuple(abs(entry) for entry in entries))
    if name in ("max", "min") and (len(parts) == 1 or all(part.shape == () for part in parts)):
        return Table((), (max(entries) if name == "max" else min(entries),))
    return no_function(name, parts)


def square(tree: Tree, values: Mapping[str, Table]) -> fmpq:
    """Return the square of a formula in rationals; roots that are factors of it are no obstacle."""
    node, parts = tree[-1], operands(tree)
    if node.op == "call" and node.value == "sqrt":
        return rational_value(parts[0], values)
    if node.op in ("*", "·"):
        return square(parts[0], values) * square(parts[1], values)
    if node.op == "/":
        return square(parts[0], values) / square(parts[1], values)
    if node.op in ("neg", "'"):
        return square(parts[0], values)
    if node.op == "^":
        power = rational_value(parts[1], values)
        twice = whole_number(2 * power)
        if twice is not None and abs(twice) <= LARGEST_EXPONENT:
            if power.q == 1:
                return square(parts[0], values) ** int(power.p)
            return rational_value(parts[0], values) ** twice
    return rational_value(tree, values) ** 2


def exponential(tree: Tree, values: Mapping[str, Table]) -> fmpq:
    """Return exp of a formula in rationals, if it is made of logarithms."""
    node, parts = tree[-1], operands(tree)
    if node.op == "call" and node.value == "log":
        argument = rational_value(parts[0], values)
        if argument <= 0:
            raise Unusable("a logarithm is taken of what is not above 0.")
        return argument
    if node.op == "+":
        return exponential(parts[0], values) * exponential(parts[1], values)
    if node.op == "-":
        return exponential(parts[0], values) / exponential(parts[1], values)
    if node.op == "neg":
        return 1 / exponential(parts[0], values)
    if node.op == "*" and not any(inner.value == "log" for inner in parts[0]):
        power = whole_number(rational_value(parts[0], values))
        if power is not None and abs(power) <= LARGEST_EXPONENT:
            return exponential(parts[1], values) ** power
    if rational_value(tree, values) == 0:
        return fmpq(1)
    raise Unusable("its exponential is not rational.")


def rational_value(tree: Tree, values: Mapping[str, Table]) -> fmpq:
    """Return a formula that is one number, in rationals."""
    return scalar(evaluate(tree, values, EXACT, no_function), "a formula")


def exact_number(value: Any, name: str) -> fmpq:
    """Return a number or fraction of JSON data, in rationals."""
    return rational(exact(value, name))
