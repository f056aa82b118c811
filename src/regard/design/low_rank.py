"""Heads with a small d_k: scores s_ij = (x_j W_K)·(x_i W_Q) of a rank no larger than d_k.

The least rank that a pattern needs is hard to find in general. Here a rank is tried by descending
on the divergence from the pattern in W_Q and W_K together, from several starts; then W_K is held
and the best W_Q for it is found by the solver for single queries, which decides that half
exactly. For rank one and one token per row, both halves separate, and the answer is exact: see
:mod:`regard.design.rank_bound`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from regard.design.face import widest
from regard.design.family import Array, Family, Pattern
from regard.design.reach import Limit, reach_limit

__all__ = ["Factors", "factors", "find"]

Factors = tuple[Array, Array]  # W_Q, W_K

RANDOM_STARTS = 6
STEPS = 400


def factors(matrix: Array, rank: int) -> Factors:
    """W_Q and W_K of equal length with W_K W_Qᵀ = A, or the best of that rank."""
    left, sizes, right = np.linalg.svd(matrix)
    roots = np.sqrt(sizes[:rank])
    return right[:rank].T * roots, left[:, :rank] * roots


def find(
    tokens: Array,
    rows: Array,
    pattern: Pattern,
    error: Callable[[Array], float],
    tolerance: float,
    scale: float,
    rank: int,
    full: Array,
) -> Factors | None:
    """Look for W_Q, W_K with `rank` columns that are within the tolerance; None if none was found.

    Args:
        tokens: (n, d), the keys' side.
        rows: (m, d), the tokens of the rows asked for.
        pattern: the wanted weights of these rows.
        error: scores (m, n) ↦ the error.
        tolerance: the error allowed.
        scale: what scores are multiplied by.
        rank: the number of columns.
        full: (d, d), an A of any rank that reaches the pattern.
    """
    for start in _starts(tokens, rows, pattern, rank, full):
        for descended in (False, True):
            W_Q, W_K = _descend(start, tokens, rows, pattern, scale) if descended else start
            if not _promising(scale * (rows @ W_Q) @ (tokens @ W_K).T, pattern):
                continue
            found = _finish(W_Q, W_K, tokens, rows, pattern, error, tolerance, scale)
            if found is not None:
                return found
    return None


def _promising(scores: Array, pattern: Pattern) -> bool:
    """Whether it is worth the time to finish: each row's wanted tokens come before the others."""
    for row, indices in zip(scores, pattern.indices, strict=True):
        others = np.delete(row, indices)
        if len(others) and np.min(row[indices]) <= np.max(others):
            return False
    return True


def _starts(
    tokens: Array, rows: Array, pattern: Pattern, rank: int, full: Array
) -> Iterator[Factors]:
    """Starts: the full solution cut to rank, the tokens on a circle, then random ones."""
    yield factors(full, rank)
    n, d = tokens.shape
    if rank >= 2 and pattern.one_target:
        # Points on a circle are all extreme: if tokens could be moved there freely, any pattern
        # works.
        angles = 2 * np.pi * np.arange(n) / n
        circle = np.zeros((n, rank))
        circle[:, 0], circle[:, 1] = np.cos(angles), np.sin(angles)
        targets = np.array([indices[0] for indices in pattern.indices])
        yield np.linalg.pinv(rows, 1e-10) @ circle[targets], np.linalg.pinv(tokens, 1e-10) @ circle
    rng = np.random.default_rng(0)
    spread = np.sqrt(np.mean(tokens**2)) or 1.0
    for _ in range(RANDOM_STARTS):
        yield (
            rng.standard_normal((d, rank)) / (spread * np.sqrt(d)),
            rng.standard_normal((d, rank)) / (spread * np.sqrt(d)),
        )


def _descend(start: Factors, tokens: Array, rows: Array, pattern: Pattern, scale: float) -> Factors:
    """Minimise the divergence from the pattern over both matrices."""
    from scipy.optimize import minimize

    shape = start[0].shape
    table = pattern.table(len(tokens))

    def value(vector: Array) -> tuple[float, Array]:
        W_Q, W_K = vector[: start[0].size].reshape(shape), vector[start[0].size :].reshape(shape)
        queries, keys = rows @ W_Q, tokens @ W_K
        scores = scale * queries @ keys.T
        top = np.max(scores, axis=1, keepdims=True)
        logs = scores - top - np.log(np.sum(np.exp(scores - top), axis=1, keepdims=True))
        pull = scale * (np.exp(logs) - table)
        slopes = rows.T @ (pull @ keys), tokens.T @ (pull.T @ queries)
        return -float(np.sum(table * logs)), np.concatenate([slope.ravel() for slope in slopes])

    begin = np.concatenate([start[0].ravel(), start[1].ravel()])
    result = minimize(value, begin, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    W_Q, W_K = result.x[: start[0].size].reshape(shape), result.x[start[0].size :].reshape(shape)
    return W_Q, W_K


def _finish(
    W_Q: Array,
    W_K: Array,
    tokens: Array,
    rows: Array,
    pattern: Pattern,
    error: Callable[[Array], float],
    tolerance: float,
    scale: float,
) -> Factors | None:
    """Hold one matrix and find the best other one, in turn; then the smallest scale."""
    best: tuple[float, Factors] | None = None
    for _ in range(3):
        W_K = _unit(W_K)
        limit = _side(Family(tokens @ W_K, rows, scale), pattern, error, tolerance)
        if limit is not None:
            W_Q = limit.vector().reshape(W_K.shape[1], rows.shape[1]).T
            size = float(np.linalg.norm(W_Q))
            if best is not None and size >= best[0]:
                break
            best = size, (W_Q, W_K)
            if not pattern.one_target:
                break
        # The other side: with the queries held, which W_K lifts the targets most?
        queries = rows @ _unit(W_Q)
        face = widest(Family(tokens, queries, scale), pattern)
        if face.direction is None:
            break
        W_K = face.direction.reshape(tokens.shape[1], queries.shape[1])
    return None if best is None else factors(best[1][1] @ best[1][0].T, W_K.shape[1])


def _side(
    family: Family, pattern: Pattern, error: Callable[[Array], float], tolerance: float
) -> Limit | None:
    limit = reach_limit(family, pattern, error, tolerance)
    return limit if np.isfinite(limit.scale) else None


def _unit(matrix: Array) -> Array:
    return matrix / max(float(np.linalg.norm(matrix)), 1e-300)
