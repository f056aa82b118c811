"""Weights and outputs that contradict each other: the same average of tokens, different outputs.

Row i puts out V m_i, with m_i the average of tokens that it is to attend to. If Σ u_i m_i = 0 then
Σ u_i c_i = 0 whatever V is. Outputs o_i with Σ u_i o_i ≠ 0 cannot be had with these weights.

Weights within the tolerance of these leave a little for other tokens, and a V that is large enough
makes any output of that little. What is proved is therefore for values V x_j up to a distance from
each other, and the goal counts as impossible where that is far beyond the outputs themselves.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from regard.certify import Claim
from regard.design.linear_scores.rational_witness import rational, text
from regard.kinds.self_attention.solve.plan import Pattern
from regard.kinds.self_attention.solve.sparse import Array

__all__ = ["Contradiction", "contradiction"]

_FAR = 10.0  # times the outputs: values further apart are no way to look at a token


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Numbers u by row, and the claim they prove.

    Attributes:
        combination: u by row.
        exactly: how far one output is off at least with exactly the weights asked for.
        spread: up to which distance between values V x_j the goal is excluded.
        claim: that weights within the tolerance and such values miss an output by more than it.
    """

    combination: dict[int, Fraction]
    exactly: float
    spread: float
    claim: Claim


def contradiction(
    tokens: Array, attend: Pattern, outputs: dict[int, Array], tolerance: float
) -> Contradiction | None:
    """Return why the weights rule out the outputs; None: they do not, or only for a small V.

    Args:
        tokens: (n, d).
        attend: by row, the weights that are wanted.
        outputs: by row, the output that is wanted.
        tolerance: how far an output may be from it, in length, and a weight, in size.
    """
    rows = [row for row in outputs if row in attend]
    if len(rows) < 2:
        return None
    wanted = np.array([outputs[row] for row in rows])
    best: tuple[float, float, float, list[fmpq]] | None = None
    for u in _dependences([_average(tokens, attend[row]) for row in rows]):
        floats = np.array([int(x.p) / int(x.q) for x in u])
        size = float(np.sum(np.abs(floats)))
        apart = float(np.linalg.norm(floats @ wanted)) / size
        moves = _moves(floats, [attend[row] for row in rows], tolerance) / size
        if apart > tolerance and (best is None or (apart - tolerance) / moves > best[0]):
            best = (apart - tolerance) / moves, apart, moves, u
    if best is None:
        return None
    limit, apart, moves, u = best
    spread = _rounded_down(limit * (1 - 1e-6))
    bound = (apart - moves * spread) * (1 - 1e-12)
    if bound <= tolerance or spread < _FAR * np.max(np.linalg.norm(wanted, axis=1)):
        return None
    used = {row: x for row, x in zip(rows, u, strict=True) if x != 0}
    fields = {
        "rows": [
            {"row": row, "indices": list(attend[row]), "weights": list(attend[row].values())}
            for row in rows
        ],
        "outputs": [{"row": row, "vector": outputs[row].tolist()} for row in rows],
        "within": tolerance,
        "spread": spread,
        "bound": bound,
    }
    claim = Claim(
        "outputs_contradict", fields, {"combination": [[row, text(x)] for row, x in used.items()]}
    )
    combination = {row: Fraction(int(x.p), int(x.q)) for row, x in used.items()}
    return Contradiction(combination, apart, spread, claim)


def _moves(u: Array, attend: list[dict[int, float]], tolerance: float) -> float:
    """Return how much of the weights moves in Σ u_i c_i: the proof is at `outputs_contradict`."""
    more: dict[int, float] = {}
    less: dict[int, float] = {}
    for x, weights in zip(u.tolist(), attend, strict=True):
        side = more if x > 0 else less
        for j, weight in weights.items():
            side[j] = side.get(j, 0.0) + abs(x) * min(tolerance, weight)
    return sum(max(more.get(j, 0.0), less.get(j, 0.0)) for j in {*more, *less})


def _rounded_down(value: float) -> float:
    """Return it in three digits."""
    step = math.floor(math.log10(value)) - 2
    return float(f"{math.floor(value / 10.0**step)}e{step}")


def _average(tokens: Array, weights: dict[int, float]) -> list[fmpq]:
    """Return the average of tokens, in rationals, with weights divided by their sum."""
    total = sum((rational(w) for w in weights.values()), fmpq(0))
    return [
        sum((rational(w) / total * rational(tokens[j, k]) for j, w in weights.items()), fmpq(0))
        for k in range(tokens.shape[1])
    ]


def _dependences(averages: list[list[fmpq]]) -> list[list[fmpq]]:
    """Return numbers u with Σ u_i m_i = 0: of equal pairs, then a basis of all of them."""
    m = len(averages)
    found = []
    for a, b in itertools.combinations(range(m), 2):
        if averages[a] == averages[b]:
            found.append([fmpq((i == a) - (i == b)) for i in range(m)])
    reduced, rank = fmpq_mat([list(column) for column in zip(*averages, strict=True)]).rref()
    leads = []
    for line in range(rank):
        leads.append(next(c for c in range(m) if reduced[line, c] != 0))
    for free in (c for c in range(m) if c not in leads):
        u = [fmpq(0)] * m
        u[free] = fmpq(1)
        for line, lead in enumerate(leads):
            u[lead] = -reduced[line, free]
        found.append(u)
    return found
