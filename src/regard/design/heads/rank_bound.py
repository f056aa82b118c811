"""How small d_k can be: proofs that a head needs at least so many columns.

One column (d_k = 1) gives row i the scores t_i y_j, with y_j = x_j·a and t_i = x_i·b: whatever
the row, the token that comes first is the one with the largest y (t_i > 0) or the smallest (t_i <
0). So

- three rows that want three different tokens need two columns;
- two tokens a, b can be wanted exactly if some direction puts a above all tokens and b below all,
  and some direction has t_i > 0 on the rows that want a and t_i < 0 on those that want b. Each half
  is a question about the hull of some vectors, decided both ways.

Weights that are all positive determine the scores, up to a constant per row, within what the
tolerance allows. If the r-th singular value of ln P (centred over the tokens) is larger than all
of that together, no scores of rank below r can be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design.linear_scores.family import Array, Pattern
from regard.design.linear_scores.min_norm_point import Nearest, nearest_point, point_set
from regard.design.linear_scores.rational_witness import rational, solve_exactly, text

__all__ = ["RankOne", "rank_claims", "rank_one", "rows_field"]

MOST_EXACT = 40  # dimensions in which a combination is sought in rationals


@dataclass(frozen=True)
class RankOne:
    """The answer for one token per row: `A` of rank one if there is one, else `witness` why not.

    Both are None if neither was found, or if the pattern is not of that kind.
    """

    A: Array | None = None
    witness: Mapping[str, Any] | None = None


def rows_field(rows: list[int], pattern: Pattern) -> list[dict[str, Any]]:
    """The pattern as claims hold it."""
    return [
        {"row": row, "indices": indices.tolist(), "weights": weights.tolist()}
        for row, indices, weights in zip(rows, pattern.indices, pattern.weights, strict=True)
    ]


def rank_one(tokens: Array, rows: list[int], pattern: Pattern) -> RankOne:
    """Decide whether one column is enough for a pattern of one token per row."""
    if not pattern.one_target:
        return RankOne()
    if len(tokens) == 1:  # all the weight, whatever the head
        return RankOne(A=np.zeros((tokens.shape[1], tokens.shape[1])))
    targets = [int(indices[0]) for indices in pattern.indices]
    first = {target: row for row, target in zip(rows, targets, strict=True)}
    if len(first) > 2:
        return RankOne(witness={"targets": sorted(first.values())[:3]})
    towards = min(first)
    away = max(first) if len(first) == 2 else None
    # The rows' side: one direction on whose sides the rows lie.
    signs = np.array([1.0 if target == towards else -1.0 for target in targets])
    sided = nearest_point(point_set(signs[:, None] * tokens[rows]))
    if sided.lower <= 0:
        weights = _vanishing(sided, lambda j: tokens[rows[j]] * signs[j], tokens.shape[1])
        if weights is None:
            return RankOne()
        pairs = [[rows[j], w] for j, w in weights]
        return RankOne(witness={"queries": pairs, "towards": towards, "away": away})
    # The tokens' side: one direction with `towards` above all and `away` below all.
    named = [("above", j, towards, j) for j in range(len(tokens)) if j != towards]
    if away is not None:
        named += [("below", j, j, away) for j in range(len(tokens)) if j != away]
    upper, lower = np.array([entry[2:] for entry in named]).T
    vectors = tokens[upper] - tokens[lower]
    lifted = nearest_point(point_set(vectors))
    if lifted.lower <= 0:
        weights = _vanishing(
            lifted,
            lambda j: tokens[upper[j]],
            tokens.shape[1],
            lambda j: tokens[lower[j]],
        )
        if weights is None:
            return RankOne()
        parts = [[*named[j][:2], w] for j, w in weights]
        return RankOne(witness={"keys": parts, "towards": towards, "away": away})
    return RankOne(A=np.outer(lifted.point / lifted.upper, sided.point / sided.upper))


def rank_claims(
    rows: list[int], pattern: Pattern, tolerance: float, keys: int, one: RankOne
) -> list[Claim]:
    """The largest d_k that is proved necessary, as a claim; none where that is 1."""
    field = rows_field(rows, pattern)
    claims = []
    certain = min(float(np.max(weights)) for weights in pattern.weights) - tolerance > 0.5
    if one.witness is not None and certain:
        fields = {"rows": field, "bound": 2, "tolerance": tolerance}
        claims.append(Claim("d_k_at_least", fields, one.witness))
    table = pattern.table(keys)
    columns = np.flatnonzero(np.min(table, axis=0) > 1.5 * tolerance)
    if len(columns) > 1:
        part = table[:, columns]
        logs = np.log(part) - np.mean(np.log(part), axis=1, keepdims=True)
        moves = np.maximum(np.log(part / (part - tolerance)), np.log((part + tolerance) / part))
        left, sizes, _ = np.linalg.svd(logs, full_matrices=False)
        rank = int(np.sum(sizes > np.linalg.norm(moves) * (1 + 1e-9) + 1e-12 * sizes[0]))
        if rank > 1 and rank > (claims[0].fields["bound"] if claims else 1):
            claims = [
                Claim(
                    "d_k_at_least",
                    {"rows": field, "bound": rank, "tolerance": tolerance},
                    {"subspace": left[:, :rank], "columns": columns.tolist()},
                )
            ]
    return claims


def _vanishing(
    nearest: Nearest, plus: Any, dimension: int, minus: Any = None
) -> list[tuple[int, str]] | None:
    """Rational weights ≥ 0, not all 0, of a combination of plus − minus that is exactly 0."""
    if dimension > MOST_EXACT:
        return None
    indices: NDArray[np.intp] = nearest.indices
    nothing = [0.0] * dimension

    def column(c: int) -> list[fmpq]:
        j = int(indices[c])
        lower = nothing if minus is None else minus(j)
        return [rational(a) - rational(b) for a, b in zip(plus(j), lower, strict=True)] + [fmpq(1)]

    floats = np.array([[float(x) for x in column(c)] for c in range(len(indices))]).T
    wanted = [fmpq(0)] * dimension + [fmpq(1)]
    solution = solve_exactly(column, wanted, nearest.weights.tolist(), floats)
    if solution is None:
        return None
    return [(int(j), text(w)) for j, w in zip(indices, solution, strict=True) if w != 0]
