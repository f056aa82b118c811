"""Outputs without a pattern: descend on A and W_V together.

Where no pattern of one token per row will do, weights in between may. The squared error of the
outputs is smooth in A and W_V and has many minima, so the descent begins in several places.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regard.design.linear_scores.family import Array, softmax

__all__ = ["fit_together"]

STARTS = 16
STEPS = 500
LAST_STEPS = 5000  # from the best of them


def fit_together(
    tokens: Array,
    rows: list[int],
    wanted: Array,
    scale: float,
    W_V: Array | None,
    tolerance: float,
) -> tuple[Array, Array]:
    """The A (d, d) and W_V (d, d_v) with the smallest error found; a W_V that is given stays.

    Args:
        tokens: (n, d), of ordinary size.
        rows: the rows whose outputs are wanted.
        wanted: (m, d_v), these outputs.
        scale: what scores are multiplied by.
        W_V: (d, d_v) or None.
        tolerance: the search ends when every output is within half of this.
    """
    from scipy.optimize import minimize  # slow to load

    d, width = tokens.shape[1], wanted.shape[1]
    queries = tokens[rows]

    def split(vector: Array) -> tuple[Array, Array]:
        A = vector[: d * d].reshape(d, d)
        return A, W_V if W_V is not None else vector[d * d :].reshape(d, width)

    def error(vector: Array) -> tuple[float, Array]:
        A, value = split(vector)
        weights = softmax(scale * queries @ A.T @ tokens.T)
        values = tokens @ value
        missed = weights @ values - wanted
        slope = 2 * missed @ values.T
        pull = scale * weights * (slope - np.sum(weights * slope, axis=1, keepdims=True))
        slopes = [(tokens.T @ pull.T @ queries).ravel()]
        if W_V is None:
            slopes.append((2 * (weights @ tokens).T @ missed).ravel())
        return float(np.sum(missed * missed)), np.concatenate(slopes)

    def descend(start: Array, steps: int) -> tuple[float, Array]:
        options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-30, "gtol": 1e-14}
        result = minimize(error, start, jac=True, method="L-BFGS-B", options=options)
        return float(result.fun), np.asarray(result.x, dtype=np.float64)

    enough = (0.5 * tolerance) ** 2
    best: tuple[float, Array] | None = None
    for A, value in _starts(tokens, queries, wanted, scale):
        start = np.concatenate([A.ravel(), value.ravel()]) if W_V is None else A.ravel()
        found = descend(start, STEPS)
        if best is None or found[0] < best[0]:
            best = found
        if best[0] <= enough:
            break
    assert best is not None
    if best[0] > enough:
        best = min(best, descend(best[1], LAST_STEPS), key=lambda found: found[0])
    return split(best[1])


def _starts(
    tokens: Array, queries: Array, wanted: Array, scale: float
) -> Iterator[tuple[Array, Array]]:
    """Rows that look mostly at themselves; then matrices drawn at random, of several sizes."""
    d = tokens.shape[1]
    size = float(np.mean(tokens**2)) * d or 1.0
    yield np.eye(d) * (4 / (size * scale)), np.linalg.pinv(queries, 1e-8) @ wanted
    rng = np.random.default_rng(0)
    for _ in range(STARTS - 1):
        A = rng.standard_normal((d, d)) * (10 ** rng.uniform(-1, 1.3) / (size * scale))
        value = rng.standard_normal((d, wanted.shape[1]))
        yield A, value * (10 ** rng.uniform(-0.5, 1) / np.sqrt(size))
