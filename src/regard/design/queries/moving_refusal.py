"""Keys that move too far for a query: the closest there is, and the proof that nothing is closer.

The lower bounds α_i ≥ p_i − ε for all keys within r are h_i(q) ≤ 0 with the convex

    h_i(q) = LSE_{j≠i}((k_j − k_i)·q) + 2r‖q‖ + L_i,    L_i = ln((p_i − ε)/(1 − p_i + ε)).

Where max_i h_i is smallest, its slopes balance: Σ m_i (k_i − Σ_j π_ij k_j) has the length 2r, and
the smallest value is Σ m_i (L_i + H(π_i)). If that is above 0 the shares m and the weights π are
the witness of `weights_beyond_within`. So that rounding leaves the length at most 2r, a radius that
is smaller by a little is solved for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.certify import Claim, verify
from regard.design.linear_scores.family import Array
from regard.design.queries.reasons import KeysMove
from regard.design.reasons import Nearest, refused, undecided
from regard.design.results import QueryDesign
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.design.queries.moving_keys import MovingKeys
    from regard.design.queries.task import QueryTask

__all__ = ["refuse_copy", "settle_mixture"]

INWARD = (1e-11, 1e-8, 1e-5)  # shares of the radius that are left to rounding
MOST_STEPS = 200
LAST_STEPS = 5
SHORT = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # of a query that tells the key by its distance
MOST_DIMENSIONS = 128  # for which a mixture is searched in all directions
LEFT_OUT = 1e-15  # of the weight of an average


def refuse_copy(moving: MovingKeys, start: Array) -> RegardError:
    """Why no query copies the key whatever the keys are; or that this was not decided."""
    task, radius, error = moving.task, moving.scaled_radius, moving.error
    keys, key = task.family.keys, task.target["indices"][0]
    best = _least_odds(keys, key, radius, start) / task.scale
    least = error(best)
    if error(np.zeros_like(best)) <= least:
        best = np.zeros_like(best)
        least = error(best)
    claim = None
    for share in INWARD:
        query = _least_odds(keys, key, radius * (1 - share), best * task.scale)
        weights = _others(keys, key, query)
        room = float(np.sum(weights[weights > 0] * -np.log(weights[weights > 0])))
        excluded = 1 / (1 + math.exp(-room))  # of the worst error: 1 − 1/(1 + e^H)
        tolerance = max(task.tolerance, excluded * (1 - 1e-12))
        fields = {"target": task.target, "tolerance": tolerance, "radius": moving.radius}
        witness = _witness([1.0], [weights], best * task.unit)
        claim = Claim("weights_beyond_within", fields, witness)
        if verify(task.certificate([claim])).holds:
            break
        claim = None
    return _refusal(moving, claim, moving.design(best, least))


def _others(keys: Array, key: int, query: Array) -> Array:
    """The weights of the other keys among themselves."""
    scores = keys @ query
    scores[key] = -np.inf
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / np.sum(powers))


def _least_odds(keys: Array, key: int, radius: float, start: Array) -> Array:
    """The query where LSE of the others above the key plus 2 · radius · ‖q‖ is smallest.

    Damped Newton steps; at 0, where the length has no slope, it is smallest exactly if the average
    of the others is within 2 · radius of the key.
    """
    apart = keys[key] - _others(keys, key, np.zeros(keys.shape[1])) @ keys
    if float(np.linalg.norm(apart)) <= 2 * radius:
        return np.zeros(keys.shape[1])

    def value(query: Array) -> float:
        scores = keys @ query - keys[key] @ query
        scores[key] = -np.inf
        highest = float(np.max(scores))
        total = float(np.sum(np.exp(scores - highest)))
        return highest + math.log(total) + 2 * radius * float(np.linalg.norm(query))

    # Far out the others' weights hardly change, and Newton's steps find nothing: short starts too.
    along = apart / float(np.linalg.norm(apart)) ** 2
    short = min((scale * along for scale in SHORT), key=value)
    ends = [_descended(keys, key, radius, q, value) for q in (start, short) if np.any(q)]
    return min(ends, key=value)


def _descended(
    keys: Array, key: int, radius: float, query: Array, value: Callable[[Array], float]
) -> Array:
    """Where damped Newton steps from a query end."""
    at = value(query)
    for _ in range(MOST_STEPS):
        step = _newton_step(keys, key, radius, query)[0]
        share = 1.0
        while share > 1e-12 and not value(query + share * step) < at:
            share /= 2
        if share <= 1e-12:
            break
        query = query + share * step
        at = value(query)
    # The value is flat there: the slope says more about the last digits.
    step, steep = _newton_step(keys, key, radius, query)
    for _ in range(LAST_STEPS):
        further, less = _newton_step(keys, key, radius, query + step)
        if not less < steep:
            break
        query, step, steep = query + step, further, less
    return query


def _newton_step(keys: Array, key: int, radius: float, query: Array) -> tuple[Array, float]:
    """Newton's step for that, and the length of the slope."""
    weights, length = _others(keys, key, query), float(np.linalg.norm(query))
    mean = weights @ keys
    slope = mean - keys[key] + 2 * radius * query / length
    centred = np.sqrt(weights)[:, None] * (keys - mean)
    across = np.eye(len(query)) - np.outer(query, query) / length**2
    curved = centred.T @ centred + 2 * radius / length * across
    size = float(np.trace(curved)) / len(query)
    step = np.linalg.solve(curved + 1e-14 * size * np.eye(len(query)), -slope)
    return step, float(np.linalg.norm(slope))


