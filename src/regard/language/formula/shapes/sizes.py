"""What is known about the sizes in a formula while its shapes are inferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from regard.errors import FormulaError
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, operands


class Row:
    """The number of rows of a transposed column: one."""


class Unknown:
    """A size that has not been settled; with the text between the brackets of I(…), or none."""

    def __init__(self, label: str = "") -> None:
        self.label = label


Size = Any  # int | str | Row | Unknown
Sizes = tuple[Size, ...]
ROW: Final = Row()
TRUTH: Final = ("truth",)  # of a comparison


def plain(size: Size) -> Size:
    """Return 1 for the number of rows of a row."""
    return 1 if size is ROW else size


@dataclass
class Inference:
    """The shapes found so far, and the sizes that they settle.

    Attributes:
        tree: the formula.
        text: its source.
        shapes: of the names.
        settled: what unknown sizes are.
        found: the shape of each node up to the present one.
        at: the present node.
    """

    tree: Tree
    text: str
    shapes: Mapping[str, Sequence[int | str]]
    settled: dict[Unknown, Size] = field(default_factory=dict)
    found: list[Sizes] = field(default_factory=list)
    at: int = 0

    def size(self, size: Size) -> Size:
        """Return a size, or what it is settled to be."""
        while isinstance(size, Unknown) and size in self.settled:
            size = self.settled[size]
        return size

    def same(self, one: Size, other: Size) -> bool:
        """Make two sizes the same; False if they cannot be."""
        one, other = self.size(one), self.size(other)
        if one is other or one == other:
            return True
        if isinstance(one, Unknown) and not (isinstance(other, Unknown) and one.label):
            self.settled[one] = other
            return True
        if isinstance(other, Unknown):
            self.settled[other] = one
            return True
        return bool(plain(one) == plain(other))

    def fail(self, reason: str, column: int | None = None) -> NoReturn:
        """Refuse the formula, by default at the present node."""
        node = self.tree[self.at]
        raise FormulaError(reason, self.text, node.column if column is None else column)

    def words(self, shape: Sizes, capital: bool = False) -> str:
        """Say what a shape is: a scalar, a column, a row, a matrix."""
        sizes = [self.size(size) for size in shape]
        article = "A" if capital else "a"
        if not sizes:
            return f"{article} scalar"
        if len(sizes) == 1 or sizes[0] is ROW:
            kind = "column" if len(sizes) == 1 else "row"
            if isinstance(sizes[-1], Unknown):
                return f"{article} {kind}"
            return f"{article} {kind} of {sizes[-1]} {'entry' if sizes[-1] == 1 else 'entries'}"
        if any(isinstance(size, Unknown) for size in sizes):
            return f"{article} square matrix"
        return f"{article} matrix of {sizes[0]} × {sizes[1]}"

    def parts(self) -> list[str]:
        """Return the operands of the present node, as they can be written in a product."""
        return [bracketed(part) for part in operands(self.tree, self.at)]

    def bare_parts(self) -> list[str]:
        """Return the operands of the present node, as they can be written in a call."""
        return [to_text(part) for part in operands(self.tree, self.at)]


def bracketed(part: Tree) -> str:
    """Return a formula as text, in brackets unless it is one word or ends in a transpose."""
    simple = part[-1].arity == 0 or part[-1].op in ("call", "column", "matrix", "'")
    return to_text(part) if simple else f"({to_text(part)})"


def transposed(text: str) -> str:
    """Return the transpose of what `bracketed` gives."""
    return text[:-1] if text.endswith("'") else f"{text}'"
