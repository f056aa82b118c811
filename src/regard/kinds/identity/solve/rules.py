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

Every rule that is used leaves a step: a sentence and an equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from regard.language import Shape, parse
from regard.language.formula.latex import to_latex
from regard.language.formula.printing import to_text
from regard.language.formula.tree import Tree, apply, name, names, operands

ELEMENTWISE = frozenset(["exp", "log", "sqrt", "cos", "sin", "abs", "erf", "Phi"])
BY_ROWS = ELEMENTWISE | {"softmax"}


class NoRule(Exception):
    """None of the rules leads from the part to the whole; the message says where it ends."""


@dataclass
class Lifting:
    """Rules at work.

    Attributes:
        shapes: of all names, x_i among them.
        indexed: x_i is ("X", "i"), a_i_j is ("A", "i", "j").
        steps: what was done.
    """

    shapes: Mapping[str, Shape]
    indexed: Mapping[str, tuple[str, ...]]
    steps: list[tuple[str, str]] = field(default_factory=list)

    def row(self, tree: Tree, index: str = "i") -> Tree:
        """Return the matrix whose row of this index is the column given."""
        tree = self._scalar_first(tree)
        op = tree[-1].op
        parts = operands(tree)
        if op == "name" and self._depends(tree, index):
            matrix = self.indexed[tree[-1].value][0]
            row = to_latex(tree)
            self._step(f"${row}^\\top$ is row ${index}$ of ${to_latex(name(matrix))}$.", "")
            return name(matrix)
        if op in ("neg", "+", "-") or (
            op == "call" and tree[-1].value in (*ELEMENTWISE, "softmax")
        ):
            return apply(op, *(self.row(part, index) for part in parts), value=tree[-1].value)
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", self.row(parts[0], index), parts[1])
        if op == "'":
            return self._row_vector(parts[0], index)
        if op in ("*", "·"):
            left, right = parts
            for scalar, other in ((left, right), (right, left)):
                if self._shape(scalar) == () and not self._indexed(scalar):
                    return apply("*", scalar, self.row(other, index))
            if not self._indexed(left):
                return self._acted_on(left, right, self.row(right, index), index)
        raise NoRule(f"row ${index}$ of what is ${to_latex(tree)}$ is not known")

    def _row_vector(self, tree: Tree, index: str) -> Tree:
        """Return the matrix whose row is this row."""
        op = tree[-1].op
        parts = operands(tree)
        if op == "'":
            return self.row(parts[0], index)
        if op in ("+", "-", "neg"):
            return apply(op, *(self._row_vector(part, index) for part in parts))
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", self._row_vector(parts[0], index), parts[1])
        if op == "*":
            left, right = parts
            for scalar, other in ((left, right), (right, left)):
                if self._shape(scalar) == () and not self._indexed(scalar):
                    return apply("*", scalar, self._row_vector(other, index))
            if not self._indexed(right):
                whole = apply("*", self._row_vector(left, index), right)
                self._step(
                    f"The same ${to_latex(right)}$ stands on the right of every row.",
                    rf"\text{{row }} {index} \text{{ of }} {to_latex(whole)} = {to_latex(tree)}",
                )
                return whole
        raise NoRule(f"the rows ${to_latex(tree)}$ do not make a matrix by these rules")

    def entry(self, tree: Tree) -> Tree:
        """Return the matrix with this entry in row i and column j."""
        op = tree[-1].op
        parts = operands(tree)
        if op == "name" and self._depends(tree, "i") and self._depends(tree, "j"):
            matrix = name(self.indexed[tree[-1].value][0])
            self._step(f"${to_latex(tree)}$ is entry $i, j$ of ${to_latex(matrix)}$.", "")
            return matrix
        if op in ("neg", "+", "-") or (op == "call" and tree[-1].value in ELEMENTWISE):
            return apply(op, *(self.entry(part) for part in parts), value=tree[-1].value)
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", self.entry(parts[0]), parts[1])
        dot = op == "call" and tree[-1].value == "dot"
        if op in ("*", "·") or dot:
            left, right = parts
            if self._shape(left) == () or self._shape(right) == ():
                for scalar, other in ((left, right), (right, left)):
                    if not self._indexed(scalar):
                        return apply("*", scalar, self.entry(other))
            else:
                turned = transposed(left) if op == "*" else left
                return self._inner(tree, turned, right)
        raise NoRule(f"entry $i, j$ of what is ${to_latex(tree)}$ is not known")

    def _inner(self, tree: Tree, left: Tree, right: Tree) -> Tree:
        """Return the matrix of all scalar products of one vector of i and one of j."""
        for one, other in ((left, right), (right, left)):
            if self._depends(other, "i") or self._depends(one, "j"):
                continue
            rows, columns = self.row(one, "i"), self.row(other, "j")
            turned = self._turned(columns)
            whole = self._times(rows, turned)
            self._step(
                f"An entry of a product is a row times a column, and column $j$ of "
                f"${to_latex(turned)}$ is row $j$ of ${to_latex(columns)}$.",
                rf"{at(whole, 'i,j')} = \sum_l {at(rows, 'i,l')} {at(turned, 'l,j')} ="
                rf" \sum_l {at(rows, 'i,l')} {at(columns, 'j,l')} = {to_latex(tree)}",
            )
            return whole
        raise NoRule(f"${to_latex(tree)}$ is no product of a vector of $i$ and one of $j$")

    def summed_row(self, tree: Tree) -> Tree:
        """Return the matrix whose row i is the sum of these columns over j."""
        tree = self._scalar_first(tree)
        op = tree[-1].op
        parts = operands(tree)
        if op in ("neg", "+", "-"):
            return apply(op, *(self.summed_row(part) for part in parts))
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", self.summed_row(parts[0]), parts[1])
        if op in ("*", "·"):
            left, right = parts
            for scalar, other in ((left, right), (right, left)):
                if self._shape(scalar) != ():
                    continue
                if not self._indexed(scalar):
                    return apply("*", scalar, self.summed_row(other))
                if self._depends(scalar, "j") and not self._depends(other, "i"):
                    return self._mixed(tree, scalar, other)
            if not self._indexed(left):
                return self._acted_on(left, right, self.summed_row(right), "i", summed=True)
            if not self._depends(left, "i") and not self._depends(right, "j"):
                matrix = self.summed(left)
                return self._acted_on(matrix, right, self.row(right), "i")
        raise NoRule(f"the sum over $j$ of ${to_latex(tree)}$ is no row by these rules")

    def _mixed(self, tree: Tree, weight: Tree, vector: Tree) -> Tree:
        weights, vectors = self.entry(weight), self.row(vector, "j")
        whole = self._times(weights, vectors)
        self._step(
            "A row of a product mixes the rows of its right factor, with the entries of that row "
            "of the left factor.",
            rf"\text{{row }} i \text{{ of }} {to_latex(whole)} = \sum_j {at(weights, 'i,j')} \cdot"
            rf" \left(\text{{row }} j \text{{ of }} {to_latex(vectors)}\right) ="
            rf" \sum_j \left({to_latex(tree)}\right)^\top",
        )
        return whole

    def summed(self, tree: Tree) -> Tree:
        """Return the sum over j of a matrix or a number."""
        op = tree[-1].op
        parts = operands(tree)
        if op in ("neg", "+", "-"):
            return apply(op, *(self.summed(part) for part in parts))
        if op == "/" and not self._indexed(parts[1]):
            return apply("/", self.summed(parts[0]), parts[1])
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
                self._step(
                    "A product of matrices is a sum of columns times rows, one for each $j$.",
                    rf"{to_latex(whole)} = \sum_j {to_latex(tree)}",
                )
                return whole
            if self._shape(tree) == ():
                turned = transposed(left) if op == "*" else left
                rows, columns = self.row(turned, "j"), self.row(right, "j")
                whole = apply("call", apply("*", rows, transposed(columns)), value="tr")
                self._step(
                    "The numbers on the diagonal of a product are added up by its trace.",
                    rf"{to_latex(whole)} = \sum_j {to_latex(tree)}",
                )
                return whole
        raise NoRule(f"the sum over $j$ of ${to_latex(tree)}$ is not known")

    def _acted_on(
        self, matrix: Tree, vector: Tree, rows: Tree, index: str, summed: bool = False
    ) -> Tree:
        """Turn M g_i, for all i, into G Mᵀ."""
        right = self._turned(matrix)
        whole = self._times(rows, right)
        before, after = apply("*", matrix, vector), apply("*", transposed(vector), right)
        total = r"\sum_j " if summed else ""
        self._step(
            "Transposing turns a product round: what acts on a column from the left acts on a row "
            "from the right.",
            rf"\left({to_latex(before)}\right)^\top = {to_latex(after)}",
        )
        self._step(
            f"The same ${to_latex(right)}$ stands on the right of every row, so the rows can be "
            "stacked.",
            rf"\text{{row }} {index} \text{{ of }} {to_latex(whole)} ="
            f" {total}{to_latex(after)}",
        )
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

    def _step(self, sentence: str, latex: str) -> None:
        if (sentence, latex) not in self.steps:
            self.steps.append((sentence, latex))

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


def at(tree: Tree, place: str) -> str:
    """Write an entry of a matrix."""
    text = to_latex(tree)
    return f"{text}_{{{place}}}" if len(text) == 1 else rf"\left({text}\right)_{{{place}}}"


def transposed(tree: Tree) -> Tree:
    """Return the transpose, without two of them in a row."""
    return operands(tree)[0] if tree[-1].op == "'" else apply("'", tree)
