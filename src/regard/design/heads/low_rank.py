"""Heads with a small d_k: scores s_ij = (x_j W_K)·(x_i W_Q) of a rank no larger than d_k.

The least rank that a pattern needs is hard to find in general. Here a rank is tried by descending
on the divergence from the pattern in W_Q and W_K together, from several starts; then W_K is held
and the best W_Q for it is found by the solver for single queries, which decides that half
exactly. For rank one and one token per row, both halves separate, and the answer is exact: see
:mod:`regard.design.heads.rank_bound`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from regard.design.heads.rank_bound import RankOne
from regard.design.linear_scores.exposed_face import widest
from regard.design.linear_scores.family import Array, Family, Pattern
from regard.design.linear_scores.pattern_fit import reach_limit

__all__ = ["Factors", "Wish", "factors", "fewest_columns"]

Factors = tuple[Array, Array]  # W_Q, W_K

RANDOM_STARTS = 6
STEPS = 400


def factors(matrix: Array, rank: int) -> Factors:
    """W_Q and W_K of equal length with W_K W_Qᵀ = A, or the best of that rank."""
    left, sizes, right = np.linalg.svd(matrix)
    roots = np.sqrt(sizes[:rank])
    return right[:rank].T * roots, left[:, :rank] * roots


@dataclass(frozen=True)
class Wish:
    """What a head is to do.

    Attributes:
        tokens: (n, d), the keys' side.
        rows: (m, d), the tokens of the rows asked for.
        pattern: the wanted weights of these rows.
        error: scores (m, n) ↦ the error.
        tolerance: the error allowed.
        scale: what scores are multiplied by.
    """

    tokens: Array
    rows: Array
    pattern: Pattern
    error: Callable[[Array], float]
    tolerance: float
    scale: float


def fewest_columns(
    wish: Wish, full: Array, one: RankOne, ranks: Iterable[int], search: bool
) -> Factors:
    """W_Q and W_K of the first of `ranks` that is enough, else as many columns as `full` needs.

    Args:
        wish: what the head is to do.
        full: (d, d), an A of any rank that does it.
        one: what is known of one column.
        ranks: the numbers of columns to try, in this order.
        search: whether to look for more than one column, which takes time.
    """
    sizes = np.linalg.svd(full, compute_uv=False)
    needed = max(1, int(np.sum(sizes > 1e-12 * max(float(sizes[0]), 1e-300))))
    for columns in ranks:
        if columns >= needed:
            break
        if columns == 1 and one.A is not None:
            found = _grown(wish, one.A)
            if found is not None:
                return found
        if search and (columns > 1 or one.witness is None):
            found = _find(wish, columns, full)
            if found is not None:
                return found
    return factors(full, needed)


def _grown(wish: Wish, A: Array) -> Factors | None:
    """A of rank one at the smallest size that is within the tolerance."""
    W_Q, W_K = factors(A, 1)
    family = Family(wish.tokens @ W_K, wish.rows @ W_Q, wish.scale)
    limit = reach_limit(family, wish.pattern, wish.error, wish.tolerance)
    if not np.isfinite(limit.scale):
        return None
    size = np.sqrt(float(limit.vector()[0]))
    return W_Q * size, W_K * size


def _find(wish: Wish, rank: int, full: Array) -> Factors | None:
    """Look for W_Q, W_K with `rank` columns that are within the tolerance; None if not found."""
    for start in _starts(wish, rank, full):
        for descended in (False, True):
            W_Q, W_K = _descend(start, wish) if descended else start
            scores = wish.scale * (wish.rows @ W_Q) @ (wish.tokens @ W_K).T
            if _promising(scores, wish.pattern):
                found = _finish(W_Q, W_K, wish)
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


def _starts(wish: Wish, rank: int, full: Array) -> Iterator[Factors]:
    """Starts: the full solution cut to rank, the tokens on a circle, then random ones."""
    tokens, rows, pattern = wish.tokens, wish.rows, wish.pattern
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


def _descend(start: Factors, wish: Wish) -> Factors:
    """Minimise the divergence from the pattern over both matrices."""
    from scipy.optimize import minimize  # slow to load

    tokens, rows, scale = wish.tokens, wish.rows, wish.scale
    shape = start[0].shape
    table = wish.pattern.table(len(tokens))

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


def _finish(W_Q: Array, W_K: Array, wish: Wish) -> Factors | None:
    """Hold one matrix and find the best other one, in turn; then the smallest scale."""
    tokens, rows, pattern, scale = wish.tokens, wish.rows, wish.pattern, wish.scale
    best: tuple[float, Factors] | None = None
    for _ in range(3):
        W_K = _unit(W_K)
        family = Family(tokens @ W_K, rows, scale)
        limit = reach_limit(family, pattern, wish.error, wish.tolerance)
        if np.isfinite(limit.scale):
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


def _unit(matrix: Array) -> Array:
    return matrix / max(float(np.linalg.norm(matrix)), 1e-300)
