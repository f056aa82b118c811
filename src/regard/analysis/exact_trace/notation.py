"""Exact numbers as people write them, in plain text and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.numbers import Exact, ExponentialQuotient, Exponentials, Surd

__all__ = ["LATEX", "TEXT", "Style", "decimals", "dot_product", "exact_text", "is_long", "number"]

LONGEST = 24  # characters of a rational that is written whole
MOST_WHOLE = 16  # exponentials of one number in data
ROUNDED = 12  # digits of one that is not
_POWER = re.compile(r"e([+-]\d+)$")
_PLAIN = re.compile(r"-?[\d.]+")
_ROOT = re.compile(r"√(\d+)")
T = TypeVar("T")


@dataclass(frozen=True)
class Style:
    """How a formula is written.

    Attributes:
        latex: as LaTeX, or as text.
        times: between two factors.
        dots: for terms that are left out.
        approximately: before a rounded number.
        softmax: the name of that function.
        top: what is written behind a matrix that is transposed.
    """

    latex: bool
    times: str
    dots: str
    approximately: str
    softmax: str
    top: str


TEXT = Style(False, "·", "…", "≈", "softmax", "ᵀ")
LATEX = Style(True, r" \cdot ", r"\dots", r"\approx", r"\mathrm{softmax}", r"^\top")


def number(value: Exact, style: Style, most: int | None = None) -> str:
    r"""Write a number exactly; a rational of too many characters is rounded (see is_long).

    >>> half = Fraction(-1, 2)
    >>> number(half, TEXT), number(half, LATEX), number(Surd(half, 3), TEXT)
    ('-1/2', '-\\frac{1}{2}', '-1/(2√3)')
    """
    if isinstance(value, ExponentialQuotient):
        return _exponentials(value, style, most)
    if is_long(value):
        rounded = Fraction(decimal(value, ROUNDED))  # so that 0.1, as a float, has no more zeros
        return decimals(rounded, ROUNDED, style)
    top = value if isinstance(value, Fraction) else value.numerator
    sign, above, below = "-" * (top < 0), str(abs(top.numerator)), str(top.denominator)
    if isinstance(value, Surd):
        root = rf"\sqrt{{{value.root}}}" if style.latex else f"√{value.root}"
        several = f"{below}{root}" if style.latex else f"({below}{root})"
        below = root if below == "1" else several
    if below == "1":
        return f"{sign}{above}"
    return rf"{sign}\frac{{{above}}}{{{below}}}" if style.latex else f"{sign}{above}/{below}"


def decimals(value: Exact, digits: int, style: Style) -> str:
    """Write a number in so many digits, correctly rounded."""
    text = decimal(value, digits)
    if not style.latex:
        return text
    return _POWER.sub(lambda found: rf" \times 10^{{{int(found[1])}}}", text)


def is_long(value: Exact) -> bool:
    """Whether a rational, or one over a root, has too many characters to be written whole.

    >>> is_long(Fraction(1, 3)), is_long(Fraction(0.1))
    (False, True)
    """
    if isinstance(value, ExponentialQuotient):
        return any(is_long(e) for e in (*value.row.exponents, *value.coefficients))
    top = value if isinstance(value, Fraction) else value.numerator
    # Bits first: to write millions of digits takes long.
    bits = top.numerator.bit_length() + top.denominator.bit_length()
    return bits > 4 * LONGEST or len(str(top)) > LONGEST


def exact_text(value: Exact) -> str | None:
    """Write a number exactly however long a rational is; None for too many exponentials."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Surd):
        return number(value, TEXT) if not is_long(value) else f"({value.numerator})/√{value.root}"
    if len(value.row.exponents) > MOST_WHOLE or is_long(value):
        return None
    return number(value, TEXT)


def factor(value: Exact, style: Style) -> str:
    """Write a number as a factor: in brackets if it has a sign or, in text, a stroke."""
    text = number(value, style)
    bare = not text.startswith("-") and (style.latex or "/" not in text)
    return text if bare else f"({text})"


def dot_product(
    left: Sequence[Exact], right: Sequence[Exact], style: Style, most: int | None = None
) -> str:
    """Write the products of a dot product out; of more than `most` some in the middle are left out.

    >>> dot_product([Fraction(-1), Fraction(0)], [Fraction(2), Fraction(-3)], TEXT)
    '(-1)·2 + 0·(-3)'
    """
    pairs = list(zip(left, right, strict=True))
    terms = [f"{factor(a, style)}{style.times}{factor(b, style)}" for a, b in pick(pairs, most)]
    return added(terms, len(pairs), style, most)


def pick(items: Sequence[T], most: int | None) -> list[T]:
    """All items, or the first most − 1 and the last."""
    if most is None or len(items) <= most:
        return list(items)
    return [*items[: most - 1], items[-1]]


def added(terms: list[str], count: int, style: Style, most: int | None) -> str:
    """Write terms that `pick` picked out of count as a sum."""
    if most is not None and count > most:
        terms = [*terms[:-1], style.dots, terms[-1]]
    return " + ".join(terms).replace("+ -", "- ")


def power(exponent: Fraction, root: int, style: Style) -> str:
    r"""Write e to the power of a score.

    >>> power(Fraction(-20), 1, TEXT), power(Fraction(1, 2), 1, TEXT), power(Fraction(2), 3, LATEX)
    ('e^-20', 'e^(1/2)', 'e^{2/\\sqrt{3}}')
    """
    value = Surd(exponent, root) if root != 1 and exponent else exponent
    if style.latex and not is_long(value):
        return (
            f"e^{{{_ROOT.sub(_latex_root, number(value, TEXT))}}}"  # a stroke reads better up there
        )
    text = number(value, style)
    if style.latex:
        return f"e^{{{text}}}"
    return f"e^{text}" if _PLAIN.fullmatch(text) else f"e^({text})"


def _latex_root(found: re.Match[str]) -> str:
    return rf"\sqrt{{{found[1]}}}"


def _exponentials(value: ExponentialQuotient, style: Style, most: int | None) -> str:
    row = value.row
    terms = [
        _multiple(c, power(z, row.root, style), style)
        for c, z in zip(value.coefficients, row.exponents, strict=True)
        if c
    ]
    above, below = added(pick(terms, most), len(terms), style, most), total(row, style, most)
    if style.latex:
        return rf"\dfrac{{{above}}}{{{below}}}"  # exponents within a small fraction are tiny
    above = f"({above})" if len(terms) > 1 or " " in above else above
    return f"{above}/({below})" if len(row.exponents) > 1 else f"{above}/{below}"


def total(row: Exponentials, style: Style, most: int | None = None) -> str:
    """Write the sum of the exponentials of a row."""
    terms = [power(z, row.root, style) for z in pick(row.exponents, most)]
    return added(terms, len(row.exponents), style, most)


def _multiple(coefficient: Fraction, text: str, style: Style) -> str:
    if abs(coefficient) == 1:
        return f"{'-' * (coefficient < 0)}{text}"
    shown = number(abs(coefficient), style)
    shown = f"({shown})" if not style.latex and "/" in shown else shown
    return f"{'-' * (coefficient < 0)}{shown}{' ' if style.latex else '·'}{text}"
