"""What is settled before a formula is parsed: brackets that match, and bars that open or close.

In `[1 2; 3 4]` spaces separate entries, as they do in a row without commas; elsewhere values side
by side are multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from regard.language.formula.parsing.partial_trees import Refusal
from regard.language.formula.size_limits import DEEPEST
from regard.language.formula.vocabulary import FUNCTIONS, INVERSE, OTHER_SPELLINGS

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_PIECE: Final = re.compile(r"\\[A-Za-z]+|\\.|[ \t\n]+|[A-Za-z0-9_]+|.", re.DOTALL)
# What cannot end a value, and what cannot begin one.
_OPERATORS: Final = frozenset("+-*/^=<>·×≤≥≠@!.¬∧∨√,;&⊙∘") | {
    "\\cdot", "\\times", "\\odot", "\\circ",
    "\\le", "\\leq", "\\ge", "\\geq", "\\ne", "\\neq", "\\left", "\\right",
    "\\frac", "\\sqrt", "and", "or", "not",
}  # fmt: skip
_ENDS_NOTHING: Final = (
    _OPERATORS
    | {"(", "[", "{"}
    | frozenset({*FUNCTIONS, INVERSE})
    | frozenset(OTHER_SPELLINGS)
    | {f"\\{word}" for word in (*FUNCTIONS, *OTHER_SPELLINGS)}
)
_BEGINS_NOTHING: Final = (_OPERATORS - {"\\left", "\\frac", "\\sqrt", "√", "¬", "not"}) | {
    ")", "]", "}", "'",
}  # fmt: skip


@dataclass
class _Frame:
    """A bracket that is open, and the row within it."""

    bracket: str
    column: int
    spaces: list[tuple[int, str]] = field(default_factory=list)
    commas: bool = False


def prepared(text: str) -> str:
    """Return the text with the separators that spaces stand for, at the same columns.

    Raises:
        Refusal: a bracket is not closed, closes nothing, or is nested too deep.
    """
    letters = list(text)
    pieces = [(found[0], found.start()) for found in _PIECE.finditer(text)]
    stack: list[_Frame] = []
    before = ""
    for index, (piece, column) in enumerate(pieces):
        if piece in _CLOSING:
            stack.append(_Frame(piece, column))
            if len(stack) > DEEPEST:
                raise Refusal(f"Brackets may be nested {DEEPEST} deep.", column)
        elif piece in (")", "]", "}"):
            if not stack:
                raise Refusal(f"This {piece} closes nothing: leave it out, or open it.", column)
            if _CLOSING[stack[-1].bracket] != piece:
                opened = stack[-1]
                raise Refusal(
                    f"{opened.bracket} is closed by {piece}: write {_CLOSING[opened.bracket]}.",
                    column,
                )
            _end_row(stack.pop(), letters)
        elif stack and stack[-1].bracket == "[":
            if piece == ",":
                stack[-1].commas = True
            elif piece == ";":
                _end_row(stack[-1], letters)
            elif piece.isspace() and index + 1 < len(pieces):
                following = pieces[index + 1 : index + 3]
                if _separates(before, [word for word, _ in following]):
                    stack[-1].spaces.append((column, piece))
        if not piece.isspace():
            before = piece
    if stack:
        opened = stack[-1]
        raise Refusal(
            f"This {opened.bracket} is never closed: {_CLOSING[opened.bracket]} is missing.",
            opened.column,
        )
    return "".join(letters)


def _end_row(row: _Frame, letters: list[str]) -> None:
    """Write what the spaces of a row stand for."""
    for column, space in row.spaces:
        if "\n" in space:
            letters[column] = ";"
        elif not row.commas:
            letters[column] = ","
    row.spaces, row.commas = [], False


def _separates(before: str, following: list[str]) -> bool:
    """Say whether a space stands between two entries rather than within one."""
    if before in _ENDS_NOTHING:
        return False
    if following[0] in ("+", "-"):  # [1 -2] has two entries, [1 - 2] one
        return len(following) > 1 and not following[1].isspace()
    return following[0] not in _BEGINS_NOTHING


_ENDS_A_VALUE: Final = frozenset(
    {
        *("NAME", "NUMBER", "FRACTION", "DIGIT", "LETTER", "POSTFIX"),
        *("RPAR", "RBRACKET", "RBRACE", "RBAR", "RNORM", "RANGLE", "END"),
    }
)
_DOWN: Final = frozenset({"LPAR", "LBRACKET", "LBRACE", "BEGIN"})
_UP: Final = frozenset({"RPAR", "RBRACKET", "RBRACE", "END"})


@dataclass
class _Level:
    """What is open within one pair of brackets."""

    bars: list[Any] = field(default_factory=list)
    arguments: int = 0  # that a command still waits for


class Places:
    r"""Settles, for lark, what tokens are that depend on their place.

    A bar after a value closes what is open within the same brackets; any other opens: `|x|`,
    `‖x‖`, `||x||`. After `\frac` one digit or letter is an argument.
    """

    always_accept = ("BAR", "NORMBAR")

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        """Pass tokens on, some of them under another name or in pieces."""
        levels = [_Level()]
        before = ""
        for token in stream:
            level = levels[-1]
            if token.type in _UP:
                self._check_closed(level)
            for piece in self._pieces(token, level, before):
                before = piece.type
                yield piece
            if token.type in _DOWN:
                level.arguments -= token.type == "LBRACE" and level.arguments > 0
                levels.append(_Level())
            elif token.type in _UP and len(levels) > 1:
                levels.pop()
        self._check_closed(levels[-1])

    def _check_closed(self, level: _Level) -> None:
        if level.bars:
            bar = level.bars[-1]
            raise Refusal(f"This {bar} is never closed.", bar.start_pos)

    def _pieces(self, token: Any, level: _Level, before: str) -> Iterator[Any]:
        if token.type in ("BAR", "NORMBAR"):
            yield from self._bars(token, level.bars, before in _ENDS_A_VALUE)
        elif token.type in ("FRAC", "SQRT"):
            level.arguments = 2 if token.type == "FRAC" else 1
            yield token
        elif level.arguments and token.type in ("NUMBER", "NAME"):
            yield from self._arguments(token, level)
        else:
            if token.type != "LBRACE":
                level.arguments = 0
            yield token

    def _bars(self, token: Any, bars: list[Any], after_value: bool) -> Iterator[Any]:
        kind = token.type
        opened = bars[-1].type if bars and after_value else ""
        if opened == "BAR" and token == "||":
            yield token.update(type="RBAR")  # |a||b|: one closes, the next opens
            yield token.update(type="LBAR")
        elif opened == kind:
            bars.pop()
            yield token.update(type="RBAR" if kind == "BAR" else "RNORM")
        else:
            bars.append(token)
            yield token.update(type="LBAR" if kind == "BAR" else "LNORM")

    def _arguments(self, token: Any, level: _Level) -> Iterator[Any]:
        rest = str(token)
        while rest:
            start = token.end_pos - len(rest)
            kind, size = ("NUMBER" if rest[0] in ".0123456789" else "NAME"), len(rest)
            if level.arguments and (rest.isalnum() and rest.isascii()):
                kind, size = ("DIGIT" if rest[0].isdigit() else "LETTER"), 1
            elif level.arguments and kind == "NAME":
                kind = "LETTER"
            level.arguments -= level.arguments > 0
            yield type(token)(kind, rest[:size], start_pos=start, end_pos=start + size)
            rest = rest[size:]
