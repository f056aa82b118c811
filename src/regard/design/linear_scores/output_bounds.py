"""What an output says of the weights: bounds for each weight, from directions in value space.

If ‖c − c*‖ ≤ ε then w·c ≥ f = w·c* − ε‖w‖ for every w. With t the largest w·v_j of the others,

    α_i ≥ (f − t) / (w·v_i − t) where w·v_i > t,     α_i ≤ (t − f) / (t − w·v_i) where it is below.

The direction that tells value i from the hull of the others gives the first, its opposite the
second; both are sharp where the values are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.design.linear_scores.family import Array
from regard.design.linear_scores.min_norm_point import nearest_point, point_set

__all__ = ["OutputBounds", "output_bounds"]

MOST_VALUES = 200
SHRUNK = 1e-12  # bounds are rounded outwards


@dataclass(frozen=True)
class OutputBounds:
    """Bounds (n,) of the weights, and the directions [row, key, w] that show them."""

    low: Array
    high: Array
    listed: list[list[object]]


def output_bounds(
    values: Array, wanted: Array, tolerance: float, target: Array, row: int = 0
) -> OutputBounds | None:
    """Bounds of the weights whose output is within the tolerance; None if no weight has one.

    Args:
        values: (n, d_v).
        wanted: (d_v,), the output.
        tolerance: how far from it an output may be.
        target: (n,), weights with that output: those above 0 are bounded from below.
        row: what the row is called in the certificate.
    """
    n = len(values)
    if n > MOST_VALUES or n < 2:
        return None
    low, high = np.zeros(n), np.ones(n)
    listed: list[list[object]] = []
    for key in range(n):
        others = np.delete(values, key, axis=0)
        # w·v_key − w·v_j is at least the distance to the hull for the nearest point's direction.
        nearest = nearest_point(point_set(values[key] - others))
        if nearest.lower > 1e-9 * nearest.upper:
            w = nearest.point / nearest.upper
            top = float(np.max(others @ w))
            own = float(values[key] @ w)
            for direction in (w, -w) if target[key] > 0 else (-w,):
                least = float(direction @ wanted) - tolerance
                if direction is w:
                    bound = (least - top) / (own - top) - SHRUNK
                    if bound > low[key]:
                        low[key] = bound
                        listed.append([row, key, direction])
                else:
                    most = float(np.max(others @ direction))
                    if most > -own:
                        bound = (most - least) / (most + own) + SHRUNK
                        if bound < high[key]:
                            high[key] = max(bound, SHRUNK)
                            listed.append([row, key, direction])
    return OutputBounds(low, high, listed) if np.any(low > 0) else None
