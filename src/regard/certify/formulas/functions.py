"""What formulas call, in balls and in rationals, and how to do without roots and logarithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, fmpq

from regard.certify.balls import BALLS, EXACT, norm, rational
from regard.certify.certificate import Unusable, exact
from regard.certify.claims.worked_examples.computed import softmax
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
    "relu": lambda x: (x + abs(x)) / 2,
    "elu": lambda x: (x + abs(x)) / 2 + ((x - abs(x)) / 2).exp() - 1,
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
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
        return _extreme(1 if name == "max" else -1, parts)
    if name == "softmax":
        return _softmax(part, *others)
    if name == "layernorm":
        return _by_row(part, _layernorm)
    if name == "rowmax":
        rows = part.shape is not None and len(part.shape) == 2 and part.shape[0] > 1
        largest = tuple(BALLS.largest(list(row)) for row in _rows(part))
        return Table((len(largest),) if rows else (), largest)
    raise Unusable(f"{name} cannot be proved anything about.")


def _extreme(sign: int, parts: list[Table]) -> Table:
    """Return the largest entry of one table; of several the largest place by place."""
    if len(parts) == 1:
        entries = [sign * entry for entry in parts[0].entries]
        return Table((), (sign * BALLS.largest(entries),))
    shape = max((part.shape or () for part in parts), key=len)
    count = max(len(part.entries) for part in parts)
    spread = [part.entries if part.shape == shape else part.entries * count for part in parts]
    columns = zip(*spread, strict=True)
    return Table(shape, tuple(sign * BALLS.largest([sign * x for x in each]) for each in columns))


def _rows(part: Table) -> list[tuple[arb, ...]]:
    width = (part.shape or (1,))[-1]
    return [part.entries[at : at + width] for at in range(0, len(part.entries), width)]


def _by_row(part: Table, function: Callable[[Sequence[arb]], Sequence[arb]]) -> Table:
    return Table(part.shape, tuple(entry for row in _rows(part) for entry in function(row)))


def _softmax(part: Table, *masks: Table) -> Table:
    """Return powers of e over their sum along rows; a mask multiplies the powers."""
    if not masks:
        return _by_row(part, softmax)
    found: list[arb] = []
    for row, seen in zip(_rows(part), _rows(masks[0]), strict=True):
        powers = [x.exp() * m for x, m in zip(row, seen, strict=True)]
        total = sum(powers, arb(0))
        found += [power / total for power in powers]
    return Table(part.shape, tuple(found))


def _layernorm(row: Sequence[arb]) -> list[arb]:
    mean = sum(row, arb(0)) / len(row)
    centred = [x - mean for x in row]
    length = (sum((x * x for x in centred), arb(0)) / len(row)).sqrt()
    return [x / length for x in centred]


def in_rationals(name: str, parts: list[Table]) -> Table:
    """Compute what a formula calls and rationals can tell."""
    entries = [entry for part in parts for entry in part.entries]
    if name == "abs" or (name == "modulus" and parts[0].shape == ()):
        return Table(parts[0].shape, tuple(abs(entry) for entry in entries))
    if name == "relu":
        return Table(parts[0].shape, tuple(max(entry, fmpq(0)) for entry in entries))
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
