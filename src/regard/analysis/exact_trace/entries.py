"""Where an entry of a trace came from: its computation written out, as text and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.input import read_digits
from regard.analysis.exact_trace.notation import (
    LATEX,
    TEXT,
    Style,
    added,
    decimals,
    dot_product,
    factor,
    is_long,
    number,
    pick,
)
from regard.analysis.exact_trace.numbers import Exact, ExponentialQuotient, Exponentials, Surd
from regard.errors import ParameterError
from regard.shapes import integer

if TYPE_CHECKING:
    from regard.analysis.exact_trace.result import Trace

__all__ = ["Entry", "computation", "entry", "label", "terms_of"]

MATRICES = {
    "q": "queries", "k": "keys", "v": "values", "z": "scores", "a": "weights", "c": "averages",
    "o": "outputs",
}  # fmt: skip
PROJECTIONS = {"q": "W_Q", "k": "W_K", "v": "W_V"}
_NAME = re.compile(r"([qkvzaco])_\{?(\d{1,3})(?:,\s?(\d{1,3}))?\}?(?:\[(\d{1,3})\])?", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """A number of a trace, or a row of them, and where it came from.

    Attributes:
        name: as handouts have it, such as q_2[3].
        value: the exact number; of a whole row, a tuple of them.
        text: the computation, such as "q_2[3] = (-1)·2 + 0·(-3) = -2".
        latex: the same in LaTeX.
    """

    name: str
    value: Exact | tuple[Exact, ...]
    text: str
    latex: str

    def decimal(self, digits: int = 30) -> str | tuple[str, ...]:
        """Return the number, or each of the row, in so many digits, every one certain."""
        digits = read_digits("Entry.decimal", digits)
        if isinstance(self.value, tuple):
            return tuple(decimal(value, digits) for value in self.value)
        return decimal(self.value, digits)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


def entry(trace: Trace, name: str, row: int | None, column: int | None, digits: int) -> Entry:
    """Return what `Trace.entry` returns."""
    letter, i, j = _read_place(trace, name, row, column)
    matrix = getattr(trace, MATRICES[letter])
    value = tuple(matrix[i - 1]) if j is None else matrix[i - 1, j - 1]
    written = (" ".join(_equation(trace, letter, i, j, digits, style)) for style in (TEXT, LATEX))
    return Entry(label(letter, i, j, TEXT, trace.n), value, *written)


def label(letter: str, i: int, j: int | None, style: Style, n: int) -> str:
    """Write the name of an entry, counted from 1, of a trace with n tokens."""
    if j is None or letter not in "za":
        name = f"{letter}_{{{i}}}" if style.latex else f"{letter}_{i}"
        return name if j is None else f"{name}[{j}]"
    both = f"{i}{j}" if n <= 9 else f"{i},{j}"  # with ten tokens, z_111 would be two of them
    return f"{letter}_{{{both}}}" if style.latex else f"{letter}_{both}"


def computation(
    trace: Trace, letter: str, i: int, j: int, style: Style, most: int | None = None
) -> str:
    """Write what an entry is computed from; of more than `most` terms some are left out."""
    if letter in PROJECTIONS:
        matrix = getattr(trace, PROJECTIONS[letter])
        return dot_product(trace.x[i - 1], matrix[:, j - 1], style, most)
    if letter == "z":
        products = dot_product(trace.queries[i - 1], trace.keys[j - 1], style, most)
        return _scaled(trace.scale, products, style)
    if letter == "a":
        seen = trace.visible[i - 1]
        if j - 1 not in seen:
            return "0"
        alone = tuple(Fraction(j - 1 == other) for other in seen)
        return number(ExponentialQuotient(alone, terms_of(trace, i)), style, most)
    if letter == "c":
        keys = list(trace.visible[i - 1])
        names = [label("a", i, m + 1, style, trace.n) for m in keys]
        return _weighted(names, trace.values[keys, j - 1], style, most) if keys else "0"
    if trace.W_O is None:
        return label("c", i, j, style, trace.n)
    column = trace.W_O[:, j - 1]
    names = [label("c", i, m, style, trace.n) for m in range(1, len(column) + 1)]
    return _weighted(names, column, style, most)


def terms_of(trace: Trace, i: int) -> Exponentials:
    """The exponentials that query i, counted from 1, weighs keys by."""
    row = trace.scores[i - 1, list(trace.visible[i - 1])]
    root = trace.scale.root if isinstance(trace.scale, Surd) else 1
    return Exponentials(tuple(z.numerator if isinstance(z, Surd) else z for z in row), root)


def _equation(
    trace: Trace, letter: str, i: int, j: int | None, digits: int, style: Style
) -> list[str]:
    """The parts of "name = computation = value"."""
    if j is None:
        values = getattr(trace, MATRICES[letter])[i - 1]
        exact = not any(isinstance(v, ExponentialQuotient) or is_long(v) for v in values)
        shown = ", ".join(
            decimals(v, digits, style) if isinstance(v, ExponentialQuotient) else number(v, style)
            for v in values
        )
        sign = "=" if exact else style.approximately
        name = label(letter, i, None, style, trace.n)
        return [name, "=", _row_computation(trace, letter, i, style), sign, f"({shown})"]
    value = getattr(trace, MATRICES[letter])[i - 1, j - 1]
    written = computation(trace, letter, i, j, style)
    parts = [label(letter, i, j, style, trace.n), "=", written]
    if isinstance(value, ExponentialQuotient):
        exact_form = number(value, style)
        if exact_form != written:
            parts += ["=", exact_form]
        return [*parts, style.approximately, decimals(value, digits, style)]
    result = number(value, style)
    if result == written:
        return parts
    rounded = is_long(value) or (letter not in "aco" and _rounds(trace, letter, i, j))
    return [*parts, style.approximately if rounded else "=", result]


def _rounds(trace: Trace, letter: str, i: int, j: int) -> bool:
    """Whether a dot product is written with numbers too long to be written whole."""
    if letter == "z":
        factors = [trace.scale, *trace.queries[i - 1], *trace.keys[j - 1]]
    else:
        factors = [*trace.x[i - 1], *getattr(trace, PROJECTIONS[letter])[:, j - 1]]
    return any(is_long(one) for one in factors)


def _row_computation(trace: Trace, letter: str, i: int, style: Style) -> str:
    if letter in PROJECTIONS:
        return f"{PROJECTIONS[letter]}{style.top} {label('x', i, None, style, trace.n)}"
    if letter == "z":
        return _scaled(trace.scale, f"K {label('q', i, None, style, trace.n)}", style)
    keys = [j + 1 for j in trace.visible[i - 1]]
    if not keys and letter in "ac":
        return "0"  # a query that sees no key
    if letter == "a":
        names = [label("z", i, None, style, trace.n)]
        if trace.is_causal or len(keys) < trace.n:
            names = [label("z", i, j, style, trace.n) for j in keys]
            together = keys == list(range(keys[0], keys[-1] + 1))
            names = [names[0], style.dots, names[-1]] if together and len(keys) > 3 else names
        return f"{style.softmax}({', '.join(names)})"
    if letter == "c":
        shares = [label("a", i, j, style, trace.n) for j in keys]
        values = [label("v", j, None, style, trace.n) for j in keys]
        return " + ".join(f"{a} {v}" for a, v in zip(shares, values, strict=True))
    if trace.W_O is None:
        return label("c", i, None, style, trace.n)
    return f"W_O{style.top} {label('c', i, None, style, trace.n)}"


def _scaled(scale: Fraction | Surd, products: str, style: Style) -> str:
    """Write scale times something."""
    if scale == 1:
        return products
    below = ""
    if isinstance(scale, Surd):
        below = rf"\sqrt{{{scale.root}}}" if style.latex else f"√{scale.root}"
    elif scale.numerator == 1:
        below = number(Fraction(scale.denominator), style)
    if below and style.latex:
        return rf"\frac{{{products}}}{{{below}}}"
    if below:
        return f"({products})/{below}" if style.times in products else f"{products}/{below}"
    return f"{factor(scale, style)}{style.times}({products})"


def _weighted(
    names: Sequence[str], factors: Iterable[Fraction], style: Style, most: int | None
) -> str:
    """Write a sum of named numbers times rationals."""
    pairs = pick(list(zip(names, factors, strict=True)), most)
    terms = [f"{name}{style.times}{factor(by, style)}" for name, by in pairs]
    return added(terms, len(names), style, most)


def _read_place(
    trace: Trace, name: object, row: object, column: object
) -> tuple[str, int, int | None]:
    """Read "q", 2, 3 or "q_2[3]" as a letter, a row and a column, counted from 1."""
    function = "Trace.entry"
    letter, i, j = name, row, column
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found:
        letter, first, second = found[1], found[2], found[3] or found[4]
        if (found[3] and found[4]) or (row is not None and (second or column is not None)):
            raise ParameterError(
                f"{function}: {name!r} says which entry, so give no row or column."
            )
        if letter in "za" and len(first) == 2 and not second and row is None and trace.n <= 9:
            first, second = first[0], first[1]  # z_31 is z_3,1
        i, j = int(first), (int(second) if second else row)
    if letter not in MATRICES or (letter == "o" and trace.W_O is None):
        there = [known for known in MATRICES if known != "o" or trace.W_O is not None]
        raise ParameterError(
            f"{function}: name must be one of {', '.join(there)}, or such as 'q_2', 'q_2[3]' or "
            f"'z_3,1'. Got {name!r}."
        )
    matrix = getattr(trace, MATRICES[letter])
    if i is None:
        raise ParameterError(f"{function}: say which row of {letter}, counted from 1.")
    for what, given, count in zip(("row", "column"), (i, j), matrix.shape, strict=True):
        if given is not None and not 1 <= integer(function, what, given) <= count:
            raise ParameterError(
                f"{function}: {letter} has {count} {what}s, counted from 1. Got {what} {given}."
            )
    return (
        letter,
        integer(function, "row", i),
        None if j is None else integer(function, "column", j),
    )
