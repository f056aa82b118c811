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

from regard.checking.typed.names import SENTENCE, field_meant, instead_of, meant
from regard.errors import FormulaError, InvalidAnswer
from regard.language import Formula, Limit

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
        near = [one for one in self.fields if field_meant(one, [name])]
        fix = f": write {name} for {near[0]}." if near else "."
        raise InvalidAnswer(f"answer: {name} is missing. Got {given}{fix}")

    def has(self, name: str) -> bool:
        """Whether an answer gives a field of this name."""
        return name in self.fields

    def only(self, *names: str) -> None:
        """Raise InvalidAnswer where there is a field that is not among names."""
        unknown = sorted(set(self.fields) - set(names))
        if unknown:
            raise InvalidAnswer(
                f"answer: {unknown[0]} is no field of this kind of problem: use "
                f"{', '.join(names)}.{instead_of(unknown[0], names)}"
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
        word = repr(unknown[0]) if unknown[0] in SENTENCE else unknown[0]
        raise InvalidAnswer(
            f"answer: {name}: {word} is not a name in {context}."
            f"{meant(unknown[0], symbols, unknown)} Declared are {', '.join(declared)}.",
            field=name,
        )
    try:
        return field.evaluate(symbols)
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None


_STAND_IN = re.compile(r"m_\d+")  # what a sum over an index was taken out as


def without_name(name: str, said: Any) -> Any:
    """Return a field; `s = sqrt(D)`, with its name before it, is sqrt(D)."""
    if isinstance(said, Formula) and said.relations == ("=",) and str(said.sides[0]) == name:
        return said.sides[1]
    return said
