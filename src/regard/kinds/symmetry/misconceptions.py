"""What is got wrong about symmetries, seen by repairing what an answer says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.mistakes import Mistake
from regard.checking.sampling import generator
from regard.errors import FormulaError
from regard.kinds.symmetry.reading import Said
from regard.kinds.symmetry.spec import SymmetryProblem
from regard.language import parse
from regard.problems.assertions import Assertion
from regard.problems.symbols import Values

__all__ = ["MISTAKES", "OFTEN", "Case"]

DRAWS = 5
CLOSE = 1e-7


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer.

    Attributes:
        problem: what is asked.
        said: what the answer says.
        invariant: whether the output stays the same; None where that is not decided or asked.
        wrong: whether the formula of the answer is wrong.
    """

    problem: SymmetryProblem
    said: Said
    invariant: bool | None
    wrong: bool

    def draws(self) -> Iterator[Values]:
        """Return numbers for all symbols."""
        given = self.said.given
        for seed in range(DRAWS):
            yield given.draw(generator(800 + seed), given.sizes(seed % 3 * 2), 2)

    def right_as(self, formula: str, turned: Mapping[str, str] | None = None) -> bool:
        """Whether the answer would be right as another formula, which may use `answer`."""
        if not self.wrong:
            return False
        found = [
            self._holds(part, values, formula, turned or {})
            for values in self.draws()
            for part in self.said.assertion
        ]
        return any(found) and False not in found

    def _holds(
        self, part: Assertion, values: Values, formula: str, turned: Mapping[str, str]
    ) -> bool | None:
        """Say whether both sides are the same; None where one is not finite."""
        name = self.problem.unknown
        put = {one: parse(text) for one, text in turned.items()}
        said = str(parse(self.said.formula).substitute(put))
        changed = formula.replace("answer", f"({said})")
        known = dict(values)
        try:
            with np.errstate(all="ignore"):
                for one, text in part.where.items():
                    known[one] = parse(changed if one == name else text).evaluate(known)
                left = parse(part.left).evaluate(known)
                right = parse(part.right if name else changed).evaluate(known)
        except FormulaError:
            return False
        found, wanted = np.asarray(left, float), np.asarray(right, float)
        if not (np.all(np.isfinite(found)) and np.all(np.isfinite(wanted))):
            return None
        room = CLOSE * max(1.0, float(np.max(np.abs(found))))
        return found.shape == wanted.shape and bool(np.all(np.abs(found - wanted) <= room))


def _by_the_inverse(case: Case) -> bool:
    turned = {name: f"{name}'" for name in case.problem.given.permutations}
    return bool(turned) and case.right_as("answer", turned)


def _other_power(case: Case) -> bool:
    numbers = [name for name, shape in case.problem.given.shapes.items() if not shape]
    return any(
        case.right_as(f"{name}^({power}) answer")
        for name in numbers
        for power in ("-4", "-3", "-2", "-1", "1", "2", "3", "4")
    )


def _is_zero(case: Case) -> bool:
    """Whether the unknown is said to be 0, whatever is given."""
    if not case.problem.unknown:
        return False
    for values in case.draws():
        found = parse(case.said.formula).evaluate({**values, **_sized(case, values)})
        if np.any(np.abs(np.asarray(found)) > CLOSE):
            return False
    return True


def _sized(case: Case, values: Values) -> Values:
    return {name: values[name] for name in case.problem.given.size_names}


def _stays(case: Case) -> bool:
    return case.said.invariant is True and case.invariant is False


def _matters(case: Case) -> bool:
    return case.said.invariant is False and case.invariant is True


def _only(name: str, value: bool) -> Callable[[SymmetryProblem, Mapping[str, Any]], Iterator[Any]]:
    """Make a wrong answer out of the right one: the other word."""

    def spoiled(problem: SymmetryProblem, right: Mapping[str, Any]) -> Iterator[Any]:
        if name in right and right[name] is not value:
            yield {**right, name: value}

    return spoiled


def _turned_round(problem: SymmetryProblem, right: Mapping[str, Any]) -> Iterator[Any]:
    for field in ("becomes", problem.unknown):
        if isinstance(right.get(field), str):
            turned = {name: parse(f"{name}'") for name in problem.given.permutations}
            if turned:
                yield {**right, field: str(parse(right[field]).substitute(turned))}


MISTAKES: tuple[Mistake[SymmetryProblem, Case], ...] = (
    Mistake(
        "invariance-claimed",
        "The output does not stay the same:\nwhat is done to the input shows in it.",
        _stays,
        idea="The output stays the same",
        spoiled=_only("invariant", True),
    ),
    Mistake(
        "change-said-to-matter",
        "The output stays the same for all inputs:\nwhat the change brings in cancels.",
        _matters,
        idea="The change shows in the output",
        spoiled=_only("invariant", False),
    ),
    Mistake(
        "all-zero",
        "With 0 the equation says nothing:\nsomething other than 0 is asked for.",
        _is_zero,
        idea="Nothing at all",
        spoiled=lambda problem, right: (
            [{problem.unknown: f"0 ({right[problem.unknown]})"}] if problem.unknown in right else []
        ),
    ),
    Mistake(
        "inverse-permutation",
        "The permutation goes the wrong way:\nits inverse, which is its transpose, would be right.",
        _by_the_inverse,
        idea="The permutation the other way round",
        spoiled=_turned_round,
    ),
    Mistake(
        "other-power-of-a-number",
        "It would be right times a power of a number that is given.",
        lambda case: case.wrong and _other_power(case),
    ),
    Mistake(
        "inverse-for-transpose",
        "Its inverse, or the transpose of its inverse, would be right.",
        lambda case: case.right_as("answer^-1") or case.right_as("(answer^-1)'"),
    ),
    Mistake(
        "transposed-solution",
        "Transposed it would be right.",
        lambda case: case.right_as("answer'"),
    ),
)
OFTEN = ("invariance-claimed", "change-said-to-matter", "inverse-permutation", "all-zero")
BY_EXAMPLE = True
