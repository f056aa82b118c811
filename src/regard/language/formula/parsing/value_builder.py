"""From what the grammar recognises to a tree: numbers, names, and what stands in brackets."""

from __future__ import annotations

from typing import Any, Final

from regard.language.formula.parsing.partial_trees import (
    Part,
    Refusal,
    checked,
    column_of,
    end_of,
    matrix_of,
    number_of,
    parts_of,
    value_of,
)
from regard.language.formula.tree import apply, name, number
from regard.language.formula.vocabulary import CONSTANTS, FUNCTIONS, ONES, RESERVED, normalised

_FRACTIONS: Final = {"½": (1, 2), "⅓": (1, 3), "¼": (1, 4), "¾": (3, 4), "⅔": (2, 3)}


class Values:
    """The rules of values: one method for each."""

    def number(self, children: list[Any]) -> Part:
        """A number."""
        (token,) = children
        tree = number_of(token, token.start_pos)
        return Part(tree, token.start_pos, token.end_pos, "number")

    def vulgar(self, children: list[Any]) -> Part:
        """`½`."""
        (token,) = children
        at = token.start_pos
        above, below = _FRACTIONS[token]
        tree = apply("/", number(above, at), number(below, at), column=at)
        return Part(tree, at, token.end_pos)

    def name(self, children: list[Any]) -> Part:
        """A name, or a constant."""
        (token,) = children
        at = token.start_pos
        word = normalised(token)
        base, _, index = word.partition("_")
        if base == "I" and index:  # I_d is the identity of size d
            if index in RESERVED or (index[0].isdigit() and not index.isdigit()):
                raise Refusal(f"{word}: a size is a number or a name, and {index} is none.", at)
            size = number(float(index), at) if index.isdigit() else name(index, at)
            return Part(apply("call", size, value="I", column=at), at, token.end_pos, "word")
        if base == "ones" and "ones" not in token and word != ONES and index not in RESERVED:
            size = number(float(index), at) if index.isdigit() else name(index, at)
            called = apply("call", size, value="ones", column=at)  # \mathbf{1}_N
            return Part(called, at, token.end_pos, "word")
        if word in ("and", "or", "not"):  # \mathbf{and}
            raise Refusal(f"{word} cannot be a name: it joins conditions.", at)
        if word in FUNCTIONS or (base in CONSTANTS and index):
            raise Refusal(f"{word} cannot be a name: {base} has a meaning of its own.", at)
        return Part(name(word, at), at, token.end_pos, "word")

    def group(self, children: list[Any]) -> Part:
        """`(a + b)`, or `(1, 2, 3)`, which is a column."""
        opening, parts, closing = children
        if len(parts) > 1:
            return column_of(parts, opening.start_pos, closing.end_pos)
        return Part(parts[0].tree, opening.start_pos, closing.end_pos, "group")

    def braced(self, children: list[Any]) -> Part:
        """`{a + b}`."""
        opening, part, closing = children
        return Part(part.tree, opening.start_pos, closing.end_pos)

    def row(self, children: list[Any]) -> list[Part]:
        """The entries between two semicolons."""
        return parts_of(children)

    cells = row

    def bracketed(self, children: list[Any]) -> Part:
        """`[a, b]`, `[[1, 2], [3, 4]]` and `[1, 2; 3, 4]`."""
        rows = [child for child in children if isinstance(child, list)]
        start, end = children[0].start_pos, end_of(children[-1])
        part = column_of(rows[0], start, end) if len(rows) == 1 else matrix_of(rows, start, end)
        return part._replace(form="bracket")

    def environment(self, children: list[Any]) -> Part:
        r"""`\begin{bmatrix} a & b \\ c & d \end{bmatrix}`."""
        rows = [child for child in children if isinstance(child, list)]
        return matrix_of(rows, children[0].start_pos, end_of(children[-1]))

    def modulus(self, children: list[Any]) -> Part:
        """`|x|`."""
        return self._applied("modulus", children)

    def norm(self, children: list[Any]) -> Part:
        """`‖x‖`."""
        return self._applied("norm", children)

    def angle(self, children: list[Any]) -> Part:
        """`⟨u, v⟩`."""
        return self._applied("dot", children)

    def root(self, children: list[Any]) -> Part:
        r"""`\sqrt{x}`."""
        return self._applied("sqrt", children)

    def _applied(self, called: str, children: list[Any]) -> Part:
        trees = [value_of(part) for part in parts_of(children)]
        start = children[0].start_pos
        tree = apply("call", *trees, value=called, column=start)
        return checked(tree, start, end_of(children[-1]))

    def fraction(self, children: list[Any]) -> Part:
        r"""`\frac{a}{b}`."""
        word, above, below = children
        tree = apply("/", value_of(above), value_of(below), column=word.start_pos)
        return checked(tree, word.start_pos, below.end)
