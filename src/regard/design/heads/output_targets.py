"""Which token each row should attend to, when only the outputs are given.

An output is an average of the tokens' values x_j W_V. If W_V is free, each different output is
given a token of its own, and W_V has to send these tokens to the outputs: a linear system. If W_V
is given, an output is in reach of some weights exactly if it lies in the hull of the values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from regard.design.linear_scores.family import Array, Family, Pattern
from regard.design.linear_scores.max_entropy import closest
from regard.design.linear_scores.min_norm_point import Nearest, nearest_point, point_set

__all__ = ["Wanted", "assignments", "averages", "distance"]

Wanted = dict[int, tuple[NDArray[np.intp], Array]]  # row ↦ indices and weights

MOST_TRIED = 40_000
MOST_SAMPLED = 2000
MOST_GIVEN = 40
CHUNK = 1000


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
    for choice in _choices(tokens, kinds):
        pattern = dict(fixed)
        for row in free:
            pattern[row] = np.array([choice[kind_of[row]]]), np.ones(1)
        averaged = np.array([pattern[row][1] @ tokens[pattern[row][0]] for row in rows])
        W_V = np.linalg.lstsq(averaged, wanted, rcond=1e-10)[0]
        if float(np.max(np.abs(averaged @ W_V - wanted))) <= 1e-10 * size:
            found.append((float(np.linalg.norm(W_V)), len(found), pattern, W_V))
    for _, _, pattern, W_V in sorted(found, key=lambda entry: entry[:2])[:MOST_GIVEN]:
        yield dict(sorted(pattern.items())), W_V


def _choices(tokens: Array, kinds: list[Array]) -> Iterator[tuple[int, ...]]:
    """Tokens for the different outputs, one each, for which a W_V may exist.

    As many outputs as the tokens have dimensions determine W_V; it then says which token each of
    the other outputs would have to come from.
    """
    n = len(tokens)
    first = min(len(kinds), int(np.linalg.matrix_rank(tokens)))
    if first == 0:
        yield from [()] if not kinds else []
        return
    if math.perm(n, first) <= MOST_TRIED:
        leads = np.array(list(permutations(range(n), first)))
    else:
        rng = np.random.default_rng(0)
        leads = np.argsort(rng.random((MOST_SAMPLED, n)), axis=1)[:, :first]
    rest = np.array(kinds[first:])
    if len(rest) == 0:
        yield from map(tuple, leads[:MOST_SAMPLED].tolist())
        return
    heads = np.array(kinds[:first])
    for start in range(0, len(leads), CHUNK):
        part = leads[start : start + CHUNK]
        values = tokens @ (np.linalg.pinv(tokens[part], rcond=1e-9) @ heads)  # (part, n, width)
        apart = np.linalg.norm(values[:, None] - rest[:, None, :], axis=-1)  # (part, rest, n)
        close = np.max(np.min(apart, axis=2), axis=1) <= 1e-7 * (1 + float(np.max(np.abs(rest))))
        for lead, others in zip(part[close], np.argmin(apart[close], axis=2), strict=True):
            yield (*lead.tolist(), *others.tolist())


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
