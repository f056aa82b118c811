"""How near other shifts come to the one that is wanted, and what weight that leaves them.

With blocks of size 1 that turn by ω_i T, shift T + u scores Σ cos ω_i u, below shift T by the gap
Σ (1 − cos ω_i u).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import arb

from regard.design.positions.offset import leak
from regard.problems.positions import Float64 as Array
from regard.problems.positions import frequencies

FAR = 5000  # shifts that widths are compared on
SOME = (1, 30, 300)  # shifts that the smooth formula is tried on


@dataclass(frozen=True)
class Rival:
    """The shift other than T with the highest score: T + shift, and how far it is below."""

    shift: int
    gap: float


@dataclass(frozen=True)
class WidthRival:
    """The strongest rival where all blocks of a width are used.

    Attributes:
        d_model: the width.
        strongest: among shifts up to `FAR`.
        first: the gap of the neighbouring shift, u = 1.
        smooth_off: by which share of the gap the smooth formula is off, at `SOME` shifts.
    """

    d_model: int
    strongest: Rival
    first: float
    smooth_off: tuple[float, ...]


def rises(omega: Array, far: int) -> Array:
    """Return Σ 1 − cos w_i u for u = 1..far: how far shift T is above shift T + u."""
    u = np.arange(1.0, far + 1)
    return np.asarray(2 * np.sum(np.sin(np.outer(u, omega) / 2) ** 2, axis=1))


def strongest(rise: Array) -> Rival:
    """Return the shift with the least gap, out of those of u = 1, 2 and so on."""
    nearest = int(np.argmin(rise))
    return Rival(nearest + 1, float(rise[nearest]))


def least_weight(rise: Array, size: float) -> float:
    """Return the least weight on the key T steps back over all queries, for blocks of this size."""
    return 1 / (1 + leak(rise, size))


def scores(shifts: Array, omega: Array) -> Array:
    """Return Σ cos w_i u for each shift u: scores with blocks of size 1."""
    return np.asarray(np.cos(np.outer(shifts, omega)).sum(axis=1))


@lru_cache(maxsize=32)
def of_width(d_model: int, base: float) -> WidthRival:
    """Return the strongest rival with all blocks of a width, and how the smooth formula errs."""
    rise = rises(frequencies(d_model, base), FAR)
    off = tuple(abs(smooth_gap(d_model, base, u) / float(rise[u - 1]) - 1) for u in SOME)
    return WidthRival(d_model, strongest(rise), float(rise[0]), off)


def smooth_gap(d_model: int, base: float, u: float) -> float:
    """Return the gap at u if frequencies were spread without steps: a logarithm for large u."""

    def cin(x: float) -> float:
        return float(np.euler_gamma + math.log(x) - float(arb(x).ci()))

    spread = d_model / (2 * math.log(base)) * (cin(u) - cin(u / base))
    return spread + (1 - math.cos(u)) / 2


def condition_number(n: int, d_model: int, base: float) -> float:
    """Return the condition number of the table of the first n positions."""
    angles = np.outer(np.arange(n), frequencies(d_model, base))
    sizes = np.linalg.svd(np.concatenate([np.sin(angles), np.cos(angles)], axis=1))[1]
    return float(sizes[0] / sizes[-1])
