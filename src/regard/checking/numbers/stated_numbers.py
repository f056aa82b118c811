"""Which numbers of a problem its statement tells.

A problem has a number for each of its symbols, for instances to be made from. Whoever answers sees
the statement only: where that asks in symbols, an answer in numbers is about one instance and not
an answer. Where it says `T = 3`, or never names T and speaks of 3 steps, 3 is as good as T.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from regard.language.formula.vocabulary import NAME_PATTERN, normalised

_NAME = re.compile(NAME_PATTERN)
_NUMBER = r"[-−]?\s*(?:\\frac\s*\{\s*\d+\s*\}\s*\{\s*\d+\s*\}|\d+(?:\.\d+)?(?:\s*/\s*\d+)?)"
_VALUE = re.compile(rf"[\s$`}}]*(?:=|:|\bis\b|\bequals\b)[\s$`{{]*({_NUMBER})")
_ANY = re.compile(rf"(?<![\w.]){_NUMBER}(?![\w.]*\d)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def stated(statement: str, numbers: Mapping[str, float]) -> frozenset[str]:
    r"""Return the names whose numbers a statement tells.

    >>> numbers = {"d_model": 4, "mu": 1, "T": 5}
    >>> sorted(stated(r"with $d_{model} = 4$ and $\mu$, five steps", numbers))
    ['T', 'd_model']
    """
    named = _named(statement)
    loose = {abs(_number(found[0])) for found in _ANY.finditer(statement)}
    loose |= {float(_WORDS.index(word)) for word in named if word in _WORDS}
    return frozenset(
        name
        for name, number in numbers.items()
        if (number in named[name] if name in named else abs(number) in loose)
    )


def left_open(statement: str, *names: str) -> frozenset[str]:
    r"""Return those of the names that a statement uses and never gives a number.

    >>> sorted(left_open(r"$n = 4$ keys, at least $1 - \varepsilon$", "n", "epsilon", "R"))
    ['epsilon']
    """
    named = _named(statement)
    return frozenset(name for name in names if name in named and not named[name])


def _named(statement: str) -> dict[str, list[float]]:
    """Return the names in a statement, each with the numbers that it is said to be."""
    named: dict[str, list[float]] = {}
    for found in _NAME.finditer(statement):
        values = named.setdefault(normalised(found[0]), [])
        value = _VALUE.match(statement, found.end())
        if value:
            values.append(_number(value[1]))
    return named


def _number(text: str) -> float:
    plain = re.sub(r"\\frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}", r"\1/\2", text)
    above, _, below = re.sub(r"\s", "", plain).replace("−", "-").partition("/")
    return float(Fraction(above) / (Fraction(below) or 1)) if below else float(Fraction(above))
