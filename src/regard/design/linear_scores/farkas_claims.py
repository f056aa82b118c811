"""Why a pattern cannot be reached: claims whose witness is weights with the same moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.certify import Claim
from regard.design.linear_scores.family import Array, Family, largest
from regard.design.linear_scores.farkas import Combination
from regard.design.linear_scores.min_norm_point import PointSet, nearest_point

__all__ = [
    "ceiling_claim",
    "divergence_claim",
    "entropy",
    "floor_claim",
    "output_claims",
    "reach_radius",
]

RADIUS = 1e8
MOST_PAIRS = 4_000_000


def entropy(weights: Array) -> float:
    """−Σ w ln w of weights that sum to 1 once divided by their sum."""
    wide = weights[weights > 0].astype(np.longdouble)
    wide = wide / np.sum(wide)
    return float(-np.sum(wide * np.log(wide)))


def reach_radius(points: Array, scale: float) -> float:
    """The length up to which a rounded witness speaks: 1e8 / diameter of the points, at scale 1."""
    if len(points) ** 2 * points.shape[1] <= MOST_PAIRS:
        diameter = float(np.max(np.linalg.norm(points[:, None] - points[None], axis=-1)))
    else:  # between the diameter and twice the diameter
        family = Family(points, np.ones((1, 1)))
        centre = np.mean(points, axis=0)
        diameter = 2 * max(
            float(np.max(np.linalg.norm(points[part] - centre, axis=1))) for part in family.parts()
        )
    # Keys that are all but equal have a diameter of rounding.
    return RADIUS / (max(diameter, 1e-9 * largest(points), 1e-300) * abs(scale))


def ceiling_claim(key: int, combination: Combination, radius: float, query: Array) -> Claim:
    """No query gives `key` more than 1/(1 + e^H): it is an average of other keys with entropy H."""
    weights, witness, length = _others(combination, key, radius)
    bound = 1 / (1 + np.exp(entropy(weights) - _slack(combination, weights, length)))
    return Claim(
        "ceiling",
        {"key": key, "bound": min(1.0, bound * (1 + 1e-12)), "radius": length},
        {"combination": witness, "attained_by": query},
    )


def divergence_claim(
    target: dict[str, Any], combination: Combination, radius: float, query: Array
) -> Claim:
    """KL(target ‖ weights) is at least H(combination) − H(target), for every query."""
    length = None if combination.exact else radius
    gain = entropy(combination.weights[0]) - entropy(np.asarray(target["weights"]))
    gain -= _slack(combination, combination.weights[0], length)
    return Claim(
        "weights_apart",
        {"target": target, "bound": gain * (1 - 1e-12) - 1e-14, "radius": length},
        {"combination": _witness(combination, None), "attained_by": query},
    )


def floor_claim(
    target: dict[str, Any], tolerance: float, combination: Combination, radius: float, query: Array
) -> Claim | None:
    """No query keeps every wanted weight above target − tolerance; None if not proved."""
    weights = np.asarray(target["weights"])
    floors = weights - tolerance
    if np.min(floors) <= 0:
        return None
    length = None if combination.exact else radius
    room = float(np.sum(weights / np.sum(weights) * np.log(floors)))
    room += entropy(combination.weights[0]) - _slack(combination, combination.weights[0], length)
    if room <= 1e-12:
        return None
    return Claim(
        "floors_out_of_reach",
        {"floors": {"indices": target["indices"], "weights": floors}, "radius": length},
        {
            "mixture": weights,
            "combination": _witness(combination, None),
            "attained_by": query,
        },
    )


def output_claims(
    key: int, combination: Combination, radius: float, query: Array, values: Array
) -> list[Claim]:
    """How far the output stays from the wanted value, if that is no average of the others."""

    def along(w: Array) -> Array:
        heights = values[key] @ w - values @ w
        heights[key] = np.inf
        return heights

    nearest = nearest_point(PointSet(len(values), along, lambda i: values[key] - values[i]))
    if nearest.lower <= 1e-12 * nearest.upper:
        return []
    least = nearest.lower * (1 - 1e-12)
    return [_output_ceiling_claim(key, combination, radius, query, nearest.point, least)]


def _output_ceiling_claim(
    key: int,
    combination: Combination,
    radius: float,
    query: Array,
    direction: Array,
    distance: float,
) -> Claim:
    """No query brings the output closer to value `key` than (1 − ceiling) · distance."""
    weights, witness, length = _others(combination, key, radius)
    least = 1 / (1 + np.exp(_slack(combination, weights, length) - entropy(weights)))
    return Claim(
        "output_ceiling",
        {"key": key, "bound": least * distance * (1 - 1e-11), "radius": length},
        {"combination": witness, "direction": direction, "attained_by": query},
    )


def _others(
    combination: Combination, key: int, radius: float
) -> tuple[Array, list[str] | Array, float | None]:
    """The combination without `key` itself: what is left has the moments of the key alone."""
    weights = combination.weights[0].copy()
    weights[key] = 0
    return weights, _witness(combination, key), None if combination.exact else radius


def _witness(combination: Combination, without: int | None) -> list[str] | Array:
    if combination.exact is None:
        weights = combination.weights[0].copy()
        if without is not None:
            weights[without] = 0
        return weights
    return ["0" if i == without else w for i, w in enumerate(combination.exact[0])]


def _slack(combination: Combination, weights: Array, radius: float | None) -> float:
    """What the residual may add to a score difference, for parameters up to `radius`."""
    if radius is None:
        return 0.0
    # Divided by what is left of the weights once the key itself is taken out.
    return radius * combination.residual * (1 + 1e-9) / float(np.sum(weights))
