"""From a pattern of weights to the parameters that reach it within a tolerance, if any do.

Three ways, tried in this order. The limit of :mod:`regard.design.face` reaches every pattern that
can be reached at all, as closely as wanted, and C is then the smallest that the tolerance allows.
Where the pattern is out of reach, the closest one in divergence may still be within the
tolerance; and from there a descent on the error itself may get within it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from regard.design.entropy import Closest, closest
from regard.design.face import Face, widest
from regard.design.family import Array, Family, Pattern, softmax
from regard.design.scaling import differences, off_target, smallest_scale

__all__ = ["Limit", "descend", "nearby", "reach_limit"]

# Relative to the largest: directions in which the wanted keys differ by less count as equal. The
# second is tried where the first leaves an error.
CUTOFFS = (1e-10, 1e-14)
STARTS = 24
MOST_NUMBERS = 2_000_000  # a descent passes over all keys hundreds of times


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


def nearby(
    family: Family, pattern: Pattern, values: Array | None, tolerance: float
) -> tuple[Closest, Array | None]:
    """The closest parameters in divergence, and some within the tolerance if any were found."""
    near = closest(family, pattern)
    error = off_target(pattern, values)
    if error(family.scores(near.vector)) <= tolerance:
        return near, near.vector
    if family.keys.size * len(family.rows) > MOST_NUMBERS:
        return near, None
    for start in _starts(family, near.vector, many=values is not None):
        found = descend(family, pattern, values, start)
        if error(family.scores(found)) <= tolerance:
            return near, found
    return near, None


def _starts(family: Family, near: Array, many: bool) -> Iterator[Array]:
    """Where a descent may begin. With values, weights far from the pattern may do as well."""
    yield near
    if not many:
        return
    rng = np.random.default_rng(0)
    size = float(
        np.linalg.norm(family.curvature(np.full((1, len(family.keys)), 1 / len(family.keys))))
    )
    for _ in range(STARTS):
        direction = rng.standard_normal(family.size)
        yield direction * (10 ** rng.uniform(-1, 1.5) / max(np.sqrt(size), 1e-300))


def descend(family: Family, pattern: Pattern, values: Array | None, start: Array) -> Array:
    """Go down on the error itself (on a smooth stand-in for the largest one) from `start`."""
    from scipy.optimize import minimize

    def error(vector: Array) -> tuple[float, Array]:
        scores = family.scores(vector)
        missed: Array = np.asarray(differences(scores, pattern), dtype=np.float64)
        if values is None:
            size = float(np.max(np.abs(missed))) or 1.0
            shares = missed / size
            total = float(np.sum(shares**8))
            value = size * total**0.125
            slope = total**-0.875 * shares**7
        else:
            moved = missed @ values
            value = float(np.sum(moved * moved))
            slope = 2 * moved @ values.T
        weights = softmax(scores)
        pull = weights * (slope - np.sum(weights * slope, axis=1, keepdims=True))
        return value, family.moment(pull)

    result = minimize(error, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(result.x, dtype=np.float64)
