"""The tree of a formula in LaTeX, and the one way to walk it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Node:
    """A part of a formula.

    Attributes:
        kind: one of the leaves name, number, operator, punctuation, open, close, bar (opens or
            closes), function, limit (a function with bounds below), big, integral, words, dots,
            quantifier, space, prime, none; or one of row, scripts (base, below, above),
            fraction, root (what, index), accent, font, fenced (left, inside, right), table,
            table_row.
        text: what a leaf shows; which fraction, accent, font or environment it is, or a row of it.
        children: the parts, for the kinds after "or".
        spaced: whether white space stood before it, which TeX ignores and people read.
    """

    kind: str
    text: str = ""
    children: tuple[Node, ...] = ()
    spaced: bool = False


NONE: Final = Node("none")
NAMED: Final = frozenset(["function", "limit", "big", "integral"])  # stand before an operand
# What a sign between two of them is an operator of; text and MathML have two more each.
OPERANDS: Final = frozenset(
    [
        *("name", "number", "words", "dots"),
        *("row", "fraction", "root", "accent", "font", "fenced", "table"),
    ]
)


def fold(root: Node, combine: Callable[[Node, list[Result]], Result]) -> Result:
    """Combine from the leaves up: `combine` gets a node and the results of its children."""
    ready: list[Result] = []
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, entered = waiting.pop()
        if not entered:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(node.children))
            continue
        start = len(ready) - len(node.children)
        results = ready[start:]
        del ready[start:]
        ready.append(combine(node, results))
    return ready[0]
