"""Formulas in rationals and in balls.

A formula of :mod:`regard.language` is a row of nodes in postfix order, and is walked with a stack.
Sums, products, quotients and whole powers are computed in either arithmetic. What else a formula
may call (exp, sqrt, softmax …) is up to the caller: it may be computed (:mod:`.functions`),
or a proof in rationals may treat it as an unknown function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq

from regard.certify.balls import EXACT, Arithmetic, at_most, every, less
from regard.certify.certificate import Unusable, exact, listed
from regard.certify.formulas.array_tables import array_call, blocks
from regard.certify.formulas.number_tables import (
    MOST_ENTRIES,
    MOST_WORK,
    Table,
    product,
    scaled,
    square,
    total,
    transposed,
)
from regard.errors import FormulaError
from regard.language import Formula, parse
from regard.language.formula.tree import Node, Tree

LARGEST_NUMBER = 200_000  # bits of a numerator or denominator on the way
LARGEST_EXPONENT = 64


Value = Table | bool | None  # of a comparison: is it so?
Function = Callable[[str, list[Table]], Table]


def read(text: Any, name: str) -> Formula:
    """Return a formula out of a claim, which must hold it as text that can be read."""
    if not isinstance(text, str):
        raise Unusable(f"{name} must be a formula.")
    try:
        return parse(text)
    except FormulaError as problem:
        raise Unusable(f"{name} is no formula: {problem.reason}") from None


def shape_of(
    formula: Formula,
    shapes: Mapping[str, tuple[int | str, ...]],
    expected: tuple[int | str, ...] | None = None,
) -> tuple[int | str, ...]:
    """Return the shape of a formula, where names have these shapes."""
    try:
        return formula.shape(shapes, expected)
    except FormulaError as problem:
        raise Unusable(f"the shapes do not fit: {problem.reason}") from None


def table(value: Any, name: str, numbers: Arithmetic) -> Table:
    """Return a number, a column or a matrix from JSON data."""
    if not isinstance(value, list | tuple) and not hasattr(value, "tolist"):
        return Table((), (numbers.number(exact(value, name)),))
    rows = listed(value, name)
    if rows and all(isinstance(row, list | tuple) for row in rows):
        if len({len(row) for row in rows}) > 1:
            raise Unusable(f"{name} has rows of different lengths.")
        entries = [exact(entry, name) for row in rows for entry in row]
        shape: tuple[int, ...] = (len(rows), len(rows[0]))
    else:
        entries, shape = [exact(entry, name) for entry in rows], (len(rows),)
    if not entries or len(entries) > MOST_ENTRIES:
        raise Unusable(f"{name} must hold 1 to {MOST_ENTRIES} numbers.")
    return Table(shape, tuple(numbers.number(entry) for entry in entries))


def evaluate(
    tree: Tree, values: Mapping[str, Table], numbers: Arithmetic, function: Function
) -> Value:
    """Return the value of a formula, where names have these values."""
    stack: list[Any] = []
    for node in tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(_node(node, parts, values, numbers, function))
        found = stack[-1]
        if isinstance(found, Table) and numbers is EXACT:
            _bounded(found)
    return stack[-1]


def scalar(value: Value, name: str) -> Any:
    """Return the one number that a formula must be."""
    if not isinstance(value, Table) or value.shape not in ((), (1,), (1, 1)):
        raise Unusable(f"{name} must be one number.")
    return value.entries[0]


def _bounded(found: Table, times: int = 1) -> None:
    """Refuse fractions, or powers of them, that would take long to compute with."""
    for entry in found.entries:
        bits = max(int(entry.p).bit_length(), int(entry.q).bit_length())
        if bits * times > LARGEST_NUMBER:
            raise Unusable("a formula holds numbers that are too large.")


def _node(
    node: Node,
    parts: list[Any],
    values: Mapping[str, Table],
    numbers: Arithmetic,
    function: Function,
) -> Value:
    op = node.op
    if op == "number":  # a decimal stands for what was written
        written = Fraction(repr(node.value))
        return Table((), (numbers.number(fmpq(written.numerator, written.denominator)),))
    if op == "name":
        if node.value not in values:
            raise Unusable(f"{node.value} has no value.")
        return values[node.value]
    if op == "constant" and node.value == "I":
        return Table(None, (numbers.number(1),))
    if op == "constant":
        return function(node.value, [])
    if op in ("compare", "and", "or", "not"):
        return _condition(node, parts)
    if op in ("+", "-"):
        return total(parts[0], parts[1] if op == "+" else scaled(parts[1], numbers.number(-1)))
    if op in ("*", "·"):
        return product(parts[0], parts[1], numbers, dots=op == "·")
    if op == "/":
        below = scalar(parts[1], "what a formula divides by")
        return Table(parts[0].shape, tuple(entry / below for entry in parts[0].entries))
    if op == "neg":
        return scaled(parts[0], numbers.number(-1))
    if op == "'":
        return transposed(parts[0])
    if op == "^":
        return _power(parts[0], parts[1], numbers, function)
    if op == "matrix" and any(len(part.entries) > 1 for part in parts):
        return Table(*blocks(node.value, [_array(part) for part in parts]))
    if op in ("column", "matrix"):
        entries = tuple(scalar(entry, "an entry") for entry in parts)
        return Table((len(parts),) if op == "column" else tuple(node.value), entries)
    if op == "call":
        return _call(node.value, parts, numbers, function)
    raise Unusable(f"a formula holds {op!r}.")


def _condition(node: Node, parts: list[Any]) -> bool | None:
    if node.op == "compare":
        pairs = zip(node.value, parts, parts[1:], strict=False)
        return every(*(_compared(relation, a, b) for relation, a, b in pairs))
    if any(isinstance(part, Table) for part in parts):
        raise Unusable("and, or and not need comparisons.")
    if node.op == "and":
        return every(*parts)
    turned = every(*(None if part is None else not part for part in parts))
    if node.op == "not":
        return turned
    return None if turned is None else not turned


def _compared(relation: str, left: Any, right: Any) -> bool | None:
    """Does a relation hold, for every entry?"""
    if not isinstance(left, Table) or not isinstance(right, Table):
        raise Unusable("numbers can be compared, comparisons cannot.")
    count = max(len(left.entries), len(right.entries))
    for side in (left, right):
        if side.shape is None or len(side.entries) not in (1, count):
            raise Unusable("what is compared has different shapes.")
    pairs = [(a, b) for a, b in zip(_repeated(left, count), _repeated(right, count), strict=True)]
    if relation in ("<", ">"):
        return every(*(less(*(pair if relation == "<" else pair[::-1])) for pair in pairs))
    if relation in ("<=", ">="):
        return every(*(at_most(*(pair if relation == "<=" else pair[::-1])) for pair in pairs))
    equal = every(*(every(at_most(a, b), at_most(b, a)) for a, b in pairs))
    if relation == "=":
        return equal
    if relation == "!=":
        return None if equal is None else not equal
    raise Unusable(f"{relation!r} is not a relation.")


def _repeated(side: Table, count: int) -> tuple[Any, ...]:
    return side.entries if len(side.entries) == count else side.entries * count


def _power(base: Table, exponent: Table, numbers: Arithmetic, function: Function) -> Table:
    power = whole_number(scalar(exponent, "an exponent"))
    if power is None:
        return function("^", [base, exponent])
    if abs(power) > LARGEST_EXPONENT:
        raise Unusable("an exponent is too large.")
    if numbers is EXACT:
        _bounded(base, abs(power))
    if base.shape in (None, ()):
        value = base.entries[0]
        return Table(base.shape, ((1 / value if power < 0 else value) ** abs(power),))
    size, _ = square(base)
    if size**3 * (1 + abs(power)) > MOST_WORK:
        raise Unusable("a formula multiplies matrices that are too large.")
    matrix = numbers.matrix(size, size, list(base.entries))
    matrix = matrix.inv() if power < 0 else matrix
    found = numbers.matrix(size, size, [int(i == j) for i in range(size) for j in range(size)])
    for _ in range(abs(power)):
        found = found * matrix
    return Table(base.shape, tuple(found.entries()))


def whole_number(value: Any) -> int | None:
    """Return a number that is whole; None if it is not."""
    if isinstance(value, fmpq):
        return int(value.p) if value.q == 1 else None
    return int(value.unique_fmpz()) if value.is_exact() and value.is_integer() else None


def _call(name: str, parts: list[Table], numbers: Arithmetic, function: Function) -> Table:
    """Compute what is algebra, and ask the caller for the rest."""
    if any(not isinstance(part, Table) for part in parts):
        raise Unusable(f"{name} needs numbers.")
    if name == "dot" and parts[0].shape == parts[1].shape and len(parts[0].shape or ()) == 1:
        return product(transposed(parts[0]), parts[1], numbers)
    if name == "outer" and all(len(part.shape or ()) == 1 for part in parts):
        return product(parts[0], transposed(parts[1]), numbers)
    if name == "sum" and parts[0].shape is not None:
        return Table((), (sum(parts[0].entries, numbers.number(0)),))
    if name == "tr":
        size, _ = square(parts[0])
        return Table((), (sum(parts[0].entries[:: size + 1], numbers.number(0)),))
    if name == "I":
        size = whole_number(scalar(parts[0], "a size")) or 0
        if not 0 < size * size <= MOST_ENTRIES:
            raise Unusable("the size of I must be a whole number.")
        ones = (numbers.number(int(i == j)) for i in range(size) for j in range(size))
        return Table((size, size), tuple(ones))
    if any(part.shape is None for part in parts):
        raise Unusable(f"{name} of I needs a size, as in I(3).")
    found = array_call(name, [_array(part) for part in parts], whole_number, numbers)
    return function(name, parts) if found is None else Table(*found)


def _array(part: Table) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    if part.shape is None:
        raise Unusable("a block I needs a size, as in I(3).")
    return part.shape, part.entries


def no_function(name: str, parts: list[Table]) -> Table:
    """Refuse what is no algebra."""
    raise Unusable(f"{name} is not rational.")
