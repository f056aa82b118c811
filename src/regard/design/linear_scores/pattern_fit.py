"""From a pattern of weights to the parameters that reach it within a tolerance, if any do.

The limit of `exposed_face` reaches every pattern that can be reached at all, as closely
as wanted, and C is then the smallest that the tolerance allows. Where the pattern is out of reach,
weights near it may still be within the tolerance: see :mod:`regard.design.linear_scores.minimax`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.design.linear_scores.exposed_face import Face, widest
from regard.design.linear_scores.family import Array, Family, Pattern
from regard.design.linear_scores.smallest_scale import smallest_scale

__all__ = ["Limit", "reach_limit"]

# Relative to the largest: directions in which the wanted keys differ by less count as equal. The
# second is tried where the first leaves an error.
CUTOFFS = (1e-10, 1e-14)


@dataclass(frozen=True)
class Limit:
    """B(C) = inside + C · direction.

    Attributes:
        face: B_1 and B_0.
        scale: the smallest C that meets the tolerance; inf if none does.
        within: another tolerance ↦ the limit at the smallest C for that.
    """

    face: Face
    scale: float
    within: Callable[[float], Limit]

    def vector(self) -> Array:
        """B at the smallest C."""
        if self.face.direction is None:
            return self.face.inside
        return self.face.inside + self.scale * self.face.direction


def reach_limit(
    family: Family,
    pattern: Pattern,
    error: Callable[[Array], float],
    tolerance: float,
    tick: Callable[[float, float], None] = lambda lower, upper: None,
) -> Limit:
    """Find the smallest C for which B_1 + C · B_0 is within the tolerance.

    Args:
        family: the scores.
        pattern: the wanted weights.
        error: scores (m, n) ↦ the error, which falls to 0 as the weights approach the pattern.
        tolerance: the error allowed.
        tick: told the bounds of the margin while it is sought.
    """
    for cutoff in CUTOFFS:
        limit = _limit(family, widest(family, pattern, cutoff, tick), error, tolerance)
        if np.isfinite(limit.scale) or pattern.one_target:
            break
    return limit


def _limit(family: Family, face: Face, error: Callable[[Array], float], tolerance: float) -> Limit:
    base = family.scores(face.inside)
    if face.direction is None:
        # Nothing to scale: every key is wanted, or no direction separates.
        missed = error(base) if face.nearest is None else np.inf

        def within(allowed: float) -> Limit:
            return Limit(face, 0.0 if missed <= allowed else np.inf, within)

        return within(tolerance)
    rise = family.scores(face.direction)
    spread = float(np.max(base) - np.min(base))
    reachable = np.log(len(family.keys)) - np.log(min(tolerance, 0.5)) + spread
    enough = reachable / (face.margin * family.scale)

    def at(size: float) -> float:
        return error(base + size * rise)

    def smallest(allowed: float) -> Limit:
        return Limit(face, smallest_scale(at, allowed, enough), smallest)

    return smallest(tolerance)
