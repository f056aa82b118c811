"""Bounds that every softmax (or Gram matrix) has: recognised in the formulas of a comparison.

With weights a = softmax(s) of n scores, which are above 0 and sum to 1:

entropy     0 <= -a' log(a) <= log(n), above 0 with two scores or more
            -a' log(b) >= -a' log(a) for other weights b (Gibbs)
largest     max(a) >= 1/n >= min(a), and max(softmax(c s)) >= max(softmax(s)) with c >= 1
squares     a' a <= 1, |a| <= 1, and a sum of weights times numbers from 0 to 1 is at most 1
diagonals   diag(M M') >= 0, of any matrix
variances   x' (diag(a) - a a') x >= 0: that of the entries of x
averages    min(V) <= V' a <= max(V), and |V' a|² <= max(diag(V V')), as squares are convex
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from regard.certify.certificate import part
from regard.certify.formulas.evaluation import read, shape_of
from regard.certify.formulas.stated_identity import named
from regard.language import Formula, parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, operands

Shapes = dict[str, tuple[int | str, ...]]


def why(fields: Mapping[str, Any], strict: bool) -> str:
    """Return why left >= right (or >) holds for all inputs; "" where none of these bounds is it."""
    put: dict[str, Formula] = {}
    for name, text in named(fields.get("where", {})).items():
        put[name] = read(text, name).substitute(put)
    left, right = (
        _plain(read(part(fields, side), side).substitute(put).tree) for side in ("left", "right")
    )
    shapes: Shapes = {n: tuple(shape) for n, shape in named(part(fields, "shapes")).items()}
    shapes |= {size: () for shape in shapes.values() for size in shape if isinstance(size, str)}
    bounds = _Bounds(shapes, strict)
    above, below = _negated(left), _negated(right)
    for large, small in ((left, right), (below, above)):
        for bound in (
            bounds.entropy, bounds.other_weights, bounds.largest, bounds.squares, bounds.averages,
            bounds.diagonal, bounds.variance,
        ):  # fmt: skip
            found = bound(large, small)
            if found:
                return found
    return ""


class _Bounds:
    """Whether a large side is never below a small one, by each of the bounds."""

    def __init__(self, shapes: Shapes, strict: bool) -> None:
        self.shapes, self.strict = shapes, strict

    def entropy(self, large: Tree, small: Tree) -> str:
        number = _number(small)
        weights = self._entropy_of(large)
        if weights and number is not None:
            count = self._count(weights)
            above = number < 0 or not self.strict or (isinstance(count, int) and count > 1)
            return "An entropy is not negative." if number <= 0 and above else ""
        weights = self._entropy_of(small)
        if not weights or self.strict or (large[-1].op, large[-1].value) != ("call", "log"):
            return ""
        if self._at_most(self._count(weights), operands(large)[0]):
            return "Of n weights, equal ones have the largest entropy, log(n)."
        return ""

    def largest(self, large: Tree, small: Tree) -> str:
        weights = _of(large, "max", "rowmax")
        other = _of(small, "max", "rowmax")
        if weights and other and large[-1].value == small[-1].value and not self.strict:
            times = _product(operands(weights)[0]) if _softmax(weights, plain=True) else None
            factor = times and _number(times[0])
            if times and factor and factor >= 1 and _softmax(other, plain=True):
                same = _same(times[1], operands(other)[0])
                return "The largest score gains on the others." * same
        if weights and _softmax(weights) and self._one_over(self._count(weights), small, True):
            return "The largest of n weights that sum to 1 is at least 1/n."
        weights = _of(small, "min")
        if weights and _softmax(weights) and self._one_over(self._count(weights), large, False):
            return "The smallest of n weights that sum to 1 is at most 1/n."
        return ""

    def squares(self, large: Tree, small: Tree) -> str:
        number = _number(large)
        if number is None or number < 1 or (self.strict and number == 1):
            return ""
        weights = _of(small, "norm")
        if small[-1].op == "^" and _number(operands(small)[1]) == 2:
            weights = _of(operands(small)[0], "norm")
        if not weights:
            both = _product(small)
            if both and both[0][-1].op == "'" and _same(both[0][:-1], both[1]):
                weights = both[1]
        if weights and _softmax(weights) and len(self._shape(weights)) == 1:
            return "Squares of weights are at most the weights, which sum to 1."
        inside = _of(small, "rowsum") or (_of(small, "sum") or ())
        if inside and inside[-1].value == "hadamard" and inside[-1].op == "call":
            one, other = operands(inside)
            rows = small[-1].value == "rowsum" or len(self._shape(one)) == 1
            for first, second in ((one, other), (other, one)):
                share = _softmax(second) or (second[-1].op, second[-1].value) == ("call", "causal")
                if rows and _softmax(first) and share:
                    return "Weights times numbers from 0 to 1 are at most the weights."
        return ""

    def averages(self, large: Tree, small: Tree) -> str:
        if self.strict:
            return ""
        for averages, bound, name in ((large, small, "min"), (small, large, "max")):
            values = self._averaged(averages)
            if values and _same(_of(bound, name), values):
                return "Averages lie between the smallest and the largest value."
        if small[-1].op == "^" and _number(operands(small)[1]) == 2:
            values = self._averaged(_of(operands(small)[0], "norm"))
            diagonal = _of(_of(large, "max"), "diag")
            both = _product(diagonal) if diagonal else None
            gram = both and both[1][-1].op == "'" and _same(both[0], both[1][:-1])
            if both and gram and _same(both[0], values):
                return "The square of an average is at most the average of the squares."
        return ""

    def diagonal(self, large: Tree, small: Tree) -> str:
        number = _number(small)
        both = _product(_of(large, "diag")) if _of(large, "diag") else None
        if number is None or number > 0 or (self.strict and number == 0) or not both:
            return ""
        one, other = both
        alike = (other[-1].op == "'" and _same(one, other[:-1])) or (
            one[-1].op == "'" and _same(one[:-1], other)
        )
        return "The diagonal of a matrix times its transpose has sums of squares." * alike

    def variance(self, large: Tree, small: Tree) -> str:
        number = _number(small)
        outer = _product(large)
        if number is None or number > 0 or (self.strict and number == 0) or not outer:
            return ""
        inner = _product(outer[0])
        if not inner or inner[0][-1].op != "'" or not _same(inner[0][:-1], outer[1]):
            return ""
        if inner[1][-1].op != "-":
            return ""
        diagonal, rest = operands(inner[1])
        weights, both = _of(diagonal, "diag"), _product(rest)
        if not weights or not both or not _softmax(weights) or both[1][-1].op != "'":
            return ""
        alike = _same(both[0], weights) and _same(both[1][:-1], weights)
        return "It is the variance of numbers with these weights." * alike

    def other_weights(self, large: Tree, small: Tree) -> str:
        weights = self._entropy_of(small)
        both = _product(large[:-1]) if large[-1].op == "neg" else None
        if not weights or not both or self.strict or len(self._shape(weights)) != 1:
            return ""
        other = _of(both[1], "log")
        same = both[0][-1].op == "'" and _same(both[0][:-1], weights)
        if same and other and _softmax(other, plain=True):
            return "A cross-entropy is at least the entropy."
        return ""

    def _entropy_of(self, tree: Tree) -> Tree:
        """Return the weights whose entropy a formula is; () where it is none."""
        if tree[-1].op != "neg":
            return ()
        inside = tree[:-1]
        both = _product(inside)
        one = _of(inside, "sum", "rowsum")
        if both and both[0][-1].op == "'":
            pairs = [(both[0][:-1], both[1])]
        elif one and (one[-1].op, one[-1].value) == ("call", "hadamard"):
            first, second = operands(one)
            if inside[-1].value == "sum" and len(self._shape(first)) != 1:
                return ()
            pairs = [(first, second), (second, first)]
        else:
            return ()
        for weights, logarithms in pairs:
            if _softmax(weights, plain=True) and _same(_of(logarithms, "log"), weights):
                return weights
        return ()

    def _averaged(self, tree: Tree) -> Tree:
        """Return the values of V' a or a' V, with a one column of weights; () of another one."""
        both = _product(tree) if tree else None
        if not both or both[0][-1].op != "'":
            return ()
        first, second = both[0][:-1], both[1]
        for weights, values in ((second, first), (first, second)):
            if _softmax(weights) and len(self._shape(weights)) == 1:
                return values
        return ()

    def _shape(self, tree: Tree) -> tuple[int | str, ...]:
        return shape_of(parse(to_text(tree)), self.shapes)

    def _count(self, weights: Tree) -> int | str:
        """Return of how many weights each softmax is."""
        return self._shape(weights)[-1]

    def _at_most(self, count: int | str, tree: Tree) -> bool:
        number = _number(tree)
        if number is None:
            return len(tree) == 1 and tree[0].value == count
        return isinstance(count, int) and count <= number

    def _one_over(self, count: int | str, tree: Tree, below: bool) -> bool:
        """Whether a formula is at most 1/n, or at least 1/n, and with `strict` not 1/n itself."""
        number = _number(tree)
        if number is None:
            if self.strict or tree[-1].op != "/":
                return False
            above, under = operands(tree)
            return _number(above) == 1 and len(under) == 1 and under[0].value == count
        if not isinstance(count, int):
            return below and number <= 0
        apart = Fraction(1, count) - number if below else number - Fraction(1, count)
        return apart > 0 or (apart == 0 and not self.strict)


def _plain(tree: Tree) -> Tree:
    """Return a formula without two minus signs in front of each other."""
    while len(tree) > 2 and tree[-1].op == tree[-2].op == "neg":
        tree = tree[:-2]
    return tree


def _negated(tree: Tree) -> Tree:
    if tree[-1].op == "neg":
        return tree[:-1]
    return parse(f"-({to_text(tree)})").tree


def _number(tree: Tree) -> Fraction | None:
    """Return a rational number that is written out."""
    node, parts = tree[-1], operands(tree)
    if node.op == "number":
        return Fraction(repr(node.value))
    if node.op == "neg":
        inner = _number(parts[0])
        return None if inner is None else -inner
    if node.op == "/":
        above, below = (_number(one) for one in parts)
        return above / below if above is not None and below else None
    return None


def _of(tree: Tree, *names: str) -> Tree:
    """Return the argument of a function of one argument; () where a formula is no call of it."""
    if tree and tree[-1].op == "call" and tree[-1].value in names and tree[-1].arity == 1:
        return operands(tree)[0]
    return ()


def _product(tree: Tree) -> tuple[Tree, Tree] | None:
    if tree[-1].op not in ("*", "·"):
        return None
    one, other = operands(tree)
    return one, other


def _same(one: Tree, other: Tree) -> bool:
    """Whether two formulas are written alike."""
    return bool(one and other) and to_text(one) == to_text(other)


def _softmax(tree: Tree, plain: bool = False) -> bool:
    """Whether a formula is a softmax, of scores under a causal mask or (`plain`) under none."""
    node = tree[-1]
    if (node.op, node.value) != ("call", "softmax"):
        return False
    if node.arity == 1:
        return True
    mask = operands(tree)[1][-1]
    return not plain and (mask.op, mask.value) == ("call", "causal")
