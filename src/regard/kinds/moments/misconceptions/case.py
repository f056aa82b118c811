"""A wrong field, and the formulas that a mistake leads to.

Each is written once, in the formula language. An answer is compared with what it comes to, and
with the symbols of a problem put in it is the answer that somebody with this idea would give.
Names as in `instance`; M, V and s are the right mean, variance and divisor, w the variance that is
wanted, V_c and V_p the variances of the cross terms and of the products of positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from regard.checking.mistakes import Mistake
from regard.kinds.moments.instance.laws import (
    DotProduct,
    PositionScore,
    Symbols,
    law_of,
    moments,
    parsed,
)
from regard.kinds.moments.reading import EXACT, Asked
from regard.kinds.moments.spec import MomentsProblem
from regard.language.polynomials import factored

Law = DotProduct | PositionScore
# Formulas, each with the fields it is of: "variance s" is a variance, and s is taken from it.
Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A field that is wrong, at the numbers of the problem and at drawn ones."""

    asked: Asked
    field: str
    places: tuple[Symbols, ...]

    @cached_property
    def values(self) -> np.ndarray:
        """What the answer says, one number per place."""
        return np.array([self.asked.value(self.field, at) for at in self.places])

    @cached_property
    def numbers(self) -> list[Symbols]:
        """What formulas may use, for each place."""
        return [_numbers(self.asked.law, at) for at in self.places]

    @cached_property
    def factor(self) -> float | None:
        """The number that the field is times what is right, where it is the same everywhere."""
        if len(self.places) < 2:
            return None
        right = np.array([self.asked.law.right(at)[self.field] for at in self.places])
        with np.errstate(all="ignore"):
            ratios = self.values / right
        if not np.all(np.isfinite(ratios)) or not ratios[0]:
            return None
        same = bool(np.all(np.abs(ratios / ratios[0] - 1) <= EXACT))
        return float(ratios[0]) if same else None

    def is_said(self, value: float, at: Symbols) -> bool:
        """Whether the answer says this number at a place."""
        return math.isfinite(value) and self.asked.compared(self.field, at, value).agrees


def _numbers(law: Law, at: Symbols) -> Symbols:
    right = law.right(at)
    names = {"M": right["mean"], "V": right["variance"], "s": right["s"], "w": law.wanted}
    return law.numbers(at) | names


def _formulas(rows: dict[str, Rows], law: Law, field: str) -> Iterator[tuple[str, bool]]:
    """Return the formulas of a field, and whether each is a variance whose root is taken."""
    for name in law.names:
        for fields, text in rows.get(name, ()):
            if field in fields.split():
                yield text, field == "s" and fields != "s"


def _value(text: str, rooted: bool, numbers: Symbols) -> float:
    found = float(parsed(text).evaluate(numbers))
    return moments(0.0, found, numbers["w"])["s"] if rooted else found


def _shows(rows: dict[str, Rows], case: Case) -> bool:
    """Whether the field is what one of the formulas comes to, everywhere."""
    return any(
        all(
            case.is_said(_value(*formula, numbers), at)
            for numbers, at in zip(case.numbers, case.places, strict=True)
        )
        for formula in _formulas(rows, case.asked.law, case.field)
    )


def _wrong(rows: dict[str, Rows], problem: MomentsProblem) -> dict[str, str] | None:
    """Return the formulas in the symbols of the problem; None where they are right, or of 0."""
    law = law_of(problem)
    formulas = law.formulas()
    right = formulas.answer(problem.goal.find)
    answer = dict(right)
    for field in right:
        text, rooted = next(_formulas(rows, law, field), ("", False))
        if text:
            found = formulas.put_in(text)
            answer[field] = formulas.divisor(found) if rooted else factored(found, formulas.size)
    return answer if formulas.varies and answer != right else None


def leads(
    tag: str, sentence: str, *, idea: str = "", **rows: Rows
) -> Mistake[MomentsProblem, Case]:
    """Return a mistake that leads to formulas, listed by the law that they are wrong for."""
    return Mistake(tag, sentence, partial(_shows, rows), partial(_wrong, rows), idea)
