"""What is claimed of a head: how close it comes, or why none can."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify import Claim
from regard.design.heads.output_targets import Wanted
from regard.design.heads.rank_bound import rows_field
from regard.design.linear_scores.family import Array, Family, Pattern, largest
from regard.design.linear_scores.farkas import complete
from regard.design.linear_scores.farkas_claims import RADIUS, entropy
from regard.design.linear_scores.max_entropy import Closest
from regard.design.linear_scores.min_norm_point import Nearest
from regard.design.linear_scores.smallest_scale import Wide, error_above, rounding

__all__ = ["Matrices", "close", "outputs_obstruction", "pattern_obstruction", "reach_radius"]

MOST_ROWS = 40  # all triples of them are looked at


@dataclass(frozen=True, eq=False)
class Matrices:
    """A head: W_Q, W_K and W_V act on rows; A is W_K W_Qᵀ as floats round it.

    `values_given` says that W_V was given, so that a certificate has it among its arrays.
    """

    W_Q: Array
    W_K: Array
    A: Array
    W_V: Array
    values_given: bool = False


def close(
    tokens: Array, head: Matrices, scale: float, attend: Wanted, outputs: dict[int, Array]
) -> tuple[list[Claim], float]:
    """Claims that the weights and outputs asked for come out, and the error they claim.

    Everything is claimed twice: of W_Q and W_K, and of their product A, which is rounded.
    """
    W_Q, W_K, A, W_V = head.W_Q, head.W_K, head.A, head.W_V
    wide = tokens.astype(np.longdouble)
    size = np.abs(tokens)
    # Each form of the head: queries and keys in wide floats, and the sizes of what is summed in
    # them.
    forms: list[tuple[dict[str, Array], Wide, Wide, Array, Array]] = [
        (
            {"W_Q": W_Q, "W_K": W_K},
            _product(wide, W_Q),
            _product(wide, W_K),
            size @ np.abs(W_Q),
            size @ np.abs(W_K),
        ),
        ({"A": A}, _product(wide, A.T), wide, size @ np.abs(A).T, size),
    ]
    claims = []
    worst = 0.0
    for witness, queries, keys, query_size, key_size in forms:
        terms = 2 * tokens.shape[1] + W_Q.shape[1]
        longest = float(np.max(np.linalg.norm(key_size, axis=1)))
        sizes = abs(scale) * longest * np.linalg.norm(query_size, axis=1)
        scores = np.longdouble(scale) * np.einsum("md,nd->mn", queries, keys)
        relative = rounding(sizes, terms)
        if attend:
            rows = list(attend)
            pattern = Pattern(
                tuple(indices for indices, _ in attend.values()),
                tuple(weights for _, weights in attend.values()),
            )
            error = error_above(scores[rows], relative[rows], pattern, None)
            worst = max(worst, error)
            fields: dict[str, Any] = {"rows": rows_field(rows, pattern), "bound": error}
            claims.append(Claim("pattern_close", fields, witness))
        if outputs:
            rows = list(outputs)
            wanted = np.array(list(outputs.values()))
            error = _outputs_error(scores[rows], relative[rows], wide, W_V, wanted)
            worst = max(worst, error)
            fields = {
                "outputs": [{"row": r, "vector": v.tolist()} for r, v in outputs.items()],
                "bound": error,
            }
            claims.append(
                Claim(
                    "outputs_close",
                    fields,
                    witness if head.values_given else {**witness, "W_V": W_V},
                )
            )
    # One number for all: what the design says of itself is what each claim says.
    return [Claim(c.kind, {**c.fields, "bound": worst}, c.witness) for c in claims], worst


def _product(left: Wide, right: Array) -> Wide:
    return np.einsum("nd,dk->nk", left, right.astype(np.longdouble))


def _outputs_error(scores: Wide, relative: Array, tokens: Wide, W_V: Array, wanted: Array) -> float:
    """The largest ‖output − wanted‖₂, raised above what rounding may hide."""
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = powers / np.sum(powers, axis=1, keepdims=True)
    values = _product(tokens, W_V)
    missed = np.einsum("mn,nv->mv", weights, values) - wanted
    size = np.einsum("mn,nv->mv", weights, _product(np.abs(tokens), np.abs(W_V)))
    unit = 16 * np.finfo(np.longdouble).eps * (len(tokens) + tokens.shape[1])
    slack = (relative[:, None] + unit) * size + unit * np.abs(wanted)
    length = np.max(np.sqrt(np.sum((np.abs(missed) + slack) ** 2, axis=1)))
    return float(np.nextafter(float(length * (1 + np.longdouble(1e-12))), np.inf))


def reach_radius(family: Family) -> float:
    """The ‖A‖ up to which a rounded witness speaks: scores are then up to 1e8 apart."""
    centre = np.mean(family.keys, axis=0)
    diameter = 2 * float(np.max(np.linalg.norm(family.keys - centre, axis=1)))
    longest = float(np.max(np.linalg.norm(family.rows, axis=1)))
    size = max(diameter, 1e-9 * largest(family.keys)) * longest * abs(family.scale)
    return RADIUS / max(size, 1e-300)


def pattern_obstruction(
    family: Family, rows: list[int], pattern: Pattern, near: Closest, A: Array, unit: float
) -> list[Claim]:
    """Claims that no head has the pattern, from the weights with its moments and more entropy.

    `A` is the closest head for the tokens as given, which times `unit` are those of the family.
    """
    table = pattern.table(len(family.keys))
    combination = complete(family, near.weights, table)
    weights = combination.weights
    radius = None
    if combination.exact is None:
        # Far enough that the closest head is among those spoken of.
        radius = max(reach_radius(family), 2 * float(np.linalg.norm(A)) / unit**2)
    exact = combination.exact
    entries: list[list[Any]] = [
        [row, j, float(weights[i, j]) if exact is None else exact[i][j]]
        for i, row in enumerate(rows)
        for j in np.flatnonzero(weights[i]).tolist()
    ]
    slack = 0.0 if radius is None else radius * combination.residual * (1 + 1e-9)
    radius = None if radius is None else radius * unit**2
    field = rows_field(rows, pattern)
    gain = sum(
        entropy(held) - entropy(wanted)
        for held, wanted in zip(weights, pattern.weights, strict=True)
    )
    apart = Claim(
        "pattern_apart",
        {"rows": field, "bound": (gain - slack) * (1 - 1e-12) - 1e-14, "radius": radius},
        {"combination": entries, "attained_by": {"A": A}},
    )
    if not pattern.one_target:
        return [apart]
    targets = dict(zip(rows, (int(i[0]) for i in pattern.indices), strict=True))
    others = weights * (table == 0)
    shares = np.sum(others, axis=1)
    total = float(np.sum(shares))
    if total <= 0:
        return [apart]
    mean = sum(
        share / total * entropy(row) for share, row in zip(shares, others, strict=True) if share > 0
    )
    bound = 1 / (1 + np.exp(mean - slack / total))
    ceiling = Claim(
        "pattern_ceiling",
        {"rows": field, "bound": min(1.0, float(bound) * (1 + 1e-12)), "radius": radius},
        {
            "combination": [entry for entry in entries if entry[1] != targets[entry[0]]],
            "attained_by": {"A": A},
        },
    )
    return [ceiling, apart]


def outputs_obstruction(
    tokens: Array,
    outputs: dict[int, Array],
    W_V: Array | None,
    tolerance: float,
    distance: Callable[[Array, Array], Nearest],
) -> Claim | None:
    """A claim that no head has these outputs, if one of three reasons applies."""
    rows = list(outputs)
    field = [{"row": row, "vector": vector.tolist()} for row, vector in outputs.items()]
    for place, row in enumerate(rows):
        for other in rows[:place]:
            apart = float(np.linalg.norm(outputs[row] - outputs[other])) / 2
            if apart > tolerance and np.array_equal(tokens[row], tokens[other]):
                return Claim(
                    "outputs_out_of_reach",
                    {"outputs": field, "bound": apart * (1 - 1e-12)},
                    {"same": [row, other]},
                )
    bent = _turning_rows(tokens, outputs, tolerance)
    if bent is not None:
        witness, bound = bent
        fields = {"outputs": field, "bound": bound}
        return Claim("outputs_out_of_reach", fields, witness)
    if W_V is not None:
        values = tokens @ W_V
        for vector in outputs.values():
            nearest = distance(values, vector)
            size = float(np.max(np.abs(tokens)) * np.max(np.abs(W_V))) * tokens.shape[1]
            bound = (nearest.lower - 1e-14 * size) * (1 - 1e-12)
            if bound > tolerance:
                combination = np.zeros(len(tokens))
                combination[nearest.indices] = nearest.weights
                return Claim(
                    "apart_from_hull",
                    {
                        "array": "tokens",
                        "times": "W_V",
                        "point": vector.tolist(),
                        "bound": bound,
                    },
                    {"direction": -nearest.point, "combination": combination},
                )
    elif outputs:
        wanted = np.array(list(outputs.values()))
        rank = int(np.linalg.matrix_rank(tokens))
        left, sizes, _ = np.linalg.svd(wanted, full_matrices=False)
        if len(sizes) > rank:
            bound = float(sizes[rank]) / np.sqrt(len(rows)) * (1 - 1e-9)
            if bound > tolerance:
                return Claim(
                    "outputs_out_of_reach",
                    {"outputs": field, "bound": bound},
                    {"subspace": left[:, : rank + 1]},
                )
    return None


def _turning_rows(
    tokens: Array, outputs: dict[int, Array], tolerance: float
) -> tuple[dict[str, Any], float] | None:
    """Three rows whose tokens lie on a line, in this order, and whose outputs turn back."""
    if len(outputs) > MOST_ROWS or np.linalg.matrix_rank(tokens) != 1:
        return None
    line = tokens[np.argmax(np.linalg.norm(tokens, axis=1))]
    rows = sorted(outputs, key=lambda row: float(tokens[row] @ line))
    for a, b, c in itertools.combinations(rows, 3):
        low = np.minimum(outputs[a], outputs[c])
        high = np.maximum(outputs[a], outputs[c])
        beyond = np.maximum(outputs[b] - high, low - outputs[b])
        k = int(np.argmax(beyond))
        bound = float(beyond[k]) / 2 * (1 - 1e-12)
        if bound > tolerance:
            return {"monotone": [a, b, c], "coordinate": k}, bound
    return None
