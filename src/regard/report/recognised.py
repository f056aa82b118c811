r"""Formulas in plain words, recognised and put between dollars, so that pages typeset them.

Judges and solvers say `W_Q`, `n = 6` and `4 d^2 + 2 d f` in sentences that terminals print as they
are. Only what cannot be anything else is recognised: a letter with an index, a capital by itself, a
letter before a number that it equals, a polynomial, a table's cell of nothing but letters. What
is between dollars, backquotes or quotes stays. A terminal shows the same words, with d² for
d^2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from regard.errors import FormulaError
from regard.language import parse
from regard.language.formula.vocabulary import GREEK_WORDS
from regard.report.blocks import Facts, Heading, Table, Text
from regard.report.compared import Checklist, Comparison
from regard.report.document import Block
from regard.report.inline import is_valid
from regard.report.plot import Plot
from regard.report.slider import Slider
from regard.report.writing import Steps

_BEFORE: Final = r"(?<![\w\\.@/:`'\"$^-])"
_INDEX: Final = r"(?:[A-Za-z0-9]|[0-9]{2}|model|in|out|max|min)"
_LETTER: Final = "[A-Za-z]"
_POWER: Final = rf"{_LETTER}(?:_{_INDEX})?(?:\^\d+)?"
_TERM: Final = rf"(?:\d+ )?{_POWER}(?: {_POWER})*"
_POLYNOMIAL = re.compile(rf"{_BEFORE}(?!a ){_TERM}(?: [+-] (?:{_TERM}|\d+))*(?![\w^_('])")
_TOKEN: Final = rf"(?:(?:[B-HJ-Z]|{_LETTER}_{_INDEX})(?![A-Za-z0-9_])'?|A')"
_PRODUCT = re.compile(rf"{_BEFORE}(?<!\w\(){_TOKEN}(?: {_TOKEN})*(?![\w(\[{{']|\.\w)")
_GREEK: Final = "|".join(sorted(GREEK_WORDS))
_EQUALS = re.compile(rf"{_BEFORE}({_LETTER}|{_GREEK})(?= (?:=|≥|≤|≠|<|>) [-−]?[\d.])")
_KEPT = re.compile(r"(\$[^$]*\$|`[^`]*`|\"[^\"]*\")")
_CELL = re.compile(r"[A-Za-z0-9_^()/×+\- ]*[A-Za-z][A-Za-z0-9_^()/×+\- ]*")
_LONG_INDEX = re.compile(r"_([A-Za-z0-9]{2,})")
_WORD = re.compile(r"[A-Za-z]{2,}")
_SYMBOL = re.compile(rf"(?:{_LETTER}|{'|'.join(sorted(GREEK_WORDS))})(?:_\w{{1,2}})?")
_LIKE_A_FORMULA = re.compile(rf"\w_\w|\^|\bsqrt\(|\b(?:{'|'.join(sorted(GREEK_WORDS))})\b")


def in_words(text: str) -> str:
    r"""Return a sentence with its formulas between dollars.

    >>> in_words("With d = 512: d_k is 64, and 4 d^2 + 9 d numbers are in `W_O`")
    'With $d$ = 512: $d_k$ is 64, and $4 d^2 + 9 d$ numbers are in `W_O`'
    >>> in_words("A is Q K' times C. I know S(X) and U.S. law; X W_Q fits")
    'A is $Q K^\\top$ times $C$. I know S(X) and U.S. law; $X W_Q$ fits'
    """
    return "".join(part if i % 2 else _recognised(part) for i, part in enumerate(_KEPT.split(text)))


def in_cell(text: str) -> str:
    r"""Return a cell, or the name of a row, that may be nothing but a formula.

    >>> in_cell("d × h (d/h)"), in_cell("C"), in_cell("W_O of head 2"), in_cell("yes")
    ('$d \\times h (d/h)$', '$C$', '$W_O$ of head 2', 'yes')
    >>> in_cell("D = 8, sigma = 2"), in_cell("sqrt(d_k)/beta")
    ('$D = 8$, $\\sigma = 2$', '$\\frac{\\sqrt{d_k}}{\\beta}$')
    """
    if _LIKE_A_FORMULA.search(text) and not _KEPT.search(text):
        formulas = [_formula(part) for part in text.split(", ")]
        if all(formulas):
            return ", ".join(formulas)
    words = _WORD.search(re.sub(r"_\w+", "", text))
    if _CELL.fullmatch(text) and not words and "^-" not in text:
        return _dollars(text)
    return in_words(text)


def in_block(block: Block) -> Block:
    """Return a block with the formulas of its words between dollars."""
    match block:
        case Text(text, role) if role != "eyebrow":
            return replace(block, text=in_words(text))
        case Heading(text):
            return replace(block, text=in_words(text))
        case Table(columns, rows, caption):
            return Table(_cells(columns), tuple(_cells(row) for row in rows), in_words(caption))
        case Checklist(items):
            return Checklist(tuple((t, in_words(goal), in_words(said)) for t, goal, said in items))
        case Comparison(names, rows):
            said = tuple((in_words(row[0]), *row[1:]) for row in rows)
            return replace(block, names=_cells(names), rows=said)
        case Facts(pairs):
            return Facts(tuple((in_cell(name), _value(value)) for name, value in pairs))
        case Steps(items):
            steps = tuple((in_words(sentence), latex) for sentence, latex in items)
            return replace(block, items=steps)
        case Plot():
            return _plot(block)
        case Slider():
            return replace(block, plot=_plot(block.plot))
    return block


def in_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return blocks with the formulas of their words between dollars."""
    return tuple(map(in_block, blocks))


def _value(text: str) -> str:
    """A value that is a formula; not a lone letter, which may be a word: a."""
    return in_cell(text) if _LIKE_A_FORMULA.search(text) else in_words(text)


def _formula(text: str) -> str:
    """Return a formula of the language in letters with an index, or ""."""
    try:
        formula = parse(text)
    except FormulaError:
        return ""
    known = all(_SYMBOL.fullmatch(name) for name in formula.names)
    return f"${formula.to_latex()}$" if known else ""


def _plot(plot: Plot) -> Plot:
    return replace(plot, caption=in_words(plot.caption))


def _cells(cells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(in_cell, cells))


def _recognised(text: str) -> str:
    text = _POLYNOMIAL.sub(lambda m: _dollars(m[0]) if "^" in m[0] else m[0], text)
    parts = _KEPT.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = _PRODUCT.sub(lambda m: _dollars(m[0]), parts[i])
    parts = _KEPT.split("".join(parts))
    for i in range(0, len(parts), 2):
        parts[i] = _EQUALS.sub(lambda m: f"${_name(m[1])}$", parts[i])
    return "".join(parts)


def _name(word: str) -> str:
    return word if len(word) == 1 else f"\\{word}"


def _dollars(text: str) -> str:
    latex = _LONG_INDEX.sub(r"_{\1}", text).replace("×", r"\times").replace("'", r"^\top")
    return f"${latex}$" if is_valid(latex) else text
