"""Two keys: the weight of the first is σ(Z), Z Gaussian; for whole arrays of problems at once.

E σ(Z) and E σ(Z)² for Z ~ N(m, τ²) by the trapezoidal rule in z with step min(1/4, τ/8).
Gauss–Hermite nodes would do for small τ and are useless for large ones, because σ has poles at
±iπ; the trapezoidal rule does not mind: it is wrong by e^{−2π²/h}, and by e^{−2π² · 8²} for the
Gaussian.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import NDArray

__all__ = ["logistic_moments"]

Array = NDArray[np.float64]

REACH = 9.0
PER_DEVIATION = 8
ROWS = 1 << 12
WIDE = 1024.0  # deviations from which σ is expanded about a step
# E Λ²ᵏ/(2k)! = 2 (1 − 2^(1−2k)) ζ(2k) of the logistic law
LOGISTIC = (
    math.pi**2 / 6,
    7 * math.pi**4 / 360,
    31 * math.pi**6 / 15120,
    127 * math.pi**8 / 604800,
)


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
    wide = tau > WIDE
    out[:, wide] = _wide(m[wide], tau[wide])
    for count in np.unique(counts[~wide]):
        chosen = np.flatnonzero((counts == count) & ~wide)
        z = np.linspace(-REACH, REACH, 2 * int(count) + 1)
        masses = np.exp(-0.5 * z * z)
        masses /= np.sum(masses)
        for start in range(0, len(chosen), ROWS):
            part = chosen[start : start + ROWS]
            out[:, part] = _averages(m[part], tau[part], z, masses)
    mean, variance, rest = out.reshape(3, *shape)
    return mean, variance, rest


def _wide(m: Array, tau: Array) -> Array:
    """The same for τ so large that σ is nearly a step, where nodes would be too many.

    σ(Z) is the probability that a logistic number Λ is below Z, so that with a = m/τ

        E σ = E Φ((m − Λ)/τ) = Φ(a) + Σ_k c_k Φ⁽²ᵏ⁾(a)/τ²ᵏ,    c_k = E Λ²ᵏ/(2k)!,

    and E σ(1 − σ) is the density of Z − Λ at 0, the derivative of that in m.
    """
    from scipy.special import ndtr

    a = m / tau
    density = np.exp(-0.5 * a * a) / math.sqrt(2 * math.pi)
    off, slope = np.zeros_like(a), density.copy()
    for k, factor in enumerate(LOGISTIC, start=1):
        power = tau ** (-2.0 * k)
        off -= factor * power * hermeval(a, [0.0] * (2 * k - 1) + [1.0]) * density
        slope += factor * power * hermeval(a, [0.0] * (2 * k) + [1.0]) * density
    mean, rest = ndtr(a) + off, ndtr(-a) - off
    return np.stack([mean, np.maximum(mean * rest - slope / tau, 0.0), rest])


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
