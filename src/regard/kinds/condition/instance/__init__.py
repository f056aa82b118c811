"""Scores, or keys, with the effect worked out; and the gaps between scores that it takes.

With others s_1, …, the effect is there from s_0 = base + level on. For the mass that is
level = ln((1 − ε)/ε) above the log-sum-exp of the others, for pairs ln R above their largest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.kinds.condition.spec import ConditionProblem

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Instance:
    """Scores, or keys, of which the first is the one asked about.

    Attributes:
        scores: (n,).
        effect: whether what is asked about happens.
        keys: (n, d), where keys are given.
        queries: those among which one may be found.
        margin: by how much the effect is there, or is missed where below 0: in scores, or of a
            lead in proportion to the scores.
        tie: whether another key is exactly as good.
        epsilon: the share that others may have.
        ratio: what a weight is compared by.
        seed: draws it again, or None.
    """

    scores: Float64
    effect: bool
    keys: Float64 | None = None
    queries: tuple[Float64, ...] = ()
    margin: float = 0.0
    tie: bool = False
    epsilon: float = 0.01
    ratio: float = 100.0
    seed: int | None = None

    @property
    def n(self) -> int:
        """How many keys."""
        return len(self.scores)


@dataclass(frozen=True)
class Level:
    """By how much a score must be above what the others come to.

    Attributes:
        pairs: whether it is compared with each other score, or with all of them together.
        epsilon: the share that the others may have together.
        ratio: of the weight to each other one.
    """

    pairs: bool
    epsilon: float
    ratio: float

    @property
    def above(self) -> float:
        """The level: ln R, or ln((1 − ε)/ε)."""
        if self.pairs:
            return math.log(self.ratio)
        return math.log1p(-self.epsilon) - math.log(self.epsilon)

    def base(self, others: Float64) -> float:
        """Return what the others come to: their largest score, or their log-sum-exp."""
        largest = float(np.max(others))
        if self.pairs:
            return largest
        return largest + math.log(float(np.sum(np.exp(others - largest))))

    def enough(self, n: int) -> float:
        """Return the gap to every other score that is enough among n keys."""
        return self.above + self.base(np.zeros(n - 1))

    def instance(self, scores: Float64, seed: int | None = None) -> Instance:
        """Return scores, with the effect worked out."""
        margin = float(scores[0]) - self.base(scores[1:]) - self.above
        return Instance(
            scores, margin >= 0, margin=margin, epsilon=self.epsilon, ratio=self.ratio, seed=seed
        )


def level_of(
    problem: ConditionProblem, epsilon: float | None = None, ratio: float | None = None
) -> Level:
    """Return the level that a problem asks about, or that with another share or ratio."""
    goal = problem.goal
    return Level(goal.effect == "pairwise", epsilon or goal.epsilon, ratio or goal.ratio)


def first_and_rest(first: float, rest: float, n: int) -> Float64:
    """Return n scores: one, and all others alike."""
    return np.append(first, np.full(n - 1, rest))
