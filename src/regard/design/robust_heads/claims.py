"""Put what a robust head does into claims, with bounds that survive the rounding of their sums.

Bounds are computed in wide floats and moved outwards by more than those can be off.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.least_noise_query import Least
from regard.design.robust_heads.widest_gap_query import Obstruction

__all__ = ["failure_claim", "gap_claims", "limit_claim", "measured_gap", "noise_claims"]

Array = NDArray[np.float64]

WIDE = np.longdouble
ROUNDING = 8 * float(np.finfo(WIDE).eps)
SLACK = 1e-9  # between a bound that was computed and the one that is claimed
MOST_COLUMNS = 200  # of keys: factors in balls take cubic time
FAR = 1e12  # lengths of queries, in units of the keys, beyond which nothing is claimed
TINY = 1e-300


def _scores(group: Group, query: Array) -> tuple[Any, Any, Any, Any]:
    """Means and variances of the scores in wide floats, and how far each can be off."""
    q = query.astype(WIDE) * WIDE(group.keys.scale)
    means, covariances = group.keys.means.astype(WIDE), group.keys.covariances
    width = len(q)
    m, m_off = means @ q, ROUNDING * width * (np.abs(means) @ np.abs(q))
    pulled = np.array([covariance.astype(WIDE) @ q for covariance in covariances])
    sizes = np.array([np.abs(covariance) @ np.abs(q) for covariance in covariances])
    lacking = group.keys.shortfalls * (q @ q)
    return m, m_off, pulled @ q + lacking, ROUNDING * width * (sizes @ np.abs(q) + lacking)


def measured_gap(group: Group, query: Array, deviations: float = 0.0) -> float:
    """The least m_i − m_j − z √(e_i + e_j), rounded down; inf without other keys."""
    if not len(group.others):
        return math.inf
    m, m_off, e, e_off = _scores(group, query)
    least = math.inf
    for i in group.chosen:
        variance = e[i] + e_off[i] + e[group.others] + e_off[group.others]
        room = m[i] - m_off[i] - m[group.others] - m_off[group.others]
        room = room - deviations * np.sqrt(np.maximum(variance, 0)) * (1 + ROUNDING)
        lowest = np.min(room)
        lowest = lowest - ROUNDING * abs(lowest)
        found = float(lowest)
        least = min(least, found if found <= lowest else math.nextafter(found, -math.inf))
    return least


def gap_claims(group: Group, query: Array, deviations: float) -> list[Claim]:
    """The gap of the means, with and without deviations, and the differences in the group."""
    claims = []
    fields = {"chosen": list(group.chosen)}
    for z in (0.0, deviations) if deviations > 0 else (0.0,):
        bound = measured_gap(group, query, z)
        if math.isfinite(bound):
            claims.append(
                Claim("mean_gap", {**fields, "deviations": z, "bound": bound}, {"query": query})
            )
    if len(group.chosen) > 1 or not claims:
        m, m_off, _, _ = _scores(group, query)
        chosen = list(group.chosen)
        levels = m[chosen] - np.log(group.weights.astype(WIDE))
        off = float(np.max(levels) - np.min(levels)) * (1 + 1e-15)
        off += 4 * float(np.max(m_off[chosen])) + 1e-17 * float(np.max(np.abs(levels)))
        claims.append(
            Claim("mean_weights", {"target": target(group), "bound": off}, {"query": query})
        )
    return claims


def target(group: Group) -> dict[str, Any]:
    """The keys of a group and their shares, as claims hold them."""
    return {"indices": list(group.chosen), "weights": group.weights.tolist()}


def failure_claim(group: Group, query: Array) -> tuple[float, list[Claim]]:
    """A bound on the probability that another key scores higher than one of the group."""
    from scipy.special import ndtr  # slow to load

    if not len(group.others):
        return 0.0, []
    m, m_off, e, e_off = _scores(group, query)
    total = 0.0
    for i in group.chosen:
        variance = np.maximum(e[i] + e_off[i] + e[group.others] + e_off[group.others], 0)
        room = m[i] - m_off[i] - m[group.others] - m_off[group.others]
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (room / np.sqrt(variance)).astype(np.float64)
        x = np.where(variance == 0, np.where(room > 0, np.inf, -np.inf), x)
        # Φ is good to about 1e-15 of itself, and a rounded x changes it by x² as much.
        safe = 1 + 1e-12 * (1 + np.minimum(x * x, 1e6))
        total += float(np.sum(ndtr(-x) * safe))
    bound = total * (1 + 1e-12) + TINY
    fields = {"chosen": list(group.chosen), "bound": bound}
    return min(bound, 1.0), [Claim("failure_at_most", fields, {"query": query})]


def noise_claims(
    group: Group, query: Array, found: Least, gap: float, norm: float | None
) -> list[Claim]:
    """The variance of the score differences: what it is at most here, and at least anywhere."""
    if not group.pairs:
        return []
    _, _, e, e_off = _scores(group, query)
    most = np.array([max(e[i] + e[j] + e_off[i] + e_off[j], WIDE(0)) for i, j in group.pairs])
    weights = group.pair_weights
    upper = float(np.max(most)) if weights is None else float(weights.astype(WIDE) @ most)
    common = {
        "pairs": [list(pair) for pair in group.pairs],
        "weights": None if weights is None else weights.tolist(),
    }
    upper = upper * (1 + 1e-15) + TINY
    claims = [Claim("score_variance", {**common, "bound": upper}, {"query": query})]
    if len(group.others) and len(query) <= MOST_COLUMNS:
        claims += _least_claim(group, query, found, gap, norm, common)
    return claims


def _least_claim(
    group: Group,
    query: Array,
    found: Least,
    gap: float,
    norm: float | None,
    common: dict[str, Any],
) -> list[Claim]:
    """No query with this gap is quieter: the multipliers, in the caller's units."""
    keys = group.keys
    x = found.witness / keys.unit
    matrix = group.mixed(found.mixture) * keys.unit**2
    width, size = len(x), float(np.max(np.abs(matrix)))
    if size == 0:
        return []
    ridge = found.ridge * keys.unit**2
    radius = norm if ridge > 0 else None
    lowest = float(np.linalg.eigvalsh(matrix)[0]) + ridge
    if lowest < 1e-13 * width * size:
        ridge += 1e-12 * size
        lowest += 1e-12 * size
        radius = norm if norm is not None else 10 * float(np.linalg.norm(x))
    floor = lowest / 2
    if floor <= 0:
        return []
    form = matrix.astype(WIDE) + WIDE(ridge) * np.eye(width)
    ties, wanted = group.ties
    u = (found.rows @ group.rows.astype(WIDE) + found.ties @ ties.astype(WIDE)) * keys.unit
    off = 2 * form @ x - u
    level = gap * float(np.sum(found.rows)) + float(found.ties @ wanted)
    value = float((form @ x - u) @ x) + level - float(off @ off) / (4 * floor)
    value -= 0.0 if radius is None else ridge * radius**2
    bound = value - SLACK * abs(value) - 1e-13 * abs(level)
    if bound <= 0:
        return []
    fields = {"target": target(group), "gap": gap, **common, "radius": radius, "bound": bound}
    witness = {
        "point": x,
        "rows": found.rows,
        "ties": found.ties,
        "ridge": ridge,
        "floor": floor,
        "mixture": None if common["weights"] else found.mixture,
        "attained_by": query,
    }
    return [Claim("variance_at_least", fields, witness)]


