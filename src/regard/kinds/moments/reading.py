"""What an answer says about the moments of a score, and how near it comes to what is right.

A formula has to hold whatever numbers its symbols have. A number is an answer where the statement
tells the numbers that it depends on: all others vary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import numpy as np

from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.matrices import shape_words, with_own_names
from regard.checking.numbers import digits
from regard.checking.numbers.stated_numbers import stated
from regard.checking.sampling import TRIALS, generator
from regard.errors import InvalidAnswer
from regard.kinds.moments.instance.laws import DotProduct, PositionScore, Symbols, law_of
from regard.kinds.moments.spec import MomentsProblem
from regard.language import Formula

EXACT = 1e-8  # relative: of formulas that cancel, float64 gets no more digits right
COMPARED = 6  # drawn instances on which a factor has to be the same
_POSITIVE = re.compile(r"\bpositive\b|\bs\s*>\s*0")


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and the formulas of an answer.

    Attributes:
        problem: what is asked.
        law: of the score.
        answer: what was answered.
        told: the symbols whose numbers the statement tells.
        known: what fields may be off because of rounded factors, as far as worked out.
    """

    problem: MomentsProblem
    law: DotProduct | PositionScore
    answer: Answer
    told: frozenset[str]
    known: dict[str, float] = dataclass_field(default_factory=dict, repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """What is asked for."""
        return tuple(dict.fromkeys(self.problem.goal.find))

    @property
    def positive(self) -> bool:
        """Whether s is asked to be positive."""
        return bool(_POSITIVE.search(self.problem.statement))

    def fixed(self, name: str) -> frozenset[str]:
        """Return the symbols that keep their numbers: told, and not named by the field."""
        used = frozenset[str]().union(*(formula.names for formula in self.answer.behind(name)))
        return self.told - used

    def drawn(self, name: str, first: int = 0, count: int = TRIALS) -> list[Symbols]:
        """Return other numbers to try a field on; none where all are told."""
        fixed = self.fixed(name)
        if not self.law.free(fixed):
            return []
        return [self.law.draw(generator(first + seed), fixed) for seed in range(count)]

    def value(self, name: str, symbols: Symbols) -> float:
        """Return what the answer says: of s the size, unless it is asked to be positive."""
        # Dividing by -s does the same to the variance as dividing by s.
        found = self.signed(name, symbols)
        return abs(found) if name == "s" and not self.positive else found

    def signed(self, name: str, symbols: Symbols) -> float:
        """Return what the answer says; InvalidAnswer where that is no number."""
        own = self.answer.beside(*self.fields, "possible")
        names = with_own_names(self.answer, own, symbols)
        found = evaluate(name, without_name(name, self.answer.need(name)), names)
        if isinstance(found, bool | list | dict):
            raise InvalidAnswer(f"answer: {name} must be a formula or a number.")
        array = np.asarray(found, float)
        if array.shape != ():
            raise InvalidAnswer(
                f"answer: {name} must be a single number. It is {shape_words(array)}."
            )
        return float(array)

    def compared(self, name: str, symbols: Symbols, other: float | None = None) -> Comparison:
        """Return how far a field is from what is right, or from another number."""
        moments = self.law.right(symbols)
        right = moments[name] if other is None else other
        value = self.value(name, symbols)
        places = self._decimals(name)
        apart = abs(value - right) if value != right else 0.0
        if places is not None:
            allowed = digits.allowed(np.array(places), np.array(right))
            return Comparison(value, right, apart, float(allowed))
        # What should be 0 is compared with the standard deviation.
        size = abs(right) or moments["s"] or 1.0
        if name not in self.known:
            self.known[name] = max(EXACT, self._rounded_factor(name))
        return Comparison(value, right, apart / size, self.known[name])

    def _decimals(self, name: str) -> int | None:
        """Return the decimals of a number; None of a formula, which is exact."""
        field = without_name(name, self.answer.need(name))
        if not isinstance(field, Formula):
            value = np.asarray(field, float)
            return int(digits.of_numbers(value, self.answer.decimals.get(name)))
        if field.names:
            return None
        places = int(digits.of_formula(field, np.asarray(field.evaluate({}), float)))
        worked_out = places == digits.WORKED_OUT
        return None if worked_out and not digits.decimal_numbers(field) else places

    def _rounded_factor(self, name: str) -> float:
        """Return what a formula may be off because of a rounded factor, such as 1.414.

        It may be if it is off by the same factor everywhere, and by no more than the last digit
        of every decimal number in it.
        """
        rounded = [one for f in self.answer.behind(name) for one in digits.decimal_numbers(f)]
        if not rounded:
            return 0.0
        places = [self.law.plain(), *self.drawn(name, count=COMPARED)]
        with np.errstate(all="ignore"):
            ratios = np.array([self.value(name, at) / self.law.right(at)[name] for at in places])
        if not np.all(np.abs(ratios - ratios[0]) <= EXACT * np.abs(ratios[0])):
            return 0.0
        units = [float(digits.allowed(np.array(d), np.array(x))) / abs(x) for x, d in rounded]
        return min(units)


@dataclass(frozen=True)
class Comparison:
    """What an answer says beside what is right, how far apart they are, and may be."""

    value: float
    right: float
    error: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the two are the same number."""
        return bool(self.error <= self.tolerance)


def read(problem: MomentsProblem, answer: Answer) -> Asked:
    """Return the formulas of an answer."""
    if not isinstance(answer.fields.get("possible", True), bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    shown = stated(problem.statement, problem.given.parameters)
    return Asked(problem, law_of(problem), answer, shown)
