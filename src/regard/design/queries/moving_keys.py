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
from dataclasses import replace

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

__all__ = ["solve_moving", "worst_error"]

MOST_STEPS = 80
UNIT = float(np.finfo(np.longdouble).eps)
LEAKS = np.geomspace(0.4, 1e-13, 80)  # along which a mixture is looked for


def solve_moving(
    task: QueryTask, radius: float, tick: Callable[[float, float], None]
) -> QueryDesign:
    """The design for all keys within the radius, or the exception that says why there is none."""
    nominal = task.solve(tick)  # the keys given are among them
    if radius == 0:
        return nominal
    reach = radius * task.unit
    found = nominal.query / task.unit
    whole = task.pattern.one_target and task.pattern.weights[0][0] == 1
    error = worst_error(task, found, reach)
    if not np.any(found):  # nothing that a key does is seen by the query 0
        return moving_design(task, found, error, radius, nominal, 0.0 if whole else math.inf)
    if whole:
        return _copy(task, nominal, radius, reach)
    if error <= task.tolerance and task.tolerance - error <= 1e-9 * task.tolerance:
        return moving_design(task, found, error, radius, nominal)
    along = _least_along(task, reach, tick)
    if along is not None:
        return moving_design(task, along, worst_error(task, along, reach), radius, nominal)
    return settle_mixture(
        task,
        reach,
        found,
        lambda query: worst_error(task, query, reach),
        lambda query, error: moving_design(task, query, error, radius, nominal),
        radius,
    )


def worst_error(task: QueryTask, query: Array, reach: float) -> float:
    """The largest |weight − target| over all keys within `reach`, measured and rounded up."""
    scores = wide_scores(task.family.keys, query[None], task.scale)[0]
    wide = query.astype(np.longdouble)
    length = np.sqrt(np.sum(wide * wide))
    size = task.scale * largest(task.family.keys) * math.sqrt(len(query)) * float(length)
    lost = 16 * UNIT * (len(query) + 8) * (1 + size)
    moved = 2 * task.scale * reach * length * (1 + 8 * UNIT) + lost
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


def _copy(task: QueryTask, nominal: QueryDesign, radius: float, reach: float) -> QueryDesign:
    """The shortest query that copies a key whatever the keys are."""
    keys, key = task.family.keys, task.target["indices"][0]
    odds, start = log_odds(task.tolerance), nominal.query / task.unit * task.scale
    length, last = 0.0, None
    for _ in range(MOST_STEPS):
        found = shortest_at_odds(keys, key, odds + 2 * reach * length, start)
        if found is None:
            break
        own = float(np.linalg.norm(found.vector))
        share = 2 * reach * own / found.slope if found.slope > 0 else math.inf
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
        grown = lengthened(
            net, task.tolerance, task.scale, lambda query: worst_error(task, query, reach)
        )
        if grown is not None:
            return _shortest(task, nominal, key, grown, radius, reach)
    raise refuse_copy(
        task,
        reach,
        start,
        lambda query: worst_error(task, query, reach),
        lambda query, error: moving_design(task, query, error, radius, nominal),
        radius,
    )


def _shortest(
    task: QueryTask,
    nominal: QueryDesign,
    key: int,
    grown: tuple[Array, float],
    radius: float,
    reach: float,
) -> QueryDesign:
    """The design of a copy, with the claim of how much shorter another could be."""
    vector, error = grown
    scores = task.family.scores(vector)[0]
    scores[key] = -np.inf  # the others among themselves: beside it they may vanish
    weights = softmax(scores)
    average, bound = length_bound(
        task.family.keys, key, task.tolerance, weights, vector, nearer=2 * reach
    )
    gap = 1 - bound / (float(np.linalg.norm(vector)) * task.scale)
    gap = STATED_GAP if gap <= STATED_GAP / 2 else 1.01 * gap if gap < 0.99 else math.inf
    design = moving_design(task, vector, error, radius, nominal, gap)
    if not math.isfinite(gap):
        return design
    fields = {"key": key, "tolerance": task.tolerance, "gap": gap, "radius": radius}
    witness = {"query": design.query, "averages": [average], "shares": [1.0]}
    return _with_claim(design, Claim("shortest_copy_within", fields, witness))


def _with_claim(design: QueryDesign, claim: Claim) -> QueryDesign:
    claims = (design.certificate.claims[0], claim, *design.certificate.claims[1:])
    return replace(design, certificate=replace(design.certificate, claims=claims))


def moving_design(
    task: QueryTask,
    vector: Array,
    error: float,
    radius: float,
    nominal: QueryDesign,
    longer: float = math.inf,
) -> QueryDesign:
    """The design of a query with its worst error, and what is known of the margin."""
    query = vector * task.unit
    fields = {"target": task.target, "bound": error, "radius": radius}
    claims = [Claim("weights_close_within", fields, {"query": query})]
    claims += [c for c in nominal.certificate.claims if c.kind.startswith("margin")]
    return replace(
        nominal,
        query=query,
        weights=task.weights(vector),
        error=error,
        certificate=task.certificate(claims),
        longer=longer,
        radius=radius,
    )


def _least_along(
    task: QueryTask, reach: float, tick: Callable[[float, float], None]
) -> Array | None:
    """The shortest q_1 + C q_0 whose worst error is within the tolerance; None if none is."""
    limit = reach_limit(
        task.easy, task.pattern, off_target(task.pattern, None), task.tolerance, tick
    )
    if not math.isfinite(limit.scale) or limit.face.direction is None:
        return None

    def vector(scale: float) -> Array:
        return replace(limit, scale=scale).vector()

    def error(scale: float) -> float:
        return worst_error(task, vector(scale), reach)

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
