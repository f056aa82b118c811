"""Functions that a problem names: `S(X)` stands for a formula in X, `S(P X)` for it in P X.

What they stand for is put in before anything is read, so that proofs, shapes and numbers know
nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from regard.errors import FormulaError
from regard.language.formula.formula import Formula, parse
from regard.language.formula.size_limits import LONGEST
from regard.language.formula.vocabulary import RESERVED

_HEAD: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)\s*\(([^()]*)\)\s*")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_TOO_LONG: Final = "With its functions put in, the formula is too long."
MOST_CALLS: Final = 40  # in one formula


@dataclass(frozen=True)
class Abbreviation:
    """A function of a problem.

    Attributes:
        name: S of S(X).
        arguments: the names in its brackets.
        body: what it stands for.
    """

    name: str
    arguments: tuple[str, ...]
    body: Formula


def abbreviations(given: Mapping[str, str]) -> dict[str, Abbreviation]:
    """Read functions, each of which may use those above it.

    Raises:
        FormulaError: a head is not of the form S(X) or S(X, Y), or a body cannot be read.
    """
    known: dict[str, Abbreviation] = {}
    for head, text in given.items():
        found = _HEAD.fullmatch(head)
        arguments = [one.strip() for one in found[2].split(",")] if found else []
        if found is None or not all(map(_WORD.fullmatch, arguments)):
            raise FormulaError("A function is declared as S(X) or S(X, Y).", head, 0)
        for word in (found[1], *arguments):
            if word in RESERVED:
                raise FormulaError(f"{word} is a word of the formula language.", head, 0)
        body = parse(expanded(text, known))
        known[found[1]] = Abbreviation(found[1], tuple(arguments), body)
    return known


def expanded(text: str, known: Mapping[str, Abbreviation]) -> str:
    """Return a formula with what functions stand for put in, the innermost first.

    >>> known = abbreviations({"S(X)": "softmax(X X') X"})
    >>> expanded("P S(X) - S(P X)", known)
    "P (softmax(X X') X) - (softmax(P X (P X)') (P X))"

    Raises:
        FormulaError: a function has another number of arguments, or the formula gets too long.
    """

    def put(function: Abbreviation, inside: Sequence[str]) -> str:
        values = {name: parse(one) for name, one in zip(function.arguments, inside, strict=True)}
        try:
            return f"({function.body.substitute(values)})"
        except FormulaError:
            raise FormulaError(_TOO_LONG, text[:LONGEST], 0) from None

    return _without_calls(text, known, put)


def named_calls(text: str, known: Mapping[str, Abbreviation]) -> tuple[str, dict[str, str]]:
    """Return a formula with a name for every call of a function, and what these names stand for.

    Nothing gets long: the argument of a function has a name too, unless it is one.

    >>> known = abbreviations({"S(X)": "softmax(X X') X"})
    >>> named_calls("P S(X) - S(P X)", known)[0]
    'P call_2 - call_1'
    >>> named_calls("S(P X)", known)[1]
    {'argument_1': 'P X', 'call_1': "softmax(argument_1 argument_1') argument_1"}
    """
    definitions: dict[str, str] = {}
    calls: dict[tuple[str, ...], str] = {}

    def put(function: Abbreviation, inside: Sequence[str]) -> str:
        key = (function.name, *(str(parse(one)) for one in inside))
        if key in calls:
            return calls[key]
        values: dict[str, Formula] = {}
        for name, one in zip(function.arguments, inside, strict=True):
            if not _WORD.fullmatch(one.strip()):
                argument = f"argument_{len(definitions) + 1}"
                definitions[argument] = one.strip()
                one = argument
            values[name] = parse(one)
        calls[key] = f"call_{len(calls) + 1}"
        definitions[calls[key]] = str(function.body.substitute(values))
        return calls[key]

    return _without_calls(text, known, put), definitions


def latex_with_calls(text: str, known: Mapping[str, Abbreviation]) -> str:
    r"""Return a formula as LaTeX in which functions of the problem keep their names.

    >>> print(latex_with_calls("P S(X)", abbreviations({"S(X)": "X X' X"})))
    P S\left(X\right)
    """
    shown: dict[str, str] = {}

    def put(function: Abbreviation, inside: Sequence[str]) -> str:
        placed = f"call_{len(shown) + 1}"
        arguments = ", ".join(parse(one).to_latex() for one in inside)
        called = parse(function.name).to_latex()
        shown[parse(placed).to_latex()] = rf"{called}\left({arguments}\right)"
        return placed

    found = parse(_without_calls(text, known, put)).to_latex()
    for placed, call in reversed(list(shown.items())):
        found = found.replace(rf"\, {placed}", placed).replace(placed, call)
    return found


def _without_calls(
    text: str, known: Mapping[str, Abbreviation], put: Callable[[Abbreviation, Sequence[str]], str]
) -> str:
    """Put something for every call of a function, from the last one to the first."""
    if not known or not isinstance(text, str):
        return text
    names = "|".join(sorted(known, key=len, reverse=True))
    calls = re.compile(rf"(?<![A-Za-z0-9_\\])({names})\s*\(")
    for _ in range(MOST_CALLS):
        found = list(calls.finditer(text))
        if not found:
            return text
        last = found[-1]  # no function is called in its arguments
        end = _closing(text, last.end() - 1)
        function = known[last[1]]
        inside = _separated(text[last.end() : end])
        if len(inside) != len(function.arguments):
            form = f"{function.name}({', '.join(function.arguments)})"
            raise FormulaError(f"{function.name} is declared as {form}.", text, last.start())
        text = f"{text[: last.start()]}{put(function, inside)}{text[end + 1 :]}"
        if len(text) > LONGEST:
            break
    raise FormulaError(_TOO_LONG, text[:LONGEST], 0)


def _closing(text: str, at: int) -> int:
    """Return where the bracket that opens at a place is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place
    raise FormulaError("This ( is never closed: ) is missing.", text, at)


def _separated(text: str) -> list[str]:
    """Split arguments at commas that are in no brackets."""
    found, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append(text[begin:place])
            begin = place + 1
    return [*found, text[begin:]]
