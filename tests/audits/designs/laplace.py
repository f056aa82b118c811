"""The exact root mean square error of one head over Gaussian keys, by a Laplace transform.

1/S² = ∫ x e^{-xS} dx turns moments of softmax weights into integrals over x of products of
one-dimensional expectations: with φ_k(x) = E e^{-x e^{s_k}},

    E α_i = ∫ E[e^{s_i} e^{-x e^{s_i}}] Π_{k≠i} φ_k dx,
    E α_i α_j = ∫ x E[e^{s_i} e^{-x e^{s_i}}] E[e^{s_j} e^{-x e^{s_j}}] Π_{k≠i,j} φ_k dx.

Plain NumPy: Gauss-Hermite inside, the trapezoid rule in ln x outside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def weight_moments(means: Float64, variances: Float64) -> tuple[Float64, Float64]:
    """Return E α (n,) and E α αᵀ (n, n) for independent normal scores."""
    n = len(means)
    means = means - np.max(means)
    widest = float(np.sqrt(np.max(variances)))
    y = np.arange(-12 * widest - 45.0, 12 * widest + 45.0 - float(np.min(means)), 0.05)
    x = np.exp(y)
    plain, once, twice = (np.empty((n, len(x))) for _ in range(3))
    for k in range(n):
        power = np.exp(means[k] + np.sqrt(variances[k]) * NODES)
        inner = np.exp(-np.outer(x, power))
        plain[k], once[k] = inner @ WEIGHTS, inner @ (WEIGHTS * power)
        twice[k] = inner @ (WEIGHTS * power**2)
    step = x * 0.05  # dx = x dy
    first, second = np.empty(n), np.empty((n, n))
    for i in range(n):
        rest = np.prod(np.delete(plain, i, axis=0), axis=0)
        first[i] = np.sum(step * once[i] * rest)
        second[i, i] = np.sum(step * x * twice[i] * rest)
        for j in range(i):
            others = np.prod(np.delete(plain, (i, j), axis=0), axis=0)
            second[i, j] = second[j, i] = np.sum(step * x * once[i] * once[j] * others)
    return first, second


def exact_rms(means: Float64, variances: Float64, values: Float64, target: Float64) -> float:
    """Return √E ‖c − c*‖² of one head whose scores have these means and variances."""
    first, second = weight_moments(means, variances)
    np.testing.assert_allclose(first.sum(), 1.0, atol=1e-9)
    np.testing.assert_allclose(second.sum(axis=1), first, atol=1e-9)
    square = np.trace(values.T @ second @ values) - 2 * target @ (first @ values) + target @ target
    return float(np.sqrt(max(square, 0.0)))
