"""Laws with finitely many values: how far one is from another."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Atoms = list[tuple[float, Float64]]  # probabilities and points

EXACT = 1e-6  # relative to the size of the values


def apart(one: Atoms, two: Atoms, size: float, room: Atoms | None = None) -> float:
    """Return how often outputs of the two laws differ at the least; NaN if one is not finite.

    Args:
        one: what is said.
        two: what is right.
        size: of the values.
        room: how far chances and points of `one` may be off within their digits.
    """
    if not all(math.isfinite(c) and np.all(np.isfinite(x)) for c, x in (*one, *two)):
        return math.nan
    room = room or [(0.0, np.zeros_like(point)) for _, point in one]
    signed = [(-chance, point, 0.0, np.zeros_like(point)) for chance, point in two]
    signed += [(*said, *slack) for said, slack in zip(one, room, strict=True)]
    groups: list[tuple[Float64, float, float]] = []
    for chance, point, slack, reach in signed:
        for place, (other, total, allowed) in enumerate(groups):
            if np.linalg.norm(np.maximum(np.abs(other - point) - reach, 0)) <= EXACT * size:
                groups[place] = (other, total + chance, allowed + slack)
                break
        else:
            groups.append((point, chance, slack))
    spare = sum(slack for slack, _ in room)
    missing = max(0.0, abs(1 - sum(chance for chance, _ in one)) - spare) if one else 0.0
    negative = sum(max(0.0, -chance) for chance, _ in one)
    wrong = sum(max(0.0, abs(total) - allowed) for _, total, allowed in groups)
    return 0.5 * wrong + 0.5 * missing + negative
