"""The shortest query that copies a key: min ‖q‖ with α_j ≥ 1 − ε.

With a_i = k_i − k_j for the other keys and L = ln((1 − ε)/ε), the goal is LSE(a_i·q) ≤ −L: one
convex inequality. For every average π of the other keys and every q within it,

    −L ≥ LSE(a_i·q) ≥ Σ π_i a_i·q + H(π) ≥ −‖q‖ ‖Σ π_i a_i‖ + H(π),

so ‖q‖ ≥ (L + H(π)) / ‖k_j − Σ π_i k_i‖ whatever π is. At the shortest q the two sides meet: there
q = λ Σ π_i (k_j − k_i), π = softmax of the other scores. So the weights of a nearly shortest query
prove how nearly it is the shortest, and the claim `shortest_copy` holds them.

:mod:`regard.design.queries.copy_newton` finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design.linear_scores.family import CHUNK, MOST_COPIED, Array, Family, softmax
from regard.design.linear_scores.smallest_scale import Wide
from regard.design.queries.copy_newton import Shortest, log_odds, shortest_copy

__all__ = ["ShortCopy", "copy_briefly", "length_bound", "lengthened"]

LEFT_OUT = 1e-12  # of the weight: what the average of a proof may lack, which costs it as much
STATED_GAP = 1e-9  # what is claimed of a length that is proved to twice as many digits
TILT = 1e-6  # off the query, relative to the distance from the key: costs the bound half its square
MOST_TRIES = 8
MEASURED = 2e-12  # relative: by how much a measured error is rounded up, and more


@dataclass(frozen=True)
class ShortCopy:
    """A query that copies a key, and how much longer than the shortest it may be.

    Attributes:
        vector: the query.
        error: at least what it leaves to the other keys.
        gap: no query within the tolerance is shorter by more than this share of its length; inf if
            nothing is proved.
        average: weights of other keys that prove it; None for the query 0.
    """

    vector: Array
    error: float
    gap: float
    average: dict[str, NDArray[Any]] | None

    def claim(self, key: int, tolerance: float, query: Array) -> Claim:
        """The claim, of the query in the caller's units."""
        witness: dict[str, Any] = {"query": query}
        if self.average is not None:
            witness["average"] = self.average
        fields = {"key": key, "tolerance": tolerance, "gap": self.gap}
        return Claim("shortest_copy", fields, witness)


def copy_briefly(
    keys: Array,
    key: int,
    tolerance: float,
    scale: float,
    start: Array,
    error: float,
    error_of: Callable[[Array], float],
) -> ShortCopy:
    """Shorten a query that copies a key within the tolerance, and bound what more could be done.

    Args:
        keys: (n, d).
        key: the row to copy.
        tolerance: what the other keys may get.
        scale: what scores are multiplied by, > 0.
        start: a query within the tolerance.
        error: its error.
        error_of: query ↦ at least what it leaves to the other keys.

    Returns:
        The shortest query up to rounding. Where rounding is in the way (keys that hardly differ),
        `start` or something between, with the gap that is proved of it.
    """
    n = len(keys)
    if Fraction(n - 1, n) <= Fraction(tolerance):
        error = (n - 1) / n
        if Fraction(error) < Fraction(n - 1, n):
            error = math.nextafter(error, math.inf)
        return ShortCopy(np.zeros_like(start), error, 0.0, None)
    vector = start
    found = shortest_copy(keys, key, tolerance, start * scale)
    if found is not None:
        grown = lengthened(found, tolerance, scale, error_of)
        if grown is not None and _length(grown[0]) < _length(start):
            vector, error = grown
    weights = softmax(Family(keys, np.ones((1, 1)), scale).scores(vector)[0])
    average, bound = length_bound(keys, key, tolerance, weights, vector)
    gap = 1 - bound / (_length(vector) * scale)
    gap = STATED_GAP if gap <= STATED_GAP / 2 else 1.01 * gap if gap < 0.99 else math.inf
    return ShortCopy(vector, error, gap, average)


