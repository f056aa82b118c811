"""The point of a convex hull nearest to the origin, found by growing a small active set.

For points y_1 … y_n the nearest point x = Σ λ_i y_i of their hull is also the direction of the
widest margin: y_i·x ≥ ‖x‖² for every i, and no unit vector w has y_i·w > ‖x‖ for every i. So one
solver answers both "which query lifts key j above the others by most per unit of its length"
(y_i = k_j − k_i) and "is key j an average of the others" (x = 0).

Wolfe's algorithm does the work on a few hundred points: it keeps an affinely independent set,
jumps to the point of its affine hull nearest to the origin, and drops the points that the jump
would give negative weight. Around it stands a loop that looks at all points once per round and
adds those that score lowest along x. A round costs one product of the points with a vector;
nothing of size n × n, and no copy of the points, is ever made. In very many dimensions thousands of
points may carry the nearest one: there it begins with a guess at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.design.linear_scores.block_pivoting import LARGE, block_pivoting

__all__ = ["Nearest", "PointSet", "nearest_point", "point_set"]

Array = NDArray[np.float64]

MOST_IDLE = 10  # rounds
ROUNDING = 1e-15  # what the sum of a few dozen products may lose, relative to its largest terms


@dataclass(frozen=True)
class PointSet:
    """Points of which only products with a vector and a few rows at a time are needed.

    Attributes:
        count: how many points there are.
        along: w ↦ the products y_i·w of all points with w; +inf for points that do not take part.
        rows: indices ↦ those points, as rows.
    """

    count: int
    along: Callable[[Array], Array]
    rows: Callable[[NDArray[np.intp]], Array]


@dataclass(frozen=True)
class Nearest:
    """The nearest point of a hull: `point` = Σ weights · points[indices].

    Attributes:
        point: the nearest point found, also the direction of the widest margin.
        indices: the points it is an average of.
        weights: their weights, positive, summing to 1.
        upper: ‖point‖, which the distance does not exceed.
        lower: the least y_i·point / ‖point‖, which the distance is not below; at most 0 if `point`
            separates nothing.
    """

    point: Array
    indices: NDArray[np.intp]
    weights: Array
    upper: float
    lower: float


def point_set(points: Array) -> PointSet:
    """The rows of an array as points."""
    return PointSet(len(points), lambda w: points @ w, lambda indices: points[indices])


def nearest_point(
    points: PointSet,
    *,
    start: Array | None = None,
    precision: float = 1e-11,
    tick: Callable[[float, float], None] = lambda lower, upper: None,
) -> Nearest:
    """Find the point of the hull nearest to the origin.

    Args:
        points: at least one point that takes part.
        start: a direction in which the first points are looked for; the first row by default.
        precision: stop when lower and upper agree to this, relative to the distance (but to no less
            than a thousandth of the longest point).
        tick: called once per round with the bounds so far.

    Guarantee: `lower` ≤ distance ≤ `upper` up to rounding; the active set is affinely independent.
    """
    first = points.rows(np.zeros(1, dtype=np.intp))[0]
    dimension = len(first)
    batch = 2 * dimension + 8
    scores = points.along(first if start is None else start)
    held = _lowest(scores, min(batch, points.count))
    rows = points.rows(held)
    simplex = _Simplex.at_shortest(rows)
    shortest, idle = np.inf, 0
    while True:
        simplex.settle(rows)
        x = simplex.upright(rows)
        upper = float(np.linalg.norm(x))
        longest = float(np.sqrt(np.max(np.einsum("ij,ij->i", rows, rows)))) or 1.0
        scores = points.along(x)
        lowest = float(np.min(scores))
        lower = lowest / upper if upper > 0 else 0.0
        best = Nearest(x, held[simplex.members], simplex.weights, upper, lower)
        tick(lower, upper)
        if upper <= 8 * ROUNDING * longest * np.sqrt(dimension):
            return best
        if upper - lower <= precision * min(longest, max(upper, 1e-3 * longest)):
            return best
        fresh = _lowest(scores, batch)
        fresh = fresh[scores[fresh] < upper * upper * (1 - ROUNDING)]
        fresh = np.setdiff1d(fresh, held)
        # Fresh points make x shorter. If they do not any more, the rest of the gap is rounding.
        idle = 0 if upper < shortest * (1 - ROUNDING) else idle + 1
        shortest = min(shortest, upper)
        if len(fresh) == 0 or idle == MOST_IDLE:
            return best
        # Points far above the margin have not been needed for a while: let them go.
        products = rows @ x
        keep = products <= upper * upper + 0.5 * (float(np.max(products)) - upper * upper)
        keep[simplex.members] = True
        if len(held) > 6 * batch:
            simplex.members = (np.cumsum(keep) - 1)[simplex.members]
            held, rows = held[keep], rows[keep]
        held = np.concatenate([held, fresh])
        rows = np.concatenate([rows, points.rows(fresh)])


def _lowest(scores: Array, count: int) -> NDArray[np.intp]:
    """Indices of the `count` lowest finite scores."""
    if count < len(scores):
        picked = np.argpartition(scores, count)[:count]
    else:
        picked = np.arange(len(scores))
    return picked[np.isfinite(scores[picked])]


class _Simplex:
    """Wolfe's corral: affinely independent rows, and the weights of the point inside them."""

    def __init__(self, members: NDArray[np.intp], weights: Array, point: Array) -> None:
        self.members, self.weights, self.point = members, weights, point

    @staticmethod
    def at_shortest(rows: Array) -> _Simplex:
        """Begin at the shortest row, or near the nearest point where that can be guessed."""
        guess = block_pivoting(rows) if rows.shape[1] >= LARGE else None
        if guess is not None:
            return _Simplex(*guess, guess[1] @ rows[guess[0]])
        shortest = int(np.argmin(np.einsum("ij,ij->i", rows, rows)))
        return _Simplex(np.array([shortest]), np.ones(1), rows[shortest].copy())

    def settle(self, rows: Array) -> None:
        """Move to the point of the hull of `rows` nearest to the origin."""
        squares = np.einsum("ij,ij->i", rows, rows)
        longest = float(np.max(squares))
        for _ in range(50 * rows.shape[1] + 500):
            products = rows @ self.point
            lowest = int(np.argmin(products))
            length = float(self.point @ self.point)
            gap = length - float(products[lowest])
            # Below this a further point could only be moved by rounding.
            if gap <= 4 * ROUNDING * np.sqrt(length * longest) or length <= ROUNDING**2 * longest:
                return
            if lowest in self.members:
                return
            before = (self.members, self.weights, self.point, length)
            self.members = np.append(self.members, lowest)
            self.weights = np.append(self.weights, 0.0)
            self._contract(rows)
            if float(self.point @ self.point) >= before[3]:
                self.members, self.weights, self.point, _ = before
                return

    def upright(self, rows: Array) -> Array:
        """The point, made orthogonal to the simplex again where rounding has tilted it.

        A short point is the difference of long ones and carries their rounding. Projecting twice
        makes it orthogonal to the edges relative to its own length, so that it separates also where
        the margin is tiny.
        """
        members = rows[self.members]
        if len(members) >= LARGE:  # the factors would take as long as all the rest
            return self.point
        edges = np.linalg.qr((members[1:] - members[0]).T)[0]
        point = self.point
        for _ in range(2):
            point = point - edges @ (edges.T @ point)
        longest = float(np.max(np.abs(members)))
        # A point that is nothing but rounding stays as it is: the hull contains the origin.
        small = 64 * ROUNDING * longest * np.sqrt(rows.shape[1])
        return self.point if float(np.linalg.norm(point)) <= small else point

    def _contract(self, rows: Array) -> None:
        """Walk to the affine minimum, dropping members whose weight would turn negative."""
        while True:
            goal = _affine_minimum(rows[self.members])
            if np.min(goal) > 0:
                self.weights = goal
                break
            falling = goal <= 0
            room = self.weights[falling] - goal[falling]
            steps = np.divide(self.weights[falling], room, out=np.zeros_like(room), where=room > 0)
            step = min(1.0, float(np.min(steps)))
            weights = (1 - step) * self.weights + step * goal
            out = np.zeros(len(weights), dtype=bool)
            out[np.flatnonzero(falling)[np.argmin(steps)]] = True
            out |= weights <= 0
            if np.all(out):
                out[np.argmax(goal)] = False
            self.members = self.members[~out]
            weights = weights[~out]
            self.weights = weights / np.sum(weights)
        self.point = self.weights @ rows[self.members]


def _affine_minimum(rows: Array) -> Array:
    """Weights (of any sign, sum 1) of the point of the affine hull nearest to the origin."""
    if len(rows) == 1:
        return np.ones(1)
    # Differences from one row, by orthogonal factors: the Gram matrix would square the condition.
    edges = (rows[1:] - rows[0]).T
    q, r = np.linalg.qr(edges)
    diagonal = np.abs(np.diag(r))
    if len(rows) > rows.shape[1] + 1 or np.min(diagonal) <= 1e-14 * np.max(diagonal):
        steps = np.linalg.lstsq(edges, -rows[0], rcond=1e-14)[0]
    else:
        steps = np.linalg.solve(r, -(q.T @ rows[0]))
    return np.concatenate([[1 - np.sum(steps)], steps])
