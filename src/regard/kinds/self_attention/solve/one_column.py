"""Keys and queries of a single entry: one direction for all keys, one for all queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from regard.kinds.self_attention.solve.plan import MOST_CHOICES, Pattern
from regard.kinds.self_attention.solve.sparse import Array, sparse

__all__ = ["OneColumn", "one_column"]


@dataclass(frozen=True, eq=False)
class OneColumn:
    """One direction for all keys and one for all queries, in coordinates."""

    key: Array
    query: Array
    scores: Array  # (rows, n), for C = 1, in units of scale


def one_column(tokens: Array, pattern: Pattern) -> OneColumn | None:
    """Return directions k, q with score (x_j·k)(q·x_i) highest at each row's token, if simple.

    Rows that look for the token farthest along k have q·x_i = 1, those that look for the other
    end −1.
    """
    if any(len(weights) != 1 for weights in pattern.values()):
        return None
    targets = {row: next(iter(weights)) for row, weights in pattern.items()}
    wanted = sorted(set(targets.values()))
    if len(wanted) > 2 or len(tokens) < 2:
        return None
    ends = (wanted[0], wanted[-1])
    key = _spread(tokens, ends)
    if key is None:
        return None
    signs = np.array([1.0 if target == ends[0] else -1.0 for target in targets.values()])
    rows = tokens[list(targets)]
    query = sparse(rows, signs, np.delete(tokens, list(targets), axis=0))
    if query is None:
        return None
    return OneColumn(key, query, np.outer(rows @ query, tokens @ key))


def _spread(tokens: Array, ends: tuple[int, int]) -> Array | None:
    """Return a simple direction along which ends[0] is highest alone and ends[1] lowest alone."""
    n, width = tokens.shape
    top, bottom = ends
    for count in (1, 2):
        best: tuple[float, Array] | None = None
        for places in product(range(width), repeat=count):
            if len(set(places)) < count or math.comb(width, count) > MOST_CHOICES:
                continue
            for signs in product((1.0, -1.0), repeat=count):
                vector = np.zeros(width)
                vector[list(places)] = signs
                along = tokens @ vector
                rest = [j for j in range(n) if j != top]
                margin = float(along[top] - np.max(along[rest]))
                if bottom != top:
                    rest = [j for j in range(n) if j != bottom]
                    margin = min(margin, float(np.min(along[rest]) - along[bottom]))
                if margin > 1e-9 and (best is None or margin > best[0] + 1e-9):
                    best = (margin, vector)
        if best is not None:
            return best[1]
    return None
