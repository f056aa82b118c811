"""Parts of a formula while it is read, and what can be wrong with one."""

from __future__ import annotations

import math
import re
from typing import Any, Final, NamedTuple

from regard.language.formula import size_limits
from regard.language.formula.tree import CONDITIONS, Tree, apply, number, operands

_NUMBER: Final = re.compile(r"([0-9.]+)(?:[eE]([+-]?[0-9]+))?(?:[^0-9]+10[\s^{]*(-?)\s*([0-9]+))?")


class Refusal(Exception):
    """A formula that cannot be read: the sentence and the column."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason, column)
        self.reason, self.column = reason, column


class Part(NamedTuple):
    """A part of a formula, and as much of its spelling as rules further out need."""

    tree: Tree
    start: int
    end: int
    form: str = ""  # "number", "power", "word", "bracket", "group", or "" for anything else
    items: tuple[Part, ...] = ()  # of values side by side


def checked(tree: Tree, start: int, end: int, form: str = "") -> Part:
    """Return a part, unless it is too large."""
    if len(tree) > size_limits.MOST_NODES:
        raise Refusal(
            f"A formula may have {size_limits.MOST_NODES} numbers, names and operations. "
            "Shorten it, or name its parts.",
            start,
        )
    return Part(tree, start, end, form)


def value_of(part: Part) -> Tree:
    """Return the tree of a part that must be a value."""
    if part.tree[-1].op in CONDITIONS:
        raise Refusal(
            "A comparison is true or false and cannot be calculated with: "
            "only and, or and not go with it.",
            part.start,
        )
    return part.tree


def condition_of(part: Part) -> Tree:
    """Return the tree of a part that must be true or false."""
    if part.tree[-1].op not in CONDITIONS:
        raise Refusal(
            "and, or and not join comparisons such as a < b, and this is a value.", part.start
        )
    return part.tree


def signed(word: Any, tree: Tree) -> Tree:
    """Return a tree with a sign before it."""
    return apply("neg", tree, column=word.start_pos) if word == "-" else tree


def parts_of(children: list[Any]) -> list[Part]:
    """Return what is no token."""
    return [child for child in children if isinstance(child, Part)]


def check_widths(widths: list[int], columns: list[int]) -> None:
    """Refuse rows that are not equally long."""
    for width, column in zip(widths, columns, strict=True):
        if width != widths[0]:
            raise Refusal(
                "The rows of a matrix must have the same number of entries: the first has "
                f"{widths[0]}, this one {width}.",
                column,
            )


def check_entries(parts: list[Part]) -> None:
    """Refuse brackets within brackets."""
    for part in parts:
        if part.tree[-1].op in ("column", "matrix"):
            raise Refusal(
                "The entries in brackets must be scalars, and here are brackets in brackets. "
                "A matrix is written [[a, b], [c, d]].",
                part.start,
            )


def end_of(child: Any) -> int:
    """Return where a part or a token ends."""
    return child.end if isinstance(child, Part) else child.end_pos


def number_of(token: str, column: int) -> Tree:
    """Return the tree of a number, unless it is too long, too large or too small."""
    found = _NUMBER.match(token)
    assert found
    whole, power, sign, ten = found.groups()
    if sum(letter.isdigit() for letter in token) > size_limits.MOST_DIGITS:
        raise Refusal(f"A number may have {size_limits.MOST_DIGITS} digits.", column)
    value = float(f"{whole}e{int(power or 0) + int((sign or '') + (ten or '0'))}")
    if math.isinf(value):
        raise Refusal("This number is too large: the largest is about 1.8e308.", column)
    if value == 0 and whole.strip("0."):
        raise Refusal("This number is too small: the smallest is about 5e-324.", column)
    return number(value, column)


def column_of(parts: list[Part], start: int, end: int) -> Part:
    """Return a column with these entries, or a matrix with these rows."""
    trees = [value_of(part) for part in parts]
    if all(tree[-1].op == "column" for tree in trees):  # the rows of a matrix
        check_widths([tree[-1].arity for tree in trees], [part.start for part in parts])
    else:
        check_entries(parts)
    return checked(apply("column", *trees, column=start), start, end)


def matrix_of(rows: list[list[Part]], start: int, end: int) -> Part:
    """Return a matrix with these entries, or a column if its rows have one each."""
    check_widths([len(row) for row in rows], [row[0].start for row in rows])
    if len(rows[0]) == 1:
        return column_of([row[0] for row in rows], start, end)
    parts = [part for row in rows for part in row]
    check_entries(parts)
    shape = (len(rows), len(rows[0]))
    tree = apply("matrix", *map(value_of, parts), value=shape, column=start)
    return checked(tree, start, end)


def ends_below(first: Part, second: Part, tight: bool) -> bool:
    """Whether what divides ends with its first factor, whatever the shapes.

    It does before a function or a norm where it is a number, `C/2 norm(x)^2`, and where it stands
    in brackets, `1/(2 n) x`; but `1/(n)(n - 1)` is written for both.
    """
    if first.form == "group":
        return second.form != "group"
    called = second.tree[-1].op == "call" or (
        second.tree[-1].op == "^" and operands(second.tree)[0][-1].op == "call"
    )
    return first.form == "number" and called and not tight
