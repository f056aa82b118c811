r"""From a part to the whole: rules that find the matrix of which a row or an entry is known.

Vectors are columns, so row i of a matrix F is written f_i with f_iᵀ its i-th row. The rules:

    row       f_i = x_i                →  F = X              (x_i is the row of X)
              f_i = M g_i              →  F = G Mᵀ           ((M g)ᵀ = gᵀ Mᵀ, the same M for all i)
              f_i = g_i + h_i, c g_i   →  F = G + H, c G
              f_i = softmax(g_i), …    →  F = softmax(G), …  (row by row, or entry by entry)
              f_i = Σ_j s_ij g_j       →  F = S G            (row i of a product)
              f_i = Σ_j (g_j h_jᵀ) p_i →  F = P (Gᵀ H)ᵀ
    entry     f_ij = a_ij              →  F = A
              f_ij = g_iᵀ h_j          →  F = G Hᵀ           (row i of G times row j of H)
              f_ij = exp(g_ij), …      →  F = exp(G), …
    sum       Σ_j g_j h_jᵀ             →  Gᵀ H
              Σ_j g_jᵀ h_j             →  tr(G Hᵀ)

Every rule that is used is noted, with the formulas that it was used on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn

from regard.language import Shape, parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply, name, names, operands

ELEMENTWISE = frozenset(["exp", "log", "sqrt", "cos", "sin", "abs", "erf", "Phi"])
BY_ROWS = ELEMENTWISE | {"softmax"}
Rule = Literal["row", "right factor", "turned", "entry", "inner", "mixed", "outer", "trace"]
Part = Literal["row", "rows", "entry", "inner", "summed row", "sum"]


class Used(NamedTuple):
    """A rule at work.

    Attributes:
        rule: which.
        trees: the formulas that it connects, in the order that its words have them.
        at: the index of the rows.
        summed: whether they are summed over j.
    """

    rule: Rule
    trees: tuple[Tree, ...]
    at: str = ""
    summed: bool = False


class NoRule(Exception):
    """None of the rules leads on: from this part, of what is this formula, of these rows."""

    def __init__(self, part: Part, tree: Tree, index: str = "") -> None:
        super().__init__(part, to_text(tree), index)
        self.part, self.tree, self.index = part, tree, index


@dataclass
class Lifting:
    """Rules at work.

    Attributes:
        shapes: of all names, x_i among them.
        indexed: x_i is ("X", "i"), a_i_j is ("A", "i", "j").
        used: what was done.
    """

    shapes: Mapping[str, Shape]
    indexed: Mapping[str, tuple[str, ...]]
    used: list[Used] = field(default_factory=list)

    def row(self, tree: Tree, index: str = "i") -> Tree:
        """Return the matrix whose row of this index is the column given."""
        tree = self._scalar_first(tree)
        op, parts = tree[-1].op, operands(tree)
        if op == "name" and self._depends(tree, index):
            matrix = name(self.indexed[tree[-1].value][0])
            self.used.append(Used("row", (tree, matrix), index))
            return matrix
        if op == "call" and tree[-1].value in BY_ROWS:
            return apply(op, self.row(parts[0], index), value=tree[-1].value)
        if op == "'":
            return self._row_vector(parts[0], index)
        linear = self._linear(tree, lambda part: self.row(part, index))
        if linear is None and op in ("*", "·") and not self._indexed(parts[0]):
            matrix, vector = parts
            return self._acted_on(matrix, vector, self.row(vector, index), index)
        return linear or self._no_rule("row", tree, index)

    def _row_vector(self, tree: Tree, index: str) -> Tree:
        """Return the matrix whose row is this row."""
        op, parts = tree[-1].op, operands(tree)
        if op == "'":
            return self.row(parts[0], index)
        linear = self._linear(tree, lambda part: self._row_vector(part, index))
        if linear is None and op == "*" and not self._indexed(parts[1]):
            whole = apply("*", self._row_vector(parts[0], index), parts[1])
            self.used.append(Used("right factor", (parts[1], whole, tree), index))
            return whole
        return linear or self._no_rule("rows", tree)

    def _linear(self, tree: Tree, lift: Callable[[Tree], Tree]) -> Tree | None:
        """Lift a sum, or a multiple by a number that is the same in every row; else None."""
        op, parts = tree[-1].op, operands(tree)
        if op in ("neg", "+", "-"):
            return apply(op, *map(lift, parts))
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", lift(parts[0]), parts[1])
        if op in ("*", "·"):
            for scalar, other in (parts, parts[::-1]):
                if self._shape(scalar) == () and not self._indexed(scalar):
                    return apply("*", scalar, lift(other))
        return None

    def _no_rule(self, part: Part, tree: Tree, index: str = "") -> NoReturn:
        raise NoRule(part, tree, index)

    def entry(self, tree: Tree) -> Tree:
        """Return the matrix with this entry in row i and column j."""
        op, parts = tree[-1].op, operands(tree)
        if op == "name" and self._depends(tree, "i") and self._depends(tree, "j"):
            matrix = name(self.indexed[tree[-1].value][0])
            self.used.append(Used("entry", (tree, matrix)))
            return matrix
        if op == "call" and tree[-1].value in ELEMENTWISE:
            return apply(op, self.entry(parts[0]), value=tree[-1].value)
        linear = self._linear(tree, self.entry)
        dot = op == "call" and tree[-1].value == "dot"
        if linear is None and (op in ("*", "·") or dot) and self._shape(parts[0]):
            left, right = parts
            return self._inner(tree, transposed(left) if op == "*" else left, right)
        return linear or self._no_rule("entry", tree)

    def _inner(self, tree: Tree, left: Tree, right: Tree) -> Tree:
        """Return the matrix of all scalar products of one vector of i and one of j."""
        for one, other in ((left, right), (right, left)):
            if self._depends(other, "i") or self._depends(one, "j"):
                continue
            rows, columns = self.row(one, "i"), self.row(other, "j")
            turned = self._turned(columns)
            whole = self._times(rows, turned)
            self.used.append(Used("inner", (tree, whole, rows, turned, columns)))
            return whole
        return self._no_rule("inner", tree)

    def summed_row(self, tree: Tree) -> Tree:
        """Return the matrix whose row i is the sum of these columns over j."""
        tree = self._scalar_first(tree)
        linear = self._linear(tree, self.summed_row)
        if linear is not None or tree[-1].op not in ("*", "·"):
            return linear or self._no_rule("summed row", tree)
        left, right = operands(tree)
        for scalar, other in ((left, right), (right, left)):
            of_j = self._shape(scalar) == () and self._depends(scalar, "j")
            if of_j and not self._depends(other, "i"):
                return self._mixed(tree, scalar, other)
        if not self._indexed(left):
            return self._acted_on(left, right, self.summed_row(right), "i", summed=True)
        if not self._depends(left, "i") and not self._depends(right, "j"):
            return self._acted_on(self.summed(left), right, self.row(right), "i")
        return self._no_rule("summed row", tree)

    def _mixed(self, tree: Tree, weight: Tree, vector: Tree) -> Tree:
        weights, vectors = self.entry(weight), self.row(vector, "j")
        whole = self._times(weights, vectors)
        self.used.append(Used("mixed", (tree, whole, weights, vectors)))
        return whole

    def summed(self, tree: Tree) -> Tree:
        """Return the sum over j of a matrix or a number."""
        op, parts = tree[-1].op, operands(tree)
        if op not in ("*", "·"):
            linear = self._linear(tree, self.summed)
            if linear is not None:
                return linear
        function = tree[-1].value if op == "call" else ""
        if op in ("*", "·") or function in ("dot", "outer"):
            left, right = parts
            for constant, other in ((left, right), (right, left)):
                if self._indexed(constant) or function:
                    continue
                summed = self.summed(other)
                pair = (constant, summed) if constant is left else (summed, constant)
                return apply("*", *pair)
            outer = function == "outer" or (op == "*" and len(self._shape(left)) == 1)
            if outer:
                rows = self.row(left, "j")
                columns = self.row(right if function else transposed(right), "j")
                whole = self._times(self._turned(rows), columns)
                self.used.append(Used("outer", (whole, tree)))
                return whole
            if self._shape(tree) == ():
                turned = transposed(left) if op == "*" else left
                rows, columns = self.row(turned, "j"), self.row(right, "j")
                whole = apply("call", apply("*", rows, transposed(columns)), value="tr")
                self.used.append(Used("trace", (whole, tree)))
                return whole
        return self._no_rule("sum", tree)

    def _acted_on(
        self, matrix: Tree, vector: Tree, rows: Tree, index: str, summed: bool = False
    ) -> Tree:
        """Turn M g_i, for all i, into G Mᵀ."""
        right = self._turned(matrix)
        whole = self._times(rows, right)
        before, after = apply("*", matrix, vector), apply("*", transposed(vector), right)
        self.used.append(Used("turned", (before, after, right, whole), index, summed))
        return whole

    def _turned(self, matrix: Tree) -> Tree:
        """Return the transpose of a matrix, a product turned round."""
        if matrix[-1].op == "*":
            left, right = operands(matrix)
            if self._shape(left) == ():
                return apply("*", left, self._turned(right))
            if len(self._shape(left)) == len(self._shape(right)) == 2:
                return apply("*", self._turned(right), self._turned(left))
        return transposed(matrix)

    def _times(self, left: Tree, right: Tree) -> Tree:
        """Multiply matrices, without brackets around a product on the right."""
        if right[-1].op == "*":
            first, second = operands(right)
            if len(self._shape(first)) == len(self._shape(second)) == 2:
                return self._times(self._times(left, first), second)
        return apply("*", left, right)

    def _scalar_first(self, tree: Tree) -> Tree:
        """Read (c M) g as c (M g)."""
        while tree[-1].op == "*":
            left, right = operands(tree)
            if left[-1].op != "*" or self._shape(left) == ():
                break
            scalar, matrix = operands(left)
            if self._shape(scalar) != ():
                break
            tree = apply("*", scalar, apply("*", matrix, right))
        return tree

    def _shape(self, tree: Tree) -> Shape:
        return parse(to_text(tree)).shape(self.shapes)

    def _depends(self, tree: Tree, index: str) -> bool:
        used = (self.indexed[one][1:] for one in names(tree) if one in self.indexed)
        return any(index in indices for indices in used)

    def _indexed(self, tree: Tree) -> bool:
        return any(one in self.indexed for one in names(tree))


def transposed(tree: Tree) -> Tree:
    """Return the transpose, without two of them in a row."""
    return operands(tree)[0] if tree[-1].op == "'" else apply("'", tree)
