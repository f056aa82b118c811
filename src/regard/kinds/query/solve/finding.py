"""What every finding about one query has, and those that say less than a solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.errors import RegardError
from regard.kinds.heads.solve.pattern import Pattern
from regard.problems.instances import KeyInstance
from regard.solving.finding import Finding
from regard.solving.key_tables import softmax

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryFinding(Finding):
    """A query, and what was wanted of it.

    Attributes:
        pattern: the weights that are wanted, and the formula for them.
        instance: keys (for random ones their means) and values.
        query: (d,), of the answer, or the closest that was found.
    """

    pattern: Pattern
    instance: KeyInstance
    query: Float64

    @property
    def scores(self) -> Float64:
        """The scores of all keys, at their means."""
        return np.asarray(self.pattern.scale * (self.instance.keys @ self.query))

    @property
    def weights(self) -> Float64:
        """The weights of all keys, at their means."""
        return softmax(self.scores)


@dataclass(frozen=True, eq=False, kw_only=True)
class Undecided(QueryFinding):
    """Neither a query nor an obstruction was proved.

    Attributes:
        refusal: what the design says.
        random: whether keys are random, so that weights at their means say little.
    """

    refusal: RegardError
    random: bool = False
