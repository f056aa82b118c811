"""The derivative of a formula along a direction, by the rules of differentiation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regard.certify.certificate import Unusable
from regard.certify.formulas.evaluation import shape_of
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Node, Tree, apply, name, operands

DIRECTION = "D_direction"
CONSTANT = ("number", "constant")


class Derivatives:
    """The rules of differentiation; a tangent that is None is 0."""

    def __init__(self, of: str, shapes: Mapping[str, tuple[int | str, ...]]) -> None:
        self.of, self.shapes = of, shapes
        self.tangents: dict[str, Tree | None] = {of: name(DIRECTION)}
        self.where: dict[str, Tree] = {}  # what names stand for

    def tangent(self, tree: Tree) -> Tree | None:
        """Return the derivative of a formula along the direction."""
        node, parts = tree[-1], operands(tree)
        if node.op in CONSTANT:
            return None
        if node.op == "name":
            return self.tangents.get(node.value)
        each = [self.tangent(one) for one in parts]
        if all(one is None for one in each):
            return None
        if node.op in ("+", "-"):
            return _added(node.op, each[0], each[1])
        if node.op in ("neg", "'"):
            return apply(node.op, each[0])  # type: ignore[arg-type]
        if node.op in ("*", "·"):
            return self._product(node, parts, each)
        if node.op == "/" and each[1] is None:
            return apply("/", each[0], parts[1])  # type: ignore[arg-type]
        if node.op == "call":
            return self._call(node, tree, parts, each)
        raise Unusable(f"there is no rule for the derivative of {to_text(tree)}.")

    def _product(
        self, node: Node, parts: Sequence[Tree], each: Sequence[Tree | None]
    ) -> Tree | None:
        left = None if each[0] is None else _node(node, each[0], parts[1])
        right = None if each[1] is None else _node(node, parts[0], each[1])
        return _added("+", left, right)

    def _call(
        self, node: Node, tree: Tree, parts: Sequence[Tree], each: Sequence[Tree | None]
    ) -> Tree | None:
        moved = each[0]
        if node.value in ("sum", "tr", "rowsum", "diag", "transpose") and moved is not None:
            return _node(node, moved)
        if node.value in ("hadamard", "dot", "outer"):
            return self._product(node, parts, each)
        if node.value == "exp" and moved is not None:
            return (
                tree + moved + (Node("call", 2, "hadamard"),)
                if self._shape(tree)
                else apply("*", tree, moved)
            )
        if node.value == "softmax" and moved is not None and not any(each[1:]):
            weighed = (*tree, *moved, Node("call", 2, "hadamard"))
            means = self._means(tree, weighed)
            return apply("-", weighed, (*tree, *means, Node("call", 2, "hadamard")))
        if node.value == "log":
            found = self._of_a_logarithm(parts[0])
            if found is not None:
                return found
        raise Unusable(f"there is no rule for the derivative of {to_text(tree)}.")

    def _of_a_logarithm(self, weights: Tree) -> Tree | None:
        """Return the derivative of the logarithm of a softmax; None if it is of another thing."""
        node = weights[-1]
        if node.op == "name" and node.value in self.where:
            weights = self.where[node.value]
        node, parts = weights[-1], operands(weights)
        if node.op != "call" or node.value != "softmax" or len(parts) != 1:
            return None
        moved = self.tangent(parts[0])
        assert moved is not None  # the logarithm has a tangent
        weighed = (*weights, *moved, Node("call", 2, "hadamard"))
        return apply("-", moved, self._means(weights, weighed))

    def _means(self, weights: Tree, weighed: Tree) -> Tree:
        """Return the sum of each row of what is weighed, in every column of the row."""
        shape = self._shape(weights)
        if len(shape) == 1:
            ones = parse(f"ones({shape[0]})").tree
            return apply("*", (*weighed, Node("call", 1, "sum")), ones)
        ones = (*parse(f"ones({shape[1]})").tree, Node("'", 1))
        return apply("*", (*weighed, Node("call", 1, "rowsum")), ones)

    def _shape(self, tree: Tree) -> tuple[int | str, ...]:
        return shape_of(parse(to_text(tree)), self.shapes)


def _node(node: Node, *parts: Tree) -> Tree:
    return (*tuple(one for tree in parts for one in tree), Node(node.op, node.arity, node.value))


def _added(op: str, one: Tree | None, other: Tree | None) -> Tree | None:
    if other is None:
        return one
    if one is None:
        return apply("neg", other) if op == "-" else other
    return apply(op, one, other)
