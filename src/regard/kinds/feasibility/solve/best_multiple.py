"""Which multiple brings the output nearest to the goal."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from regard.checking.sampling import Float64
from regard.kinds.feasibility.instance import Instance

GRID = 200  # factors on either side that are looked at first
REACHES = (6.0, 60.0, 600.0)  # times the longest token over the vector added
VALLEYS = 4  # that are looked at closely
PLAIN = tuple(
    chain.from_iterable(
        (sign * value for sign in (1, -1)) for value in (1.0, 2.0, 0.5, 3.0, 1.5, 4.0, 2.5, 5.0)
    )
)


@dataclass(frozen=True)
class Multiple:
    """A multiple of a vector, and how far off the output is with it, relative to the goal."""

    name: str
    vector: Float64
    factor: float
    error: float


def best_multiple(at: Instance, tolerance: float) -> Multiple | None:
    """Return the plainest multiple that is good enough, or the best; None if there are none."""
    found: list[Multiple] = []
    for name, vector in at.directions.items():
        for factor in PLAIN:
            error = at.error(at.changed_by(factor, vector))
            if error <= tolerance:
                return Multiple(name, vector, factor, error)
        found.append(_nearest(at, name, vector, tolerance))
    return min(found, key=lambda one: one.error, default=None)


def grid(at: Instance, vector: Float64, far: float) -> Float64:
    """Return factors from the far negative to the far positive."""
    reach = far * (at.longest or 1.0) / float(np.linalg.norm(vector))
    return np.linspace(-reach, reach, 2 * GRID + 1)


def _nearest(at: Instance, name: str, vector: Float64, tolerance: float) -> Multiple:
    from scipy.optimize import minimize_scalar  # imported where used: it is slow to load

    def error(factor: float) -> float:
        return at.error(at.changed_by(float(factor), vector))

    factors = np.unique(np.concatenate([grid(at, vector, far) for far in REACHES]))
    errors = np.array([error(factor) for factor in factors])
    pairs = [(float(errors[i]), float(factors[i])) for i in (0, -1)]
    lower = np.flatnonzero((errors[1:-1] <= errors[:-2]) & (errors[1:-1] <= errors[2:])) + 1
    for place in sorted(lower, key=lambda i: float(errors[i]))[:VALLEYS]:
        around = (float(factors[place - 1]), float(factors[place + 1]))
        refined = minimize_scalar(error, bounds=around, method="bounded", options={"xatol": 1e-12})
        pairs += [
            (float(errors[place]), float(factors[place])),
            (float(refined.fun), float(refined.x)),
        ]
    lowest, factor = min(pairs)
    if lowest <= tolerance:
        for digits in range(1, 12):  # the shortest number that still does it
            rounded = float(f"{factor:.{digits}g}")
            if error(rounded) <= tolerance:
                return Multiple(name, vector, rounded, error(rounded))
    return Multiple(name, vector, factor, lowest)
