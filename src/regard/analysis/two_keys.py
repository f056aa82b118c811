"""Two keys: the weight of the first is σ(Z), Z Gaussian; for whole arrays of problems at once.

E σ(Z) and E σ(Z)² for Z ~ N(m, τ²) by the trapezoidal rule in z with step min(1/4, τ/8).
Gauss–Hermite nodes would do for small τ and are useless for large ones, because σ has poles at
±iπ; the trapezoidal rule does not mind: it is wrong by e^{−2π²/h}, and by e^{−2π² · 8²} for the
Gaussian.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["logistic_moments"]

Array = NDArray[np.float64]

REACH = 9.0
PER_DEVIATION = 8
STEP = 0.25
ROWS = 1 << 12


def logistic_moments(means: Array, deviations: Array) -> tuple[Array, Array, Array]:
    """E σ(Z), Var σ(Z) and E (1 − σ(Z)) for Z ~ N(means, deviations²), elementwise.

    The third is not 1 minus the first where it is small: it keeps its digits.
    """
    m, tau = np.broadcast_arrays(means, deviations)
    shape = m.shape
    m, tau = m.ravel(), tau.ravel()
    out = np.empty((3, m.size))
    # Problems with the same number of nodes are done together: all of τ ≤ 2 in one array.
    counts = REACH * np.maximum(
        PER_DEVIATION, np.exp2(np.ceil(np.log2(np.maximum(tau, 2) / 2))) * 8
    )
    for count in np.unique(counts):
        chosen = np.flatnonzero(counts == count)
        z = np.linspace(-REACH, REACH, 2 * int(count) + 1)
        masses = np.exp(-0.5 * z * z)
        masses /= np.sum(masses)
        for start in range(0, len(chosen), ROWS):
            part = chosen[start : start + ROWS]
            out[:, part] = _averages(m[part], tau[part], z, masses)
    mean, variance, rest = out.reshape(3, *shape)
    return mean, variance, rest


def _averages(m: Array, tau: Array, z: Array, masses: Array) -> Array:
    """Mean, variance and mean of the complement of σ, over rows of problems."""
    powers = np.multiply.outer(tau, z)
    powers += m[:, None]
    # σ and 1 − σ from one exponential of −|x|, so that both keep their digits.
    negative = powers < 0
    np.abs(powers, out=powers)
    np.negative(powers, out=powers)
    np.exp(powers, out=powers)
    small = powers / (1 + powers)
    weights = np.where(negative, small, 1 - small)
    rest = np.where(negative, 1 - small, small)
    mean, complement = weights @ masses, rest @ masses
    weights -= mean[:, None]
    np.square(weights, out=weights)
    return np.stack([mean, weights @ masses, complement])