def limit_claim(
    group: Group,
    proof: Obstruction,
    *,
    gap: float | None = None,
    norm: float | None = None,
    query: Array | None = None,
) -> Claim | None:
    """No query of a length has a wider gap: the length `norm`, or as far as `gap` is ruled out."""
    keys = group.keys
    used = np.flatnonzero(proof.shares > 0)
    pairs = [proof.pairs[at] for at in used]
    shares = proof.shares[used]
    total = float(np.sum(shares))
    ties, wanted = group.ties
    u = np.array([keys.scored[i] - keys.scored[j] for i, j in pairs]).T @ shares
    u = u + proof.ties @ ties
    directions, ridge = None, 0.0
    if proof.directions is not None:
        directions = proof.directions[used]
        sums = [keys.noise[i] + keys.noise[j] for i, j in pairs]
        ridge = max(_shortfall(noise) for noise in sums)
        for noise, share, x in zip(sums, shares, directions, strict=True):
            image = noise @ x + ridge * x
            length = math.sqrt(max(float(image @ x), 0.0))
            u = u - proof.deviations * share * image / max(1.0, length)
    rest = float(np.linalg.norm(u)) / total * (1 + SLACK) + 1e-15
    rest = (rest + proof.deviations * math.sqrt(ridge) * (1 + SLACK)) * keys.unit
    tail = float(proof.ties @ wanted) / total
    off = 1e-14 * float(np.abs(proof.ties) @ np.abs(wanted)) / total
    if norm is None:
        assert gap is not None
        room = gap + tail - off
        if room <= 0:
            return None
        norm = min(room / rest * (1 - SLACK), FAR / keys.unit)
        bound = gap
    else:
        bound = norm * rest - tail + off
        bound += SLACK * abs(bound)
    fields = {
        "target": target(group),
        "deviations": proof.deviations,
        "radius": norm,
        "bound": bound,
    }
    witness: dict[str, Any] = {
        "pairs": [list(pair) for pair in pairs],
        "shares": shares,
        "ties": proof.ties,
        "ridge": ridge * (keys.unit / keys.scale) ** 2,
        "attained_by": query,
    }
    if directions is not None:
        witness["directions"] = directions * (keys.scale / keys.unit)
    return Claim("gap_at_most", fields, witness)


def _shortfall(matrix: Array) -> float:
    """What has to be added to the diagonal for a matrix to be surely positive semidefinite."""
    used = np.any(matrix != 0, axis=1)
    if not np.any(used):
        return 0.0
    sizes = np.linalg.eigvalsh(matrix[used][:, used])
    rounding = len(matrix) * 4e-16 * float(sizes[-1])
    return 0.0 if sizes[0] > 64 * rounding else rounding + 2 * max(0.0, -float(sizes[0]))
