"""What an answer says about its factor with an inequality: `C >= 10`, `5 <= C < 9`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.errors import InvalidAnswer
from regard.language import Formula

LEAST, MOST = 1e-3, 1e300  # where nothing is said
STEPS, FEW = 121, 13  # factors between the bounds
NEAR = 1e6  # without an upper bound most factors are up to this many times the lower one
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

    def factors(self, evaluated: Evaluate, *, fine: bool = False) -> tuple[float, ...]:
        """Return factors within the bounds, both ends among them.

        Args:
            evaluated: works a bound out.
            fine: whether there are to be many.

        Raises:
            InvalidAnswer: there are none, or a bound is no number.
        """
        high = min((self._number(one, evaluated) for one in self.high), default=MOST)
        least = LEAST if high > LEAST else -NEAR * max(1.0, abs(high))
        low = max((self._number(one, evaluated) for one in self.low), default=least) or LEAST
        high = max(high, low) if not self.high else high
        if not low <= high:
            raise InvalidAnswer(f"answer: {self.name}: no number is within these bounds.")
        if not (np.isfinite(low) and np.isfinite(high)):
            return (low, high)
        if high == low:
            return (low,)
        steps, middle = STEPS if fine else FEW, min(high, NEAR * max(1.0, abs(low)))
        found = _spread(low, middle, steps)
        if middle < high:
            found += _spread(middle, high, steps)[1:]
        return tuple(found)

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


def _spread(low: float, high: float, steps: int) -> list[float]:
    """Return numbers that are evenly spaced near 0, and far from it as their logarithms are."""
    inner = np.sinh(np.linspace(np.arcsinh(low), np.arcsinh(high), steps)[1:-1])
    return [low, *inner.tolist(), high]
