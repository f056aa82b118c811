r"""Formulas as LaTeX that can be read back and that `regard.language.notation` accepts."""

from __future__ import annotations

import re
from typing import Final

from regard.language.formula.printing.text import (
    ATOM,
    CHAIN,
    NEGATIVE,
    POWER,
    SIDE_BY_SIDE,
    SUM,
    Piece,
    number_text,
    stated,
)
from regard.language.formula.tree import Node, Tree, fold
from regard.language.formula.vocabulary import GREEK_WORDS

_SIGNS: Final = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "not": r"\text{not }",
          "and": r"\text{ and }", "or": r"\text{ or }"}  # fmt: skip
_FUNCTIONS: Final = {"log": r"\ln", "cos": r"\cos", "sin": r"\sin", "max": r"\max", "min": r"\min",
                     "Phi": r"\Phi"}  # fmt: skip
_OF_THEIR_OWN: Final = {"epsilon": r"\varepsilon", "ell": r"\ell", "inf": r"\infty"}

_BEGINS_WITH_A_WORD: Final = re.compile(r"\\mathrm\{\w{2,}\}(?!\\left)")
_ENDS_IN_A_WORD: Final = re.compile(r"\\mathrm\{\w{2,}\}$")


def to_latex(tree: Tree) -> str:
    """Return a formula as LaTeX."""
    return fold(tree, _piece).text


def name_latex(name: str) -> str:
    r"""Return a name as LaTeX.

    >>> print(name_latex("mu_a"), name_latex("z_3_1"), name_latex("d_model"))
    \mu_a z_{3,1} d_{\mathrm{model}}
    """
    base, *indices = name.split("_")
    if not indices:
        return _word(base)
    if len(indices) == 1 and len(indices[0]) == 1:
        return f"{_word(base)}_{indices[0]}"
    return f"{_word(base)}_{{{','.join(_word(index) for index in indices)}}}"


def _word(word: str) -> str:
    if word in _OF_THEIR_OWN:
        return _OF_THEIR_OWN[word]
    if word in GREEK_WORDS:
        return f"\\{word}"
    # Several letters would look like a product; digits with a letter, as in w_{2i}, would not.
    if len(word) == 1 or word.isdigit() or (word[:-1].isdigit() and word[-1].isalpha()):
        return word
    return rf"\mathrm{{{word}}}"


def _number(value: float) -> str:
    digits, _, power = number_text(value).partition("e")
    return rf"{digits} \times 10^{{{int(power)}}}" if power else digits


def _at(piece: Piece, level: int) -> str:
    return piece.text if piece.level >= level else _group(piece.text)


def _before_exponent(piece: Piece) -> str:
    """Return what is transposed or inverted; a number in brackets, or it would follow a dot."""
    return _group(piece.text) if piece.text[0].isdigit() else _at(piece, ATOM)


def _group(text: str) -> str:
    return rf"\left({text}\right)"


def _piece(node: Node, parts: list[Piece]) -> Piece:
    op = node.op
    if op == "number":
        text = _number(node.value)
        return Piece(text, ATOM if text[-1] != "}" else POWER)
    if op in ("name", "constant"):
        return Piece(name_latex(node.value), ATOM)
    if op in ("+", "-"):
        return Piece(f"{_at(parts[0], SUM)} {op} {_at(parts[1], CHAIN)}", SUM)
    if op == "*":
        return _product(*parts)
    if op == "·":
        left, right = _at(parts[0], CHAIN), _at(parts[1], SIDE_BY_SIDE)
        return Piece(rf"{left} \cdot {right}", CHAIN)
    if op == "/":
        return Piece(rf"\frac{{{parts[0].text}}}{{{parts[1].text}}}", POWER)
    if op == "^":
        exponent = parts[1].text
        if exponent in ("T", r"\top"):  # would be a transpose
            exponent = _group(exponent)
        return Piece(f"{_at(parts[0], ATOM)}^{{{exponent}}}", POWER)
    if op == "'":
        return Piece(rf"{_before_exponent(parts[0])}^\top", POWER)
    if op == "neg":
        return Piece(f"-{_at(parts[0], NEGATIVE)}", NEGATIVE)
    if op == "call":
        return _call(node.value, parts)
    if op in ("column", "matrix"):
        return Piece(_matrix(node, parts), ATOM)
    return stated(node, parts, _at, _SIGNS)


def _product(left: Piece, right: Piece) -> Piece:
    after = _at(right, POWER)
    before = _at(left, SIDE_BY_SIDE)
    if after[0].isdigit():
        return Piece(rf"{_at(left, CHAIN)} \cdot {_at(right, SIDE_BY_SIDE)}", CHAIN)
    if after.startswith(r"\left(") and (before == "I" or before.endswith(" I")):
        before = f"{{{before}}}"  # I(…) would be the identity of that size
    # Words of several letters would run into each other: heads d_k layers.
    words = _BEGINS_WITH_A_WORD.match(after) or _ENDS_IN_A_WORD.search(before)
    apart = r" \, " if words else " "
    return Piece(f"{before}{apart}{after}", SIDE_BY_SIDE)


def _call(function: str, parts: list[Piece]) -> Piece:
    inside = ", ".join(part.text for part in parts)
    if function == "exp":
        return Piece(f"e^{{{inside}}}", POWER)
    if function == "sqrt":
        return Piece(rf"\sqrt{{{inside}}}", POWER)
    if function == "pinv":
        return Piece(f"{_before_exponent(parts[0])}^{{+}}", POWER)
    if function in ("norm", "modulus"):
        bar = "Vert" if function == "norm" else "vert"
        return Piece(rf"\left\l{bar} {inside} \right\r{bar}", ATOM)
    if function == "hadamard":
        left, right = _at(parts[0], CHAIN), _at(parts[1], SIDE_BY_SIDE)
        return Piece(rf"{left} \odot {right}", CHAIN)
    if function == "I":
        if inside.isalnum() and (inside.isdigit() or len(inside) == 1):
            return Piece(f"I_{{{inside}}}", ATOM)
        return Piece(f"I{_group(inside)}", ATOM)
    called = _FUNCTIONS.get(function, rf"\operatorname{{{function}}}")
    return Piece(called + _group(inside), ATOM)


def _matrix(node: Node, parts: list[Piece]) -> str:
    rows, width = node.value or (node.arity, 1)
    if node.op == "matrix" and width == 1:  # a bmatrix with one column is a column
        return rf"\left[{', '.join(f'[{_group(part.text)}]' for part in parts)}\right]"
    lines = [
        " & ".join(part.text for part in parts[row * width : (row + 1) * width])
        for row in range(rows)
    ]
    inside = r" \\ ".join(lines)
    return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"
