"""Formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from regard.language.formula import tree as trees
from regard.language.formula.evaluation.evaluator import evaluate
from regard.language.formula.parsing.parser import parse_tree
from regard.language.formula.printing.latex import to_latex
from regard.language.formula.printing.text import to_text
from regard.language.formula.shapes.inference import Shape, infer
from regard.language.formula.tree import CONDITIONS, Tree


@dataclass(frozen=True)
class Formula:
    r"""A formula that has been read.

    Two formulas are equal if they are the same tree, however they are spelled.

    Attributes:
        tree: its nodes in postfix order.
        text: the source as given.

    >>> parse(r"\frac{1}{2}(v_a + v_b)") == parse("1/2 (v_a + v_b)")
    True
    """

    tree: Tree
    text: str = field(compare=False)

    def __str__(self) -> str:
        return to_text(self.tree)

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    @property
    def names(self) -> frozenset[str]:
        """The free names."""
        return trees.names(self.tree)

    @property
    def is_condition(self) -> bool:
        """Whether it is true or false rather than a value."""
        return self.tree[-1].op in CONDITIONS

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of a comparison: ("<", "<=") for `0 < a <= 1`, () for anything else."""
        return self.tree[-1].value if self.tree[-1].op == "compare" else ()

    @property
    def sides(self) -> tuple[Formula, ...]:
        """The sides of a comparison, such as q and C k_a; of anything else, the formula itself."""
        if not self.relations:
            return (self,)
        return tuple(_of(part) for part in trees.operands(self.tree))

    def to_latex(self) -> str:
        """Return the formula as LaTeX."""
        return to_latex(self.tree)

    def to_mathml(self, display: bool = False) -> str:
        """Return the formula as a MathML element."""
        from regard.language.notation import to_mathml

        return to_mathml(self.to_latex(), display)

    def shape(
        self,
        shapes: Mapping[str, Sequence[int | str]],
        expected: Sequence[int | str] | None = None,
    ) -> Shape:
        """Return the shape: () a scalar or a condition, (n,) a column, (m, n) a matrix.

        Args:
            shapes: of the names, with sizes that are numbers or symbols such as "N".
            expected: the shape it should have. Settles the size of an I that stands alone.

        Raises:
            FormulaError: the shapes do not fit, or a name is not declared.
        """
        return infer(self.tree, self.text, shapes, expected)[-1]

    def evaluate(
        self,
        values: Mapping[str, Any],
        expected: Sequence[int] | None = None,
    ) -> float | np.ndarray | bool:
        """Return the value: a float, an array of float64, or a bool for a condition.

        What is too large or undefined comes out as infinity or NaN. `=` holds up to rounding,
        every relation means every entry, and none holds for NaN.

        Args:
            values: of the names: numbers, columns with one axis, matrices with two.
            expected: the shape it should have.

        Raises:
            FormulaError: the shapes do not fit, or a name has no value.

        >>> parse("k_a' q / sqrt(d)").evaluate({"k_a": [1, 2], "q": [3, 4], "d": 4})
        5.5
        """
        return evaluate(self.tree, self.text, values, expected)

    def substitute(self, formulas: Mapping[str, Formula]) -> Formula:
        """Return the formula with names replaced by formulas.

        >>> print(parse("q' k").substitute({"q": parse("C (a + b)")}))
        (C (a + b))' k
        """
        nodes: list[trees.Node] = []
        for node in self.tree:
            if node.op == "name" and node.value in formulas:
                nodes.extend(formulas[node.value].tree)
            else:
                nodes.append(node)
        return _of(tuple(nodes))


def _of(tree: Tree) -> Formula:
    """Return the formula of a tree, with the limits checked and columns in its own text."""
    return parse(to_text(tree))


def parse(text: str) -> Formula:
    r"""Read a formula, in plain text or LaTeX.

    Raises:
        FormulaError: it cannot be read; the message points at the place.

    >>> print(parse(r"\frac{u_b u_d^\top}{\beta^2}"))
    u_b u_d' / beta^2
    """
    return _parsed(text) if isinstance(text, str) else Formula(parse_tree(text), text)


@lru_cache(maxsize=1024)  # the same few formulas are read again and again
def _parsed(text: str) -> Formula:
    return Formula(parse_tree(text), text)
