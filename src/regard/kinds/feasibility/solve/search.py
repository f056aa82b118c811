"""Which multiple brings the output nearest to the goal."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from regard.kinds.feasibility.solve.scene import Array, Scene

GRID = 200  # factors on either side that are looked at first
REACHES = (6.0, 60.0, 600.0)  # times the longest token over the vector added
VALLEYS = 4  # that are looked at closely
PLAIN = tuple(
    chain.from_iterable(
        (sign * value for sign in (1, -1)) for value in (1.0, 2.0, 0.5, 3.0, 1.5, 4.0, 2.5, 5.0)
    )
)


@dataclass(frozen=True)
class Try:
    """A multiple, and how far the output is from the goal with it, relative to the goal."""

    name: str
    vector: Array
    factor: float
    error: float


def best(scene: Scene, tolerance: float) -> Try | None:
    """Return the plainest multiple that is good enough, or the best; None if there are none."""
    found: list[Try] = []
    for name, vector in scene.added:
        for factor in PLAIN:
            error = scene.error(scene.changed_by(factor, vector))
            if error <= tolerance:
                return Try(name, vector, factor, error)
        found.append(_nearest(scene, name, vector, tolerance))
    return min(found, key=lambda one: one.error, default=None)


def grid(scene: Scene, vector: Array, far: float) -> Array:
    """Return factors from the far negative to the far positive."""
    longest = float(np.max(np.linalg.norm(scene.tokens, axis=1))) or 1.0
    reach = far * longest / float(np.linalg.norm(vector))
    return np.linspace(-reach, reach, 2 * GRID + 1)


def _nearest(scene: Scene, name: str, vector: Array, tolerance: float) -> Try:
    from scipy.optimize import minimize_scalar  # imported where used: it is slow to load

    def error(factor: float) -> float:
        return scene.error(scene.changed_by(float(factor), vector))

    factors = np.unique(np.concatenate([grid(scene, vector, far) for far in REACHES]))
    errors = np.array([error(factor) for factor in factors])
    pairs = [(float(errors[i]), float(factors[i])) for i in (0, -1)]
    lower = np.flatnonzero((errors[1:-1] <= errors[:-2]) & (errors[1:-1] <= errors[2:])) + 1
    for at in sorted(lower, key=lambda i: float(errors[i]))[:VALLEYS]:
        around = (float(factors[at - 1]), float(factors[at + 1]))
        refined = minimize_scalar(error, bounds=around, method="bounded", options={"xatol": 1e-12})
        pairs += [(float(errors[at]), float(factors[at])), (float(refined.fun), float(refined.x))]
    lowest, factor = min(pairs)
    if lowest <= tolerance:
        for digits in range(1, 12):  # the shortest number that still does it
            rounded = float(f"{factor:.{digits}g}")
            if error(rounded) <= tolerance:
                return Try(name, vector, rounded, error(rounded))
    return Try(name, vector, factor, lowest)
