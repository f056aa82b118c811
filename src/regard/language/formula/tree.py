"""A formula as data: its nodes in postfix order.

Operands stand before what is applied to them, so that everything that walks a formula is one loop
over the nodes with a stack. `k_a' q` is `k_a`, `'`, `q`, `*`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

CONDITIONS: Final = frozenset({"compare", "and", "or", "not"})
# Operators in a row, as in a + b - c, do not make a formula deeper.
_SAME_LEVEL: Final = {"+": 0, "-": 0, "*": 1, "·": 1, "/": 1, "and": 2, "or": 3}


@dataclass(frozen=True, slots=True)
class Node:
    """One node.

    Attributes:
        op: "number", "name", "constant", "+", "-", "*", "·", "/", "^", "neg", "'", "call",
            "column", "matrix", "compare", "and", "or", "not".
        arity: how many operands stand before it.
        value: the number, the name, the function, (rows, columns) of a matrix, the relations
            of a comparison; of a product after a quotient what to say if it multiplies a scalar,
            which might be meant to divide.
        column: where in the text it was read; two nodes are equal wherever they stand.
    """

    op: str
    arity: int = 0
    value: Any = None
    column: int = field(default=0, compare=False)


Tree = tuple[Node, ...]
Result = TypeVar("Result")


def fold(tree: Tree, combine: Callable[[Node, list[Result]], Result]) -> Result:
    """Return what `combine` makes of a formula, out of a node and what it made of the operands."""
    stack: list[Result] = []
    for node in tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(combine(node, parts))
    return stack[0]


def starts(tree: Tree) -> list[int]:
    """Return for every node where the nodes of its part of the formula begin."""
    stack: list[int] = []
    first: list[int] = []
    for index, node in enumerate(tree):
        begin = index
        if node.arity:
            begin = stack[-node.arity]
            del stack[-node.arity :]
        stack.append(begin)
        first.append(begin)
    return first


def operands(tree: Tree, at: int | None = None) -> list[Tree]:
    """Return the operands of a node, by default of the last, as formulas of their own."""
    end = len(tree) - 1 if at is None else at
    first = starts(tree)
    found: list[Tree] = []
    for _ in range(tree[end].arity):
        found.append(tree[first[end - 1] : end])
        end = first[end - 1]
    return found[::-1]


def depth(tree: Tree) -> int:
    """Return how deep a formula is nested."""
    stack: list[tuple[int, int]] = []  # depth and level of what waits
    for node in tree:
        level = _SAME_LEVEL.get(node.op, -1)
        deepest = 0
        if node.arity:
            parts = stack[-node.arity :]
            del stack[-node.arity :]
            deepest = max(
                part if place == 0 and inner == level >= 0 else part + 1
                for place, (part, inner) in enumerate(parts)
            )
        stack.append((deepest, level))
    return stack[-1][0]


def names(tree: Tree) -> frozenset[str]:
    """Return the free names."""
    return frozenset(node.value for node in tree if node.op == "name")


def number(value: float, column: int = 0) -> Tree:
    """Return the formula of a number that is not negative."""
    return (Node("number", 0, float(value), column),)


def name(value: str, column: int = 0) -> Tree:
    """Return the formula of a name, or of the constant with this name."""
    op = "constant" if value in ("I", "pi", "inf") else "name"
    return (Node(op, 0, value, column),)


def apply(op: str, *parts: Tree, value: Any = None, column: int = 0) -> Tree:
    """Return the formula of an operator applied to formulas.

    What has two spellings gets one: e^x is exp(x), x · 2 is x * 2, transpose(x) is x', and a
    column of columns is a matrix.
    """
    if op == "^" and parts[0] == name("e"):
        op, parts, value = "call", parts[1:], "exp"
    elif op == "·" and (_is_number(parts[0]) or _is_number(parts[1])):
        op = "*"
    elif op == "call" and value == "transpose":
        op, value = "'", None
    elif op == "column" and all(part[-1].op == "column" for part in parts):
        width = parts[0][-1].arity
        if all(part[-1].arity == width for part in parts):
            op, value = "matrix", (len(parts), width)
            parts = tuple(part[:-1] for part in parts)
            nodes = tuple(node for part in parts for node in part)
            return (*nodes, Node(op, value[0] * value[1], value, column))
    nodes = tuple(node for part in parts for node in part)
    return (*nodes, Node(op, len(parts), value, column))


def _is_number(part: Tree) -> bool:
    """Say whether a formula is a number, or a power of one."""
    if part[-1].op == "^":
        return len(operands(part)[0]) == 1 and part[0].op == "number"
    return len(part) == 1 and part[0].op == "number"
