"""What is found of a score: its moments as formulas, and in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.analysis.moments import SimulatedMoments, simulate_dot_product
from regard.analysis.positions.interference import Interference
from regard.kinds.moments.instance.closed_forms import Formulas
from regard.kinds.moments.spec import DotProductGiven, PositionsScoreGiven
from regard.language import parse
from regard.solving.finding import Finding


@dataclass(frozen=True, eq=False, kw_only=True)
class DotProductMoments(Finding):
    """The moments of q'k.

    Attributes:
        given: what the problem says.
        formulas: of the score.
    """

    given: DotProductGiven
    formulas: Formulas

    @property
    def laws(self) -> tuple[str, ...]:
        """Mean and variance of the entries of q and then of k, with assumptions put in."""
        return tuple(str(self.formulas.names[name]) for name in ("m_q", "v_q", "m_k", "v_k"))

    @property
    def numbers(self) -> dict[str, float]:
        """All symbols of the instance."""
        return {**self.given.parameters, **self.given.assume}

    @property
    def entries(self) -> tuple[float, ...]:
        """Mean and variance of the entries of q and then of k, in the instance."""
        return tuple(map(self.at, self.laws))

    def at(self, text: str, **other: float) -> float:
        """The number that a formula is for the instance."""
        return float(np.asarray(parse(text).evaluate({**self.numbers, **other})))

    def simulated(self, samples: int) -> SimulatedMoments:
        """The moments of a sample of normal vectors, with their standard errors."""
        a, v, b, w = self.entries
        size = int(self.numbers[self.formulas.size])
        one, unit = np.ones(size), np.eye(size)
        if self.given.same:
            return simulate_dot_product(
                a * one, v * unit, a * one, v * unit, v * unit, samples=samples
            )
        return simulate_dot_product(a * one, v * unit, b * one, w * unit, samples=samples)


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionMoments(Finding):
    """The moments of the score of equal contents with positions added to both.

    Attributes:
        given: what the problem says.
        formulas: of the score, in the reading of the problem.
        now: the same in numbers of the instance.
    """

    given: PositionsScoreGiven
    formulas: Formulas
    now: Interference
