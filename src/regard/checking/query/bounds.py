"""What an answer says about its factor with an inequality: `C >= 10`, `5 <= C < 9`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.errors import InvalidAnswer
from regard.language import Formula

LEAST, MOST = 1e-3, 1e6  # where nothing is said
STEPS = 7  # factors between the bounds
Evaluate = Callable[[str, Formula], object]


@dataclass(frozen=True)
class Bounds:
    """The factors that an answer speaks of.

    Attributes:
        name: of the factor.
        low: formulas that it is at least.
        high: formulas that it is at most.
    """

    name: str
    low: tuple[Formula, ...]
    high: tuple[Formula, ...]

    def factors(self, evaluated: Evaluate) -> tuple[float, ...]:
        """Return factors within the bounds, both ends among them.

        Raises:
            InvalidAnswer: there are none, or a bound is no number.
        """
        low = max((self._number(one, evaluated) for one in self.low), default=LEAST)
        low = max(low, LEAST)
        high = min((self._number(one, evaluated) for one in self.high), default=max(MOST, low))
        if not low <= high:
            raise InvalidAnswer(f"answer: {self.name}: no number is within these bounds.")
        return tuple(np.geomspace(low, high, STEPS if high > low else 1).tolist())

    def _number(self, formula: Formula, evaluated: Evaluate) -> float:
        found = evaluated(self.name, formula)
        if isinstance(found, bool) or not isinstance(found, float) or np.isnan(found):
            raise InvalidAnswer(f"answer: {self.name}: {formula} is no number to be a bound.")
        return found


def read_bounds(name: str, said: Formula) -> Bounds:
    """Return the bounds that an inequality says; InvalidAnswer where it is of another form."""
    sides = said.sides
    at = [i for i, side in enumerate(sides) if str(side) == name]
    ups = all(relation in ("<", "<=") for relation in said.relations)
    downs = all(relation in (">", ">=") for relation in said.relations)
    others = [side for side in sides if name in side.names and str(side) != name]
    if len(at) != 1 or others or not (ups or downs):
        raise InvalidAnswer(
            f"answer: {name} must be a number, a formula, or bounds such as {name} >= 10."
        )
    below, above = sides[: at[0]], sides[at[0] + 1 :]
    return Bounds(name, below, above) if ups else Bounds(name, above, below)
