"""Newton's method for min ‖q‖ with LSE_{i≠j}((k_i − k_j)·q) ≤ −L, one convex inequality.

The constraint is replaced by its tangent, and ½‖q‖² by itself plus λ times the curvature of the
constraint, which is the covariance of the other keys under their weights π (sequential quadratic
programming in its simplest case). A step is shortened until ½‖q‖² + penalty · (what the constraint
lacks) falls; that function is convex, so any start will do. It ends where the bound on the length
of all queries, (L + H(π)) / ‖k_j − Σ π_i k_i‖, meets the length: see
:mod:`regard.design.queries.shortest_copy`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.design.linear_scores.block_pivoting import LARGE
from regard.design.linear_scores.family import MOST_COPIED, Array, Family

__all__ = ["Shortest", "log_odds", "shortest_at_odds", "shortest_copy"]

NEGLIGIBLE = 1e-18  # weights that cannot be seen in the curvature
PLAIN = 1e8  # curvatures up to this, relative to that of ½‖q‖², are known well enough by products
MOST_STEPS = 60
MOST_GRADIENTS = 60
SETTLED = 1e-13  # relative distance to the bound
INSIDE = 1e-2  # relative: a start farther inside the constraint is shortened first


@dataclass(frozen=True)
class Shortest:
    """A query that is nearly the shortest.

    Attributes:
        vector: the query, within the constraint up to rounding.
        slope: how fast LSE falls, relative to it, when the query grows: −d LSE(tq)/dt at t = 1.
    """

    vector: Array
    slope: float


def log_odds(tolerance: float) -> float:
    """L = ln((1 − ε)/ε)."""
    return math.log1p(-tolerance) - math.log(tolerance)


def shortest_copy(keys: Array, key: int, tolerance: float, start: Array) -> Shortest | None:
    """Find the shortest query that gives one key a weight of at least 1 − tolerance, at scale 1.

    Args:
        keys: (n, d), n ≥ 2.
        key: the row to copy.
        tolerance: below (n − 1)/n, or the query 0 would do.
        start: a query near the constraint, such as one along the widest margin.

    Returns:
        The query, or None where rounding leaves no step that makes it better than `start`.
    """
    return shortest_at_odds(keys, key, log_odds(tolerance), start)


def shortest_at_odds(keys: Array, key: int, odds: float, start: Array) -> Shortest | None:
    """The same where LSE of the other scores above the one copied is to be at most −odds."""
    if keys.size <= MOST_COPIED:
        keys = keys - keys[key]  # keys that differ little are told apart
    basis = None
    if len(keys) <= keys.shape[1] < LARGE:  # the query lies in the span of the differences
        basis, coordinates = np.linalg.qr((keys - keys[key]).T)
        keys, start = coordinates.T, basis.T @ start
    others = _Others(Family(np.ascontiguousarray(keys), np.ones((1, 1))), key)
    found = _newton(others, odds, start)
    if found is None or basis is None:
        return found
    return Shortest(basis @ found.vector, found.slope)


class _Others:
    """LSE of the scores of the other keys above that of one, with its slope and its curvature."""

    def __init__(self, family: Family, key: int) -> None:
        self.family, self.key = family, key

    def value(self, query: Array) -> tuple[float, Array]:
        """LSE, and the weights π of the other keys among themselves."""
        scores = self.family.scores(query)[0]
        scores -= scores[self.key]
        scores[self.key] = -np.inf
        highest = float(np.max(scores))
        np.exp(np.subtract(scores, highest, out=scores), out=scores)
        total = float(np.sum(scores))
        scores /= total
        return highest + math.log(total), scores

    def slope(self, weights: Array) -> Array:
        """Σ π_i (k_i − k_j)."""
        return weights @ self.family.keys - self.family.keys[self.key]

    def damped(
        self, weights: Array, multiplier: float, vectors: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        """(I + multiplier · covariance)⁻¹ of two vectors.

        In very many dimensions by conjugate gradients: many keys share the weight there, so that
        the covariance is small beside I and a few products with it do. What they leave makes a
        step a little worse, and no more.
        """
        if self.family.keys.shape[1] >= LARGE:
            return self._gradients(weights, multiplier, vectors[0]), self._gradients(
                weights, multiplier, vectors[1]
            )
        axes, variances = self.curvature(weights, multiplier)
        damping = multiplier * variances / (1 + multiplier * variances)
        back, along = (x - (damping * (axes @ x)) @ axes for x in vectors)
        return back, along

    def _gradients(self, weights: Array, multiplier: float, vector: Array) -> Array:
        keys = self.family.keys
        mean = weights @ keys
        found, rest = np.zeros_like(vector), vector.copy()
        step, size = rest.copy(), float(rest @ rest)
        for _ in range(MOST_GRADIENTS):
            if size <= (1e-12 * float(np.linalg.norm(vector))) ** 2:
                break
            along = keys @ step
            pushed = (weights * along) @ keys - float(weights @ along) * mean
            turned = step + multiplier * pushed
            share = size / float(step @ turned)
            found, rest = found + share * step, rest - share * turned
            before, size = size, float(rest @ rest)
            step = rest + size / before * step
        return found

    def curvature(self, weights: Array, multiplier: float) -> tuple[Array, Array]:
        """The covariance of the keys under π as (axes, variances along them).

        Keys without any weight to speak of are left out. Products of the rest lose half of the
        digits. Added to I, `multiplier` times as large, they may, unless a copy needs a long query:
        then the axes come from the keys themselves, where these are few.
        """
        keys = self.family.keys
        seen = np.flatnonzero(weights > NEGLIGIBLE)
        if len(seen) * keys.shape[1] > MOST_COPIED:
            variances, axes = np.linalg.eigh(self.family.curvature(weights[None]))
            return axes.T, np.maximum(variances, 0)
        shares = weights[seen] / np.sum(weights[seen])
        spread = np.sqrt(shares)[:, None] * (keys[seen] - shares @ keys[seen])
        variances, axes = np.linalg.eigh(spread.T @ spread)
        if multiplier * float(np.max(variances)) <= PLAIN:
            return axes.T, np.maximum(variances, 0)
        _, sizes, axes = np.linalg.svd(np.linalg.qr(spread, mode="r"), full_matrices=False)
        return axes, sizes**2


def _newton(others: _Others, odds: float, query: Array) -> Shortest | None:
    value, weights = others.value(query)
    if value + odds < -INSIDE * (1 + abs(odds)):
        query = _shrunk(others, odds, query)
        value, weights = others.value(query)
    multiplier, best = None, None
    for _ in range(MOST_STEPS):
        slope = others.slope(weights)
        steep = float(slope @ slope)
        length = float(np.linalg.norm(query))
        if not (0 < steep < math.inf and 0 < length < math.inf):
            break
        lacks = value + odds
        # H(π) = LSE − Σ π_i a_i·q, so that this is 1 − bound / ‖q‖.
        gap = 1 - (odds + value - float(slope @ query)) / (math.sqrt(steep) * length)
        best = Shortest(query, -float(slope @ query))
        if gap <= SETTLED and abs(lacks) <= SETTLED * (1 + abs(odds)):
            break
        if multiplier is None:
            multiplier = length / math.sqrt(steep)
        back, along = others.damped(weights, multiplier, (query, slope))
        rise = float(slope @ along)
        if not 0 < rise < math.inf:
            break
        multiplier = max((lacks - float(slope @ back)) / rise, 0.0)
        step = -(back + multiplier * along)
        penalty = 2 * multiplier + length / math.sqrt(steep)
        moved = _search(others, odds, query, value, step, penalty)
        if moved is None:
            break
        query, value, weights = moved
    return best


def _shrunk(others: _Others, odds: float, query: Array) -> Array:
    """The shortest multiple of a query that is within the constraint, nearly.

    From 0, where the constraint is lacking, Newton's method for a convex function goes up to the
    first root and never past it.
    """
    share = 0.0
    for _ in range(MOST_STEPS):
        value, weights = others.value(share * query)
        fall = -float(others.slope(weights) @ query)
        if not (fall > 0 and value + odds > INSIDE * (1 + abs(odds))):
            break
        share += (value + odds) / fall
    return min(share, 1.0) * query


def _search(
    others: _Others, odds: float, query: Array, value: float, step: Array, penalty: float
) -> tuple[Array, float, Array] | None:
    """The longest of step, step/2, … that makes ½‖q‖² + penalty · max(0, LSE + L) smaller."""

    def merit(length: float, value: float) -> float:
        return 0.5 * length + penalty * max(0.0, value + odds)

    before = merit(float(query @ query), value)
    share = 1.0
    for _ in range(30):
        moved = query + share * step
        at, weights = others.value(moved)
        if merit(float(moved @ moved), at) < before * (1 - 1e-16):
            return moved, at, weights
        share /= 2
    return None
