"""What findings about one query have in common where keys are not random, or nothing is solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.errors import RegardError
from regard.kinds.heads.solve.averaged_heads import AveragedHeads
from regard.kinds.heads.solve.pattern import Pattern
from regard.problems.instances import Float64, KeyInstance
from regard.solving.finding import Finding
from regard.solving.key_tables import softmax


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryFinding(Finding):
    """A query (d,) of the answer, or the closest that was found, and what one head is asked for."""

    heads: AveragedHeads
    query: Float64

    @property
    def pattern(self) -> Pattern:
        """The weights that are wanted, and the formula for them."""
        return self.heads.whole

    @property
    def instance(self) -> KeyInstance:
        """Keys (for random ones their means) and values."""
        return self.heads.instance

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
    """Neither a query nor an obstruction was proved; `refusal` is what the design says."""

    refusal: RegardError
