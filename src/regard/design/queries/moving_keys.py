"""Design a query whose weights hold whatever the keys are, within a radius r of those given.

Every score moves by up to R = scale · r ‖q‖, so the log-odds of a weight by up to 2R, exactly.

A copy of key j: the others get at most ε for all of these keys iff LSE_{i≠j}((k_i − k_j)·q) + 2r‖q‖
≤ −L, L = ln((1 − ε)/ε), q in units of the scale. That is the problem of the shortest copy with odds
L + 2rρ where ρ = ‖q‖. Let ℓ(L') be the least length for odds L'. It is convex in L', with slope
1/‖k_j − Σ π_i k_i‖, so Newton's method for ℓ(L + 2rρ) = ρ rises from ρ = 0 to the least root and
never past it. If the slope 2r/‖k_j − Σ π_i k_i‖ reaches 1 first there is none, and π proves it.

A mixture: its weights move against each other, so no tolerance below some level can be met. Along
q_1 + C q_0 (:mod:`regard.design.queries.task`) the worst error falls with the leak and rises with
the length; the least C within the tolerance is taken. If none is, the lower bounds α_i ≥ p_i − ε
are convex in q: :mod:`regard.design.queries.moving_refusal` finds a query that meets them, or the
multipliers that exclude all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from regard.certify import Claim
from regard.design.linear_scores.family import Array, largest, softmax
from regard.design.linear_scores.pattern_fit import Limit, reach_limit
from regard.design.linear_scores.smallest_scale import Wide, off_target, wide_scores
from regard.design.queries.copy_newton import Shortest, log_odds, shortest_at_odds
from regard.design.queries.moving_refusal import refuse_copy, settle_mixture
from regard.design.queries.shortest_copy import STATED_GAP, length_bound, lengthened
from regard.design.queries.task import QueryTask
from regard.design.results import QueryDesign

__all__ = ["MovingKeys", "solve_moving"]

MOST_STEPS = 80
UNIT = float(np.finfo(np.longdouble).eps)
LEAKS = np.geomspace(0.4, 1e-13, 80)  # along which a mixture is looked for


@dataclass(frozen=True, eq=False)
class MovingKeys:
    """A task whose keys may each be anywhere within a radius of the one given.

    Attributes:
        task: with the keys given.
        radius: how far each may be, in the units of the keys.
        nominal: the design for the keys given.
    """

    task: QueryTask
    radius: float
    nominal: QueryDesign

    @property
    def scaled_radius(self) -> float:
        """The radius in the units of the task."""
        return self.radius * self.task.unit

    def error(self, query: Array) -> float:
        """The largest |weight − target| over all these keys, measured and rounded up."""
        return _worst_error(self.task, query, self.scaled_radius)

    def design(self, vector: Array, error: float, longer: float = math.inf) -> QueryDesign:
        """The design of a query with its worst error, and what is known of the margin."""
        task, nominal = self.task, self.nominal
        query = vector * task.unit
        fields = {"target": task.target, "bound": error, "radius": self.radius}
        claims = [Claim("weights_close_within", fields, {"query": query})]
        claims += [c for c in nominal.certificate.claims if c.kind.startswith("margin")]
        return replace(
            nominal,
            query=query,
            weights=task.weights(vector),
            error=error,
            certificate=task.certificate(claims),
            longer=longer,
            radius=self.radius,
        )


def solve_moving(
    task: QueryTask, radius: float, tick: Callable[[float, float], None]
) -> QueryDesign:
    """The design for all keys within the radius, or the exception that says why there is none."""
    nominal = task.solve(tick)  # the keys given are among them
    if radius == 0:
        return nominal
    moving = MovingKeys(task, radius, nominal)
    found = nominal.query / task.unit
    whole = task.pattern.one_target and task.pattern.weights[0][0] == 1
    error = moving.error(found)
    if not np.any(found):  # nothing that a key does is seen by the query 0
        return moving.design(found, error, 0.0 if whole else math.inf)
    if whole:
        return _copy(moving)
    if error <= task.tolerance and task.tolerance - error <= 1e-9 * task.tolerance:
        return moving.design(found, error)
    along = _least_along(moving, tick)
    if along is not None:
        return moving.design(along, moving.error(along))
    return settle_mixture(moving, found)


def _worst_error(task: QueryTask, query: Array, scaled: float) -> float:
    """The largest |weight − target| over all keys within a radius, measured and rounded up.

    The radius is in the units of the task.
    """
    scores = wide_scores(task.family.keys, query[None], task.scale)[0]
    wide = query.astype(np.longdouble)
    length = np.sqrt(np.sum(wide * wide))
    size = task.scale * largest(task.family.keys) * math.sqrt(len(query)) * float(length)
    lost = 16 * UNIT * (len(query) + 8) * (1 + size)
    moved = 2 * task.scale * scaled * length * (1 + 8 * UNIT) + lost
    indices, weights = task.pattern.indices[0], task.pattern.weights[0]
    missed = []
    for i, p in zip(indices.tolist(), weights.tolist(), strict=True):
        odds = _log_odds(scores, i)
        # 1 − α − (1 − p): accurate also where both are nearly 0
        missed += [_sigmoid(odds + moved) - (1 - p), (1 - p) - _sigmoid(odds - moved)]
    others = np.delete(np.arange(len(scores)), indices)
    if len(others):
        top = int(others[np.argmax(scores[others])])
        missed.append(_sigmoid(moved - _log_odds(scores, top)))
    worst = max(missed) * (1 + np.longdouble(1e-12)) + (len(scores) + 16) * UNIT * (
        len(indices) > 1
    )
    return float(np.nextafter(float(worst), np.inf))


def _log_odds(scores: Wide, i: int) -> np.longdouble:
    """ln((1 − α_i)/α_i)."""
    rest = np.delete(scores, i)
    if not len(rest):
        return np.longdouble(-np.inf)
    highest = np.max(rest)
    return np.longdouble(highest + np.log(np.sum(np.exp(rest - highest))) - scores[i])


def _sigmoid(x: np.longdouble) -> np.longdouble:
    power = np.exp(-abs(x))
    return np.longdouble(1 / (1 + power) if x > 0 else power / (1 + power))


def _copy(moving: MovingKeys) -> QueryDesign:
    """The shortest query that copies a key whatever the keys are."""
    task, scaled = moving.task, moving.scaled_radius
    keys, key = task.family.keys, task.target["indices"][0]
    odds, start = log_odds(task.tolerance), moving.nominal.query / task.unit * task.scale
    length, last = 0.0, None
    for _ in range(MOST_STEPS):
        found = shortest_at_odds(keys, key, odds + 2 * scaled * length, start)
        if found is None:
            break
        own = float(np.linalg.norm(found.vector))
        share = 2 * scaled * own / found.slope if found.slope > 0 else math.inf
        if not share < 1:
            break
        last, start = found, found.vector
        step = (own - length) / (1 - share)
        if not math.isfinite(length + step) or step <= 4e-16 * length:
            break
        length += step
    else:
        last = None
    if last is not None and share < 1:
        net = Shortest(last.vector, last.slope * (1 - share))
        grown = lengthened(net, task.tolerance, task.scale, moving.error)
        if grown is not None:
            return _shortest(moving, key, *grown)
    raise refuse_copy(moving, start)


def _shortest(moving: MovingKeys, key: int, vector: Array, error: float) -> QueryDesign:
    """The design of a copy, with the claim of how much shorter another could be."""
    task = moving.task
    scores = task.family.scores(vector)[0]
    scores[key] = -np.inf  # the others among themselves: beside it they may vanish
    weights = softmax(scores)
    average, bound = length_bound(
        task.family.keys, key, task.tolerance, weights, vector, nearer=2 * moving.scaled_radius
    )
    gap = 1 - bound / (float(np.linalg.norm(vector)) * task.scale)
    gap = STATED_GAP if gap <= STATED_GAP / 2 else 1.01 * gap if gap < 0.99 else math.inf
    design = moving.design(vector, error, gap)
    if not math.isfinite(gap):
        return design
    fields = {"key": key, "tolerance": task.tolerance, "gap": gap, "radius": moving.radius}
    witness = {"query": design.query, "averages": [average], "shares": [1.0]}
    return _with_claim(design, Claim("shortest_copy_within", fields, witness))


def _with_claim(design: QueryDesign, claim: Claim) -> QueryDesign:
    claims = (design.certificate.claims[0], claim, *design.certificate.claims[1:])
    return replace(design, certificate=replace(design.certificate, claims=claims))


def _least_along(moving: MovingKeys, tick: Callable[[float, float], None]) -> Array | None:
    """The shortest q_1 + C q_0 whose worst error is within the tolerance; None if none is."""
    task = moving.task
    limit = reach_limit(
        task.easy, task.pattern, off_target(task.pattern, None), task.tolerance, tick
    )
    if not math.isfinite(limit.scale) or limit.face.direction is None:
        return None

    def vector(scale: float) -> Array:
        return replace(limit, scale=scale).vector()

    def error(scale: float) -> float:
        return moving.error(vector(scale))

    scales = _scales(limit)
    errors = [error(scale) for scale in scales]
    best = int(np.argmin(errors))
    low, high = scales[max(best - 1, 0)], scales[min(best + 1, len(scales) - 1)]
    for _ in range(60):  # the error falls and then rises: golden sections
        one, two = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
        low, high = (low, two) if error(one) <= error(two) else (one, high)
    good = min((scales[best], 0.5 * (low + high)), key=error)
    if error(good) > task.tolerance:
        return None
    bad = max((s for s, e in zip(scales, errors, strict=True) if s < good and e > task.tolerance),
              default=0.0)  # fmt: skip
    if error(bad) <= task.tolerance:
        return vector(bad)
    for _ in range(60):
        middle = 0.5 * (bad + good)
        bad, good = (bad, middle) if error(middle) <= task.tolerance else (middle, good)
    return vector(good)


def _scales(limit: Limit) -> list[float]:
    """Scales C from a large leak to one that floats hardly see."""
    found = sorted({limit.within(float(leak)).scale for leak in LEAKS})
    return [scale for scale in found if math.isfinite(scale)]
