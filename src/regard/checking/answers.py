"""Answers: fields of formulas and numbers, and what they come to.

`answer_reading` makes one of a file or a dict. An answer that cannot be read or evaluated is an
InvalidAnswer; one that can and is not right gets a verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import FormulaError, InvalidAnswer
from regard.language import Formula, Limit
from regard.language.formula.vocabulary import GREEK_WORDS

Float64 = NDArray[np.float64]
Value = float | Float64
EULER = "e"  # as in e/(1 + e), where no symbol of the problem has that name


@dataclass(frozen=True, eq=False)
class Answer:
    """The fields of an answer.

    Attributes:
        fields: formulas (of texts), limits such as "C -> inf", numbers and arrays, true or false,
            lists of tables; by name.
        problem: the id that an answer file names, or None.
        decimals: how many each number is written with, by name and nested as the field is.
        seed: of the variant that the answer is to, or None.
    """

    fields: Mapping[str, Any]
    problem: str | None = None
    decimals: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def need(self, name: str, *others: str) -> Any:
        """Return a field, under any of these names; InvalidAnswer where it is missing."""
        for one in (name, *others):
            if one in self.fields:
                return self.fields[one]
        given = ", ".join(self.fields) or "nothing"
        plain = {one.replace("_", "").casefold(): one for one in self.fields}
        near = plain.get(name.replace("_", "").casefold())
        fix = "." if near is None else f": write {name} for {near}."
        raise InvalidAnswer(f"answer: {name} is missing. Got {given}{fix}")

    def has(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self.fields

    def only(self, *names: str) -> None:
        """Raise InvalidAnswer where there is a field that is not among names."""
        unknown = sorted(set(self.fields) - set(names))
        if unknown:
            raise InvalidAnswer(
                f"answer: {unknown[0]} is no field of this kind of problem: use {', '.join(names)}."
            )

    def beside(self, *names: str) -> tuple[str, ...]:
        """Return the names that the answer declares for itself, beside these fields."""
        return tuple(name for name in self.fields if name not in names)

    @property
    def used(self) -> frozenset[str]:
        """The names that formulas of the answer use."""
        formulas = [said for said in self.fields.values() if isinstance(said, Formula)]
        return frozenset[str]().union(*(formula.names for formula in formulas))

    def behind(self, name: str) -> list[Formula]:
        """Return the formulas that a field is made of, also through names the answer declares."""
        found: list[Formula] = []
        left, seen = [name], {name}
        while left:
            said = self.fields.get(left.pop())
            if isinstance(said, Formula):
                found.append(said)
                new = said.names - seen
                seen |= new
                left += new
        return found

    def value(
        self,
        name: str,
        symbols: Mapping[str, Value],
        *,
        context: str = "this problem",
    ) -> Value | bool:
        """Evaluate a field with these symbols; numbers are themselves.

        Raises:
            InvalidAnswer: the field is missing, uses names that are not declared, or has shapes
                that do not fit.
        """
        return evaluate(name, self.need(name), symbols, context=context)


def evaluate(
    name: str, field: Any, symbols: Mapping[str, Value], *, context: str = "this problem"
) -> Value | bool:
    """Evaluate what an answer says under `name`."""
    if isinstance(field, Limit):
        raise InvalidAnswer(f"answer: {name} must be a formula or numbers, not a limit.")
    if not isinstance(field, Formula):
        return np.asarray(field, float) if isinstance(field, np.ndarray) else field
    if EULER in field.names and EULER not in symbols:
        symbols = {**symbols, EULER: math.e}
    unknown = sorted(field.names - set(symbols))
    if unknown:
        declared = sorted(one for one in symbols if not _STAND_IN.fullmatch(one))
        raise InvalidAnswer(
            f"answer: {name}: {unknown[0]} is not a name in {context}."
            f"{_meant(unknown[0], symbols)} Declared are {', '.join(declared)}."
        )
    try:
        return field.evaluate(symbols)
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None


_STAND_IN = re.compile(r"m_\d+")  # what a sum over an index was taken out as
_AVERAGE = "The average of two is written 1/2 (x + y)."
_WORDS_FOR = {
    "add": "A sum is written x + y.",
    "softplus": "It is written log(1 + exp(x)).",
    "logsumexp": "It is written log(sum(exp(x))).",
    "tril": "A matrix of ones up to the diagonal is written causal(n).",
    "eye": "The identity is written I, or I(n) with its size.",
    "cosh": "It is written (exp(x) + exp(-x))/2.",
    "sinh": "It is written (exp(x) - exp(-x))/2.",
    **dict.fromkeys(("mean", "avg", "average"), _AVERAGE),
    "matmul": "A product of matrices is written A B.",
    "einsum": "A product of matrices is written A B, and A B' with the second transposed.",
    **dict.fromkeys(
        ("a", "an", "is", "for", "where", "with", "times", "large", "big", "number", "the"),
        "A field holds a formula, without words: a factor that may be as large as one likes is "
        "called C.",
    ),
    **dict.fromkeys(("all", "every", "each"), "A condition is meant for all: leave the word out."),
}


def _meant(unknown: str, symbols: Mapping[str, Value]) -> str:
    """Say what an undeclared name may stand for, where that can be told."""
    for known in sorted(symbols):
        if known.replace("_", "").casefold() == unknown.replace("_", "").casefold():
            return f" Is {known} meant?"
        if len(unknown) > 2 and known.startswith(unknown):  # eps
            return f" Is {known} meant?"
    for at in range(1, len(unknown)):
        if unknown[:at] in symbols and unknown[at:] in symbols:
            return f" For the product write {unknown[:at]} {unknown[at:]}, with a space."
    if unknown in _WORDS_FOR:
        return f" {_WORDS_FOR[unknown]}"
    base = unknown.rstrip("0123456789")
    indexed = [known for known in sorted(symbols) if known.startswith(f"{base}_")]
    if base != unknown and indexed:
        return f" An index follows an underscore, as in {indexed[0]}."
    if "C" in symbols and (len(unknown) == 1 or unknown in GREEK_WORDS):
        return " A factor that may be as large as one likes is called C."
    if len(unknown) > 3 and unknown.isalpha() and unknown not in GREEK_WORDS:
        return " A field holds a formula, without words."
    return ""


def without_name(name: str, said: Any) -> Any:
    """Return a field; `s = sqrt(D)`, with its name before it, is sqrt(D)."""
    if isinstance(said, Formula) and said.relations == ("=",) and str(said.sides[0]) == name:
        return said.sides[1]
    return said
