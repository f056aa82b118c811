"""Errors that have a closed form: all tokens but the one that a row attends to score alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.kinds.self_attention.solve.outer_products import OuterProducts
from regard.kinds.self_attention.solve.sparse import Array

__all__ = ["ClosedError", "closed_errors", "unit_scores"]

ALIKE = 1e-12  # scores that differ by less are the same


@dataclass(frozen=True, eq=False)
class ClosedError:
    """The error ‖Σ_j (V x_j − V x_t)‖ / (e^gap + others) of the output of a row that looks at x_t.

    Attributes:
        row: whose output it is.
        gap: how far x_t scores above every other token, in units of C · scale · length².
        others: how many other tokens there are.
        missed: the sum of V x_j − V x_t over them, in coordinates.
        wanted: the output that is wanted, in coordinates.
    """

    row: int
    gap: float
    others: int
    missed: Array
    wanted: Array


def unit_scores(head: OuterProducts) -> Array | None:
    """Return the scores (n, n) in units of C · scale · length²; None if weights are mixed.

    Unequal weights rest on logarithms, which do not grow with that unit.
    """
    at = head.at
    if np.any(head.plan.mixed):
        return None
    return np.asarray((at.coordinates @ head.plan.Q.T) @ at.coordinates.T)


def closed_errors(head: OuterProducts) -> tuple[ClosedError, ...]:
    """Return the errors of the outputs of those rows where all tokens but one score alike."""
    at, scores, found = head.at, unit_scores(head), []
    if scores is None:
        return ()
    mapped = at.coordinates @ head.plan.V.T
    for row, output in at.outputs.items():
        target, *more = head.plan.pattern[row]
        rest = [j for j in range(len(at.tokens)) if j != target]
        gaps = scores[row, target] - scores[row, rest]
        if more or not rest or np.ptp(gaps) > ALIKE:
            continue
        missed = np.sum(mapped[rest] - mapped[target], axis=0)
        found.append(ClosedError(row, float(gaps[0]), len(rest), missed, at.in_basis(output)))
    return tuple(found)
