"""Find the blocks of a head that looks T steps back: how large they must be, and the proof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import regard.design
from regard.analysis.root_finding import crossing
from regard.certify import Certificate
from regard.design.positions.offset import leak
from regard.design.positions.result import PositionalDesign
from regard.errors import UndecidedDesign
from regard.kinds.offset.rivals import Rival, rises, scores, strongest
from regard.kinds.offset.spec import OffsetGiven, OffsetProblem
from regard.problems.positions import Float64 as Array
from regard.problems.positions import frequencies
from regard.solving.closed_forms import SUFFICIENT_GAP
from regard.solving.finding import Finding, Status, at_least
from regard.solving.refusals import in_words

ANSWER = {
    "block": "[[cos(w_i T), -sin(w_i T)], [sin(w_i T), cos(w_i T)]]",
    "off_block": "[[0, 0], [0, 0]]",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Rotation(Finding):
    """Blocks that turn by w_i T, and the size that the tolerance needs.

    Attributes:
        given: the positions.
        tolerance: what all other keys together may get.
        design: W_Q and W_K, and which blocks they keep.
    """

    given: OffsetGiven
    tolerance: float
    design: PositionalDesign

    @property
    def d_k(self) -> int:
        """How wide W_Q and W_K are."""
        return int(self.design.W_Q.shape[1])

    @cached_property
    def omega(self) -> Array:
        """The frequencies w_i of all blocks."""
        return frequencies(self.given.d_model, self.given.base)

    @cached_property
    def used(self) -> Array:
        """The frequencies of the blocks that are kept."""
        return self.omega[list(self.design.kept)]

    @cached_property
    def rise(self) -> Array:
        """How far shift T is above shift T + u, for u = 1 … n − 1, with blocks of size 1."""
        return rises(self.used, self.given.n - 1)

    @property
    def gap(self) -> float:
        """The least gap: how far shift T is above its strongest rival, for blocks of size 1."""
        return strongest(self.rise).gap

    @property
    def rival(self) -> int:
        """The strongest rival is shift T + u for this u."""
        return strongest(self.rise).shift

    @property
    def first_block_alone(self) -> Rival:
        """The strongest rival where the fastest block is the only one."""
        return strongest(rises(self.omega[:1], self.given.n - 1))

    def scores_at(self, shifts: Array, turned: int) -> Array:
        """Return the scores of shifts with blocks of size 1 that turn by w_i `turned`."""
        return scores(shifts - turned, self.used)

    @cached_property
    def size(self) -> float:
        """The smallest C with which every query gives 1 − tolerance to its key."""
        return _smallest(self.rise, self.tolerance)

    @property
    def enough(self) -> float:
        """A C that is enough if every rival were the strongest."""
        return _enough(self.gap, self.given.n, self.tolerance)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoScale(Finding):
    """The blocks are known, and no size of them could be certified.

    Attributes:
        reason: what the design says.
    """

    reason: str


def solve(problem: OffsetProblem) -> Rotation | NoScale:
    """Return the blocks of A, the size that the tolerance needs, and its proof."""
    given, tolerance = problem.given, problem.goal.tolerance
    try:
        design = regard.design.offset(
            given.T, given.d_model, n=given.n, tolerance=tolerance, d_k=given.d_k, base=given.base
        )
    except UndecidedDesign as error:
        return NoScale(Status.UNDECIDED, ANSWER, Certificate({}, ()), reason=in_words(error))
    return Rotation(
        Status.PROVED,
        ANSWER,
        design.certificate,
        reaches=at_least(design.certificate, ("offset_mass",), 1 - tolerance),
        given=given,
        tolerance=tolerance,
        design=design,
    )


def _smallest(rise: Array, tolerance: float) -> float:
    """Return the size of the blocks from which on the least weight is 1 − tolerance."""

    def excess(size: float) -> float:
        return math.log(leak(rise, size)) - math.log(tolerance / (1 - tolerance))

    high = _enough(float(np.min(rise)), len(rise) + 1, tolerance)
    low = high / 2
    while excess(low) <= 0:
        low /= 2
    while excess(high) > 0:  # by a unit of rounding, where the bound is exact
        high *= 1 + 1e-12
    return crossing(excess, low, high)


def _enough(gap: float, n: int, tolerance: float) -> float:
    """Return a size of the blocks that is certainly enough: all n − 1 others as near as the gap."""
    return SUFFICIENT_GAP.value(n=n, epsilon=tolerance) / gap