def settle_mixture(moving: MovingKeys, start: Array) -> QueryDesign:
    """A query within the tolerance of a mixture for all keys; or raise why there is none."""
    task, radius, error = moving.task, moving.scaled_radius, moving.error
    best, claim = start, None
    if task.keys.shape[1] <= MOST_DIMENSIONS:
        program = _Floors(task, radius)
        best = min((program.solve(start, radius), best), key=error)
        if error(best) <= task.tolerance:
            return moving.design(best, error(best))
        claim = next((c for c in program.claims(best, moving.radius) if c is not None), None)
    raise _refusal(moving, claim, moving.design(best, error(best)))


class _Floors:
    """The lower bounds h_i(q) ≤ 0 of a mixture, q in units of the scale."""

    def __init__(self, task: QueryTask, radius: float) -> None:
        self.task, self.radius, self.keys = task, radius, task.family.keys
        self.indices = task.pattern.indices[0]
        floors = task.pattern.weights[0] - task.tolerance
        self.used = np.flatnonzero(floors > 0)
        floors = floors[self.used]
        self.odds = np.log(floors) - np.log1p(-floors)

    def heights(self, query: Array, radius: float) -> tuple[Array, Array, Array]:
        """h_i, their slopes, and the weights π_i of the other keys."""
        length = math.sqrt(float(query @ query) + 1e-30)
        heights, slopes, averages = [], [], []
        for place, odds in zip(self.used.tolist(), self.odds.tolist(), strict=True):
            key = int(self.indices[place])
            scores = self.keys @ query - self.keys[key] @ query
            scores[key] = -np.inf
            highest = float(np.max(scores))
            powers = np.exp(scores - highest)
            total = float(np.sum(powers))
            heights.append(highest + math.log(total) + 2 * radius * length + odds)
            averages.append(powers / total)
            slopes.append(averages[-1] @ self.keys - self.keys[key] + 2 * radius * query / length)
        return np.array(heights), np.array(slopes), np.array(averages)

    def solve(self, start: Array, own: float) -> Array:
        """The query where the highest h_i is lowest for a radius, in the units of the design."""
        from scipy.optimize import minimize  # takes long to load

        first = start * self.task.scale
        top = float(np.max(self.heights(first, own)[0]))
        found = minimize(
            lambda x: x[-1],
            np.append(first, top),
            jac=lambda x: np.append(np.zeros(len(x) - 1), 1.0),
            constraints={
                "type": "ineq",
                "fun": lambda x: x[-1] - self.heights(x[:-1], own)[0],
                "jac": lambda x: np.c_[-self.heights(x[:-1], own)[1], np.ones(len(self.used))],
            },
            method="SLSQP",
            options={"maxiter": MOST_STEPS, "ftol": 1e-14},
        )
        return np.asarray(found.x[:-1]) / self.task.scale

    def claims(self, start: Array, radius: float) -> Iterator[Claim | None]:
        """Yield the claim that excludes the goal, or None, for radii that are smaller by little."""
        from scipy.optimize import nnls

        for share in (1e-6, 1e-4, 1e-3):
            own = self.radius * (1 - share)
            query = self.solve(start, own) * self.task.scale
            heights, slopes, averages = self.heights(query, own)
            if np.max(heights) <= 0:
                yield None
                continue
            # Shares that balance the slopes, of the highest h_i.
            tight = float(np.max(np.abs(slopes))) * 1e3
            table = np.r_[slopes.T, np.full((1, len(heights)), tight)]
            found, _ = nnls(table, np.r_[np.zeros(len(query)), tight])
            parts = np.zeros(len(self.indices))
            parts[self.used] = found
            full = [np.zeros(len(self.keys))] * len(self.indices)
            for place, average in zip(self.used.tolist(), averages, strict=True):
                full[place] = average
            fields = {
                "target": self.task.target,
                "tolerance": self.task.tolerance,
                "radius": radius,
            }
            witness = _witness(parts.tolist(), full, start * self.task.unit)
            claim = Claim("weights_beyond_within", fields, witness)
            yield claim if verify(self.task.certificate([claim])).holds else None


def _witness(parts: list[float], averages: list[Array], best: Array) -> dict[str, Any]:
    """Shares of the wanted keys, and for each an average of others without the least weights."""
    listed = []
    for average in averages:
        kept = np.flatnonzero(average > LEFT_OUT)
        listed.append({"indices": kept.tolist(), "weights": average[kept]})
    return {"shares": parts, "averages": listed, "attained_by": best}


def _refusal(moving: MovingKeys, claim: Claim | None, best: QueryDesign) -> RegardError:
    """The exception: impossible with its proof, or undecided."""
    nearest = Nearest("query", "error", best.error)
    reason = KeysMove(nearest, moving.task.tolerance, moving.radius, claim is not None)
    if claim is None:
        return undecided(reason, None, best)
    return refused(reason, moving.task.certificate([claim]), best)
