"""Formulas as text that can be read back, with as few brackets as that needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from regard.language.formula.tree import Node, Tree, fold

# How tightly an expression holds together.
OR, AND, NOT, COMPARED, SUM, NEGATIVE, CHAIN, SIDE_BY_SIDE, POWER, ATOM = range(10)

_ENDS_IN_I: Final = re.compile(r"(?<![A-Za-z0-9_])I\Z")
_PLAIN_EXPONENT: Final = re.compile(r"-?[0-9.]+|(?!T)[A-Za-z][A-Za-z0-9_]*")


class Piece(NamedTuple):
    """Text, and how tightly it holds together."""

    text: str
    level: int
    fraction: bool = False  # begins with a fraction of numbers, as 1/2 x does

    def at(self, level: int) -> str:
        """Return the text, in brackets if it holds together less tightly."""
        return self.text if self.level >= level else f"({self.text})"


def to_text(tree: Tree) -> str:
    """Return a formula as text."""
    return fold(tree, _piece).text


def number_text(value: float) -> str:
    """Return the shortest text of a number."""
    return str(int(value)) if value % 1 == 0 and value < 1e16 else repr(value)


def _piece(node: Node, parts: list[Piece]) -> Piece:
    op = node.op
    if op == "number":
        return Piece(number_text(node.value), ATOM)
    if op in ("name", "constant"):
        return Piece(node.value, ATOM)
    if op in ("+", "-"):
        return Piece(f"{parts[0].at(SUM)} {op} {parts[1].at(CHAIN)}", SUM)
    if op == "*":
        return _product(*parts)
    if op == "·":
        return Piece(f"{parts[0].at(CHAIN)} · {parts[1].at(SIDE_BY_SIDE)}", CHAIN)
    if op == "/":
        left, right = parts
        if left.text.isdigit() and right.text.isdigit():
            return Piece(f"{left.text}/{right.text}", CHAIN, fraction=True)
        return Piece(f"{left.at(CHAIN)} / {right.at(POWER)}", CHAIN)
    if op == "^":
        exponent = parts[1].text
        plain = _PLAIN_EXPONENT.fullmatch(exponent) and exponent not in ("I", "pi", "inf")
        return Piece(f"{parts[0].at(ATOM)}^{exponent if plain else f'({exponent})'}", POWER)
    if op == "'":
        return Piece(f"{parts[0].at(ATOM)}'", POWER)
    if op == "neg":
        return Piece(f"-{parts[0].at(NEGATIVE)}", NEGATIVE)
    if op == "call" and node.value == "modulus":
        inside = parts[0].text
        return Piece(f"|({inside})|" if "|" in inside else f"|{inside}|", ATOM)
    if op == "call":
        return Piece(f"{node.value}({', '.join(part.text for part in parts)})", ATOM)
    if op == "column":
        return Piece(_bracketed(parts), ATOM)
    if op == "matrix":
        rows, width = node.value
        lists = [_bracketed(parts[row * width : (row + 1) * width]) for row in range(rows)]
        return Piece(f"[{', '.join(lists)}]", ATOM)
    return stated(node, parts, Piece.at)


def stated(
    node: Node,
    parts: list[Piece],
    at: Callable[[Piece, int], str],
    signs: Mapping[str, str] = MappingProxyType({}),
) -> Piece:
    """Print a comparison, or what "not", "and" and "or" make of some.

    Args:
        node: what is said.
        parts: of what, printed.
        at: prints a part where it must bind at a level at least.
        signs: how relations and these words are written, where that is not as in the language.
    """
    if node.op == "compare":
        text = at(parts[0], SUM)
        for relation, part in zip(node.value, parts[1:], strict=True):
            text += f" {signs.get(relation, relation)} {at(part, SUM)}"
        return Piece(text, COMPARED)
    if node.op == "not":
        return Piece(f"{signs.get('not', 'not ')}{at(parts[0], NOT)}", NOT)
    word = signs.get(node.op, node.op)
    level = AND if node.op == "and" else OR
    return Piece(f"{at(parts[0], level)} {word} {at(parts[1], level + 1)}", level)


def _product(left: Piece, right: Piece) -> Piece:
    """Values side by side where that is read as a product, and a * elsewhere."""
    after = right.at(POWER)
    before = left.text if left.fraction else left.at(SIDE_BY_SIDE)
    if after[0].isdigit() or (after.startswith("(") and _ENDS_IN_I.search(before)):
        return Piece(f"{left.at(CHAIN)} * {right.at(SIDE_BY_SIDE)}", CHAIN)
    return Piece(f"{before} {after}", CHAIN if left.fraction else SIDE_BY_SIDE, left.fraction)


def _bracketed(parts: list[Piece]) -> str:
    if len(parts) == 1 and " " in parts[0].text:  # spaces would separate entries
        return f"[({parts[0].text})]"
    return f"[{', '.join(part.text for part in parts)}]"
