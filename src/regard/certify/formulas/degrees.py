"""Degrees of formulas as quotients of polynomials, and which formulas know nothing of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from flint import fmpq

from regard.certify.balls import EXACT
from regard.certify.certificate import Unusable
from regard.certify.formulas.evaluation import evaluate, no_function, scalar
from regard.language.formula.tree import Tree, operands

_OF_ARRAYS = frozenset({"hadamard", "diag", "rowsum", "row", "rows"})
_OF_SIZES = frozenset({"I", "ones", "zeros", "causal", "entries"})
ALGEBRA = frozenset({"dot", "outer", "sum", "tr", "hstack", "vstack"}) | _OF_ARRAYS | _OF_SIZES
_SIZELESS = frozenset(
    {"number", "name", "+", "-", "*", "·", "/", "^", "neg", "'", "column", "matrix", "call"}
)


class Degree(NamedTuple):
    """Bounds on the degrees above and below; all entries share what is below."""

    above: int
    below: int


def apart(left: Degree, right: Degree) -> int:
    """Return a bound on the degree of left - right, multiplied by what is below."""
    return max(left.above + right.below, right.above + left.below)


def degree(tree: Tree, known: Mapping[str, Degree], size: int) -> tuple[Degree, int]:
    """Return the degree of a formula, and the largest of an argument of an unknown function.

    Args:
        tree: the formula.
        known: the degrees of the names.
        size: the largest number of rows of a matrix that may be inverted.
    """
    stack: list[Degree] = []
    largest = 0
    for at, node in enumerate(tree):
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        below = sum(part.below for part in parts)
        if node.op == "name":
            if node.value not in known:
                raise Unusable(f"{node.value} is not declared.")
            found = known[node.value]
        elif node.op in ("+", "-"):
            found = Degree(apart(*parts), below)
        elif node.op == "/":
            found = Degree(parts[0].above + parts[1].below, parts[0].below + parts[1].above)
        elif node.op == "^":
            found = _power(parts[0], exponent_at(tree, at), size)
        elif node.op in ("column", "matrix") or node.value in ("hstack", "vstack"):
            found = Degree(max(part.above for part in parts) + below, below)
        elif node.op in ("number", "constant"):
            found = Degree(0, 0)
        elif node.op == "call" and node.value not in ALGEBRA:
            largest = max([largest, *(part.above + part.below for part in parts)])
            found = Degree(1, 0)
        elif node.op in ("*", "·", "neg", "'", "call"):
            found = Degree(sum(part.above for part in parts), below)
        else:
            raise Unusable("a side of an identity must not be a comparison.")
        stack.append(found)
    return stack[-1], largest


def exponent_at(tree: Tree, at: int) -> fmpq:
    """Return the exponent of a power, which must be a number."""
    value = evaluate(operands(tree, at)[1], {}, EXACT, no_function)
    return scalar(value, "an exponent")


def _power(base: Degree, exponent: fmpq, size: int) -> Degree:
    if exponent.q != 1:
        return Degree(1, 0)  # an unknown function
    times = abs(int(exponent.p))
    if exponent >= 0:
        return Degree(times * base.above, times * base.below)
    # The inverse of P/q is q adj(P)/det(P).
    rows = max(size, 1)
    return Degree(times * (base.below + (rows - 1) * base.above), times * rows * base.above)


def any_size(tree: Tree) -> bool:
    """Does a formula give the same, with zeros around it, for matrices with zeros around them?"""
    return all(
        node.op in _SIZELESS
        and not (node.op == "call" and node.value in _OF_SIZES)
        and not (node.op == "^" and exponent_at(tree, at) < 0)
        for at, node in enumerate(tree)
    )
