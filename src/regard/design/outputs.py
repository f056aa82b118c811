"""Which token each row should attend to, when only the outputs are given.

An output is an average of the tokens' values x_j W_V. If W_V is free, each different output is
given a token of its own, and W_V has to send these tokens to the outputs: a linear system. If W_V
is given, an output is in reach of some weights exactly if it lies in the hull of the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, permutations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from regard.design.entropy import closest
from regard.design.family import Array, Family, Pattern, softmax
from regard.design.nearest import Nearest, nearest_point, point_set

__all__ = ["Wanted", "assignments", "averages", "distance", "fit_together"]

Wanted = dict[int, tuple[NDArray[np.intp], Array]]  # row ↦ indices and weights

MOST_TRIED = 5000
MOST_GIVEN = 40


def assignments(
    tokens: Array, fixed: Wanted, outputs: dict[int, Array]
) -> Iterator[tuple[Wanted, Array]]:
    """Patterns of one token per free row for which some W_V gives the outputs, shortest first."""
    rows = list(outputs)
    free = [row for row in rows if row not in fixed]
    kinds: list[Array] = []
    kind_of = {}
    for row in free:  # rows that want the same output share a token
        same = [k for k, vector in enumerate(kinds) if np.array_equal(vector, outputs[row])]
        if not same:
            kinds.append(outputs[row])
        kind_of[row] = same[0] if same else len(kinds) - 1
    wanted = np.array([outputs[row] for row in rows])
    size = float(np.max(np.abs(wanted))) or 1.0
    found: list[tuple[float, int, Wanted, Array]] = []
    for choice in islice(permutations(range(len(tokens)), len(kinds)), MOST_TRIED):
        pattern = dict(fixed)
        for row in free:
            pattern[row] = np.array([choice[kind_of[row]]]), np.ones(1)
        averaged = np.array([pattern[row][1] @ tokens[pattern[row][0]] for row in rows])
        W_V = np.linalg.lstsq(averaged, wanted, rcond=1e-10)[0]
        if float(np.max(np.abs(averaged @ W_V - wanted))) <= 1e-10 * size:
            found.append((float(np.linalg.norm(W_V)), len(found), pattern, W_V))
    for _, _, pattern, W_V in sorted(found, key=lambda entry: entry[:2])[:MOST_GIVEN]:
        yield dict(sorted(pattern.items())), W_V


def distance(values: Array, point: Array) -> Nearest:
    """The average of `values` nearest to `point`; `.point` is that average minus `point`."""
    return nearest_point(point_set(values - point))


def averages(values: Array, fixed: Wanted, outputs: dict[int, Array]) -> Iterator[Wanted]:
    """Patterns whose averages of given values are the outputs: of few tokens, then of many."""
    sparse, spread = dict(fixed), dict(fixed)
    family = Family(values, np.ones((1, 1)))
    for row in (row for row in outputs if row not in fixed):
        nearest = distance(values, outputs[row])
        order = np.argsort(nearest.indices)
        sparse[row] = nearest.indices[order], nearest.weights[order]
        # The same average with the most entropy: its scores are linear in the values.
        one = Pattern((sparse[row][0],), (sparse[row][1],))
        weights = closest(family, one).weights[0]
        kept = np.flatnonzero(weights > 1e-9)
        spread[row] = kept, weights[kept] / np.sum(weights[kept])
    yield dict(sorted(sparse.items()))
    yield dict(sorted(spread.items()))


def fit_together(
    tokens: Array, rows: list[int], wanted: Array, scale: float, W_V: Array | None
) -> tuple[Array, Array]:
    """Descend on the squared error of the outputs over A, and over W_V unless it is given."""
    d = tokens.shape[1]
    width = wanted.shape[1]
    queries = tokens[rows]
    rng = np.random.default_rng(0)
    size = float(np.mean(tokens**2)) * d or 1.0
    best: tuple[float, Array, Array] | None = None
    for attempt in range(4):
        A = rng.standard_normal((d, d)) / size * (0.3 if attempt else 0.0)
        first = W_V if W_V is not None else np.linalg.lstsq(queries, wanted, rcond=1e-8)[0]
        if W_V is None and attempt == 0:
            A = np.eye(d) / size * 4

        def error(vector: Array, fixed: Array | None = W_V) -> tuple[float, Array]:
            A = vector[: d * d].reshape(d, d)
            value = vector[d * d :].reshape(d, width) if fixed is None else fixed
            weights = softmax(scale * queries @ A.T @ tokens.T)
            values = tokens @ value
            missed = weights @ values - wanted
            slope = 2 * missed @ values.T
            pull = scale * weights * (slope - np.sum(weights * slope, axis=1, keepdims=True))
            parts = [(tokens.T @ pull.T @ queries).ravel()]
            if fixed is None:
                parts.append((2 * (weights @ tokens).T @ missed).ravel())
            return float(np.sum(missed * missed)), np.concatenate(parts)

        start = np.concatenate([A.ravel(), first.ravel()] if W_V is None else [A.ravel()])
        result = minimize(
            error,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 3000, "maxfun": 6000, "ftol": 1e-30, "gtol": 1e-14},
        )
        found = result.x[: d * d].reshape(d, d)
        value = result.x[d * d :].reshape(d, width) if W_V is None else W_V
        if best is None or result.fun < best[0]:
            best = float(result.fun), found, value
    assert best is not None
    return best[1], best[2]
