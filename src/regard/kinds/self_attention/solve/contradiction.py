"""Weights and outputs that contradict each other: the same average of tokens, different outputs.

Row i puts out V m_i, with m_i the average of tokens that it is to attend to. If Σ u_i m_i = 0 then
Σ u_i c_i = 0 whatever V is. Outputs o_i with Σ u_i o_i ≠ 0 cannot be had with these weights.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from regard.certify import Claim
from regard.design.linear_scores.rational_witness import rational, text
from regard.kinds.self_attention.solve.plan import Pattern
from regard.kinds.self_attention.solve.sparse import Array
from regard.report import number
from regard.solving.latex_numbers import tex

__all__ = ["Contradiction", "contradiction", "contradiction_steps"]


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Numbers u by row, the claim they prove, and what could get around it.

    Attributes:
        combination: u by row.
        claim: that the weights asked for cannot give the outputs asked for.
        spread: how far values must be apart in all for weights within the tolerance to do it.
    """

    combination: dict[int, Fraction]
    claim: Claim
    spread: float


def contradiction(
    tokens: Array, attend: Pattern, outputs: dict[int, Array], tolerance: float
) -> Contradiction | None:
    """Return why the weights rule out the outputs within the tolerance; None: they do not.

    Args:
        tokens: (n, d).
        attend: by row, the weights that are wanted.
        outputs: by row, the output that is wanted.
        tolerance: how far an output may be from it.
    """
    rows = [row for row in outputs if row in attend]
    if len(rows) < 2:
        return None
    best: tuple[float, list[fmpq]] | None = None
    wanted = np.array([outputs[row] for row in rows])
    for u in _dependences([_average(tokens, attend[row]) for row in rows]):
        floats = np.array([int(x.p) / int(x.q) for x in u])
        bound = float(np.linalg.norm(floats @ wanted) / np.sum(np.abs(floats))) * (1 - 1e-12)
        if bound > tolerance and (best is None or bound > best[0]):
            best = bound, u
    if best is None:
        return None
    bound, u = best
    used = {row: x for row, x in zip(rows, u, strict=True) if x != 0}
    fields = {
        "rows": [
            {"row": row, "indices": list(attend[row]), "weights": list(attend[row].values())}
            for row in rows
        ],
        "outputs": [{"row": row, "vector": outputs[row].tolist()} for row in rows],
        "bound": bound,
    }
    claim = Claim(
        "outputs_contradict", fields, {"combination": [[row, text(x)] for row, x in used.items()]}
    )
    combination = {row: Fraction(int(x.p), int(x.q)) for row, x in used.items()}
    return Contradiction(combination, claim, (bound - tolerance) / tolerance)


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


def contradiction_steps(against: Contradiction, tolerance: float) -> tuple[tuple[str, str], ...]:
    """Return why the weights and the outputs that are asked for contradict each other."""
    rows = _listing([f"$c_{{{row + 1}}}$" for row in against.combination])
    moved = " + ".join(
        rf"{_coefficient(weight)} c_{{{row + 1}}}" for row, weight in against.combination.items()
    ).replace("+ -", "- ")
    return (
        (
            f"With the weights that are asked for, {rows} are $V$ times averages of tokens, and "
            "these averages depend on each other. So do the outputs, whatever $V$ is.",
            rf"{moved} = 0",
        ),
        (
            "The outputs that are asked for do not: one of them is missed by at least",
            rf"\max_i \lVert c_i - o_i \rVert \ge {tex(against.claim.fields['bound'])}",
        ),
        (
            f"Weights that are only within {number(tolerance)} leave a little for other tokens. "
            "That makes the difference only where $V x_j$ are far apart: the distances from one "
            "of them to the others sum to at least",
            rf"\sum_j \lVert V x_j - V x_1 \rVert \ge {tex(against.spread)}",
        ),
    )


def _coefficient(weight: Fraction) -> str:
    if weight.denominator == 1:
        size = "" if abs(weight) == 1 else str(abs(weight))
    else:
        size = rf"\frac{{{abs(weight.numerator)}}}{{{weight.denominator}}}"
    return f"{'-' if weight < 0 else ''}{size}"


def _listing(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