def lengthened(
    found: Shortest, tolerance: float, scale: float, error_of: Callable[[Array], float]
) -> tuple[Array, float] | None:
    """The query made longer by as little as brings it, rounded, within the tolerance."""
    growth = MEASURED / (1 - tolerance) / found.slope
    for attempt in range(MOST_TRIES):
        vector = found.vector * (1 + growth) / scale
        error = error_of(vector)
        if error <= tolerance:
            return vector, error
        if not error < 1:
            break
        missing = log_odds(tolerance) - log_odds(error)
        growth += 2**attempt * (1.1 * missing / found.slope + 2e-16)
        if not growth < 1:
            break
    return None


def _length(vector: Array) -> float:
    """‖vector‖, also where its squares are too small for floats."""
    size = float(np.max(np.abs(vector)))
    return size * float(np.linalg.norm(vector / size)) if size > 0 else 0.0


def length_bound(
    keys: Array,
    key: int,
    tolerance: float,
    weights: Array,
    query: Array,
    nearer: float = 0.0,
) -> tuple[dict[str, NDArray[Any]], float]:
    """An average of the other keys, and (L + H) / its distance from the key.

    Args:
        keys: (n, d).
        key: the row to copy.
        tolerance: below 1.
        weights: (n,), those of a nearly shortest query.
        query: that query.
        nearer: by how much keys that move can shorten the distance.

    Returns:
        The average as {"indices": …, "weights": …} without the smallest weights, and the number,
        rounded down by more than it can be wrong.
    """
    shares = np.where(np.arange(len(weights)) == key, 0.0, weights)
    order = np.argsort(shares, kind="stable")
    kept = np.sort(order[np.cumsum(shares[order]) > LEFT_OUT * np.sum(shares)])
    used = shares[kept] / np.sum(shares[kept])
    apart = _apart(keys, key, kept, used)
    if len(kept) * keys.shape[1] <= MOST_COPIED:
        along = query / _length(query)
        for _ in range(3):
            off = np.asarray(apart - (apart @ along) * along, dtype=np.float64)
            if _length(off) <= TILT * _length(np.asarray(apart, dtype=np.float64)):
                break
            used = _towards(keys[kept], used, off)
            apart = _apart(keys, key, kept, used)
    size = float(np.max(np.abs(keys[key]))) + float(np.max(np.abs(apart)))
    lost = 64 * np.finfo(np.longdouble).eps * math.sqrt(keys.shape[1]) * size
    distance = np.sqrt(np.sum(apart * apart)) + lost
    wide = used.astype(np.longdouble) / np.sum(used.astype(np.longdouble))
    room = log_odds(tolerance) - np.sum(wide * np.log(wide))
    room, distance = room * (1 - np.longdouble(1e-15)), distance - np.longdouble(nearer)
    bound = room / distance if distance > 0 else np.longdouble(np.inf)
    return {"indices": kept, "weights": used}, float(bound)


def _apart(keys: Array, key: int, kept: NDArray[np.intp], weights: Array) -> Wide:
    """k_j − Σ π_i k_i in wide floats: with a small margin it is a difference of long vectors."""
    wide = weights.astype(np.longdouble)
    apart = keys[key] * np.sum(wide)
    for at in range(0, len(kept), CHUNK):
        some = keys[kept[at : at + CHUNK]].astype(np.longdouble)
        apart -= np.einsum("n,nd->d", wide[at : at + CHUNK], some)
    return np.asarray(apart / np.sum(wide))


def _towards(points: Array, weights: Array, off: Array) -> Array:
    """Weights near these, of an average that is moved by `off`: it then lies along the query.

    So it is at the shortest query; rounding of weights and scores has moved it, which counts
    where the average is close to the key.
    """
    centred = points - weights @ points
    spread = np.linalg.qr(np.sqrt(weights)[:, None] * centred, mode="r")
    _, sizes, axes = np.linalg.svd(spread, full_matrices=False)
    seen = sizes > 1e-12 * sizes[0]
    change = centred @ (((axes[seen] @ off) / sizes[seen] ** 2) @ axes[seen])  # relative to weights
    most = float(np.max(np.abs(change), initial=0.0))
    if not 0 < most < math.inf:
        return weights
    moved = weights * (1 + change * min(1.0, 0.5 / most))
    return np.asarray(moved / np.sum(moved))
