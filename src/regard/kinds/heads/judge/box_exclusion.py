"""Excluding all queries box by box, in a few dimensions.

In a box the differences of scores lie between bounds, and so do the weights; and weights move by at
most tanh(w/4) where differences of scores move by at most w. A box in which the error stays above
the tolerance is excluded, and any other is halved. Only differences of scores matter, so that
queries are taken in the span of the differences of keys; and far enough out, weights no longer
change but along directions in which keys tie, which the outermost boxes still contain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.kinds.heads.reading.goal import Goal
from regard.problems.instances import Float64, KeyInstance

MOST_DIMENSIONS = 3  # of all heads together
MOST_KEYS = 16
MOST_BOXES = 60_000
FAR = 40.0  # a difference of scores beyond which a weight is as good as 0
MARGIN = 1e-7  # relative to the tolerance: a box on the edge is not excluded


def all_boxes_excluded(goal: Goal, instance: KeyInstance) -> bool:
    """Whether no queries reach the goal; False also where it takes too many boxes to say."""
    places = _coordinates(goal.problem.given.scale * instance.keys)
    heads, (n, width) = len(goal.problem.query_names), places.shape
    if width * heads > MOST_DIMENSIONS or n > MOST_KEYS or width == 0:
        return False
    reach = _reach(places)
    if not np.isfinite(reach):
        return False
    test = _Test(goal, instance, places)
    centres = np.zeros((1, heads, width))
    halves = np.full((1, heads, width), reach)
    tried = 0
    while len(centres):
        tried += len(centres)
        if tried > MOST_BOXES:
            return False
        left = ~test.excludes(centres, halves)
        centres, halves = _halved(centres[left], halves[left], np.ptp(places, axis=0))
    return True


def _coordinates(keys: Float64) -> Float64:
    """Return the keys (n, r) in the span of their differences, the widest of size about 1."""
    centred = keys - np.mean(keys, axis=0)
    u, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    rank = int(np.sum(sizes > 1e-9 * max(float(sizes[0]), 1e-300)))
    places = u[:, :rank] * sizes[:rank]
    return np.asarray(places / max(float(np.max(np.abs(places), initial=0.0)), 1e-300))


def _reach(places: Float64) -> float:
    """Return how long a query may have to be before weights no longer change."""
    from scipy.spatial import ConvexHull, QhullError

    distances = np.linalg.norm(places[:, None] - places[None], axis=-1)
    spacing = float(np.min(distances[distances > 1e-9], initial=np.inf))
    if places.shape[1] == 1:
        return 2 * FAR / spacing
    try:
        facets = ConvexHull(places).equations
    except QhullError:
        return np.inf
    depths = -(places @ facets[:, :-1].T + facets[:, -1])
    gap = float(np.min(depths[depths > 1e-9], initial=np.inf))
    return 2 * FAR * (1 + 1 / spacing) / gap


class _Test:
    """How near a box of queries comes to the goal, at the best."""

    def __init__(self, goal: Goal, instance: KeyInstance, places: Float64) -> None:
        self.steps = places[None] - places[:, None]  # from key i to key j
        self.spread = np.ptp(places, axis=0)
        self.wanted = goal.wanted(len(places))
        self.allowed = goal.tolerance * (1 + MARGIN)
        self.values: Float64 | None = None
        if not goal.each_weight:
            values = goal.counted_values(instance)
            self.values = values - self.wanted @ values
            apart = np.linalg.norm(values[:, None] - values[None], axis=-1)
            self.diameter = float(np.max(apart))

    def excludes(self, centres: Float64, halves: Float64) -> NDArray[np.bool_]:
        """Return for each box (boxes, heads, r) whether the goal is out of its reach."""
        steps = np.einsum("ijr,bhr->bhij", self.steps, centres)
        room = np.einsum("ijr,bhr->bhij", np.abs(self.steps), halves)
        with np.errstate(over="ignore"):
            low = np.mean(1 / np.sum(np.exp(steps + room), axis=-1), axis=1)
            high = np.mean(1 / np.sum(np.exp(steps - room), axis=-1), axis=1)
            middle = np.mean(1 / np.sum(np.exp(steps), axis=-1), axis=1)
        # By how much differences of scores change within a box, at the most.
        moved = np.mean(np.tanh(np.sum(halves * self.spread, axis=-1) / 4), axis=1)
        if self.values is None:
            away = np.maximum(low - self.wanted, self.wanted - high)
            near = np.max(np.abs(middle - self.wanted), axis=-1) - moved
            return np.asarray((np.max(away, axis=-1) > self.allowed) | (near > self.allowed))
        up, down = np.maximum(self.values, 0), np.minimum(self.values, 0)
        most = high @ up + low @ down
        least = low @ up + high @ down
        away = np.linalg.norm(np.maximum(0, np.maximum(least, -most)), axis=-1)
        near = np.linalg.norm(middle @ self.values, axis=-1) - moved * self.diameter
        return np.asarray((away > self.allowed) | (near > self.allowed))


def _halved(centres: Float64, halves: Float64, spread: Float64) -> tuple[Float64, Float64]:
    """Divide each box across the side along which scores change most."""
    if not len(centres):
        return centres, halves
    sides = (halves * spread).reshape(len(halves), -1)
    longest = np.arange(sides.shape[1]) == np.argmax(sides, axis=1)[:, None]
    longest = longest.reshape(halves.shape)
    smaller = np.where(longest, halves / 2, halves)
    shift = np.where(longest, smaller, 0.0)
    return np.concatenate([centres - shift, centres + shift]), np.concatenate([smaller, smaller])
