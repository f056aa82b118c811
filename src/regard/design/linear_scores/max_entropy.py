"""The parameters whose weights come closest to a pattern, and the proof that none comes closer.

Minimise F(B) = Σ_i KL(P_i ‖ α_i(B)) over B. F is convex and smooth. Where its gradient vanishes,
the weights α have the moments of P. If Λ is any table of weights with the moments of P, then Σ P
ln α = Σ Λ ln α for every B (scores enter linearly), so

    Σ_i KL(P_i ‖ α_i) = Σ_i [H(Λ_i) − H(P_i)] + Σ_i KL(Λ_i ‖ α_i) ≥ Σ_i [H(Λ_i) − H(P_i)]

for every B, and the minimiser's own α, taken as Λ, makes the bound tight. The pattern can be
reached, at least as a limit, exactly if it has the largest entropy among the tables with its
moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.design.linear_scores.family import Array, Family, Pattern, softmax

__all__ = ["Closest", "closest"]

# The minimum may lie at infinity (on a face of the hull). A pull towards zero this weak, relative
# to the spread of the keys, stops Newton where what is missing is of the order of rounding.
PULL = 1e-14
MOST_STEPS = 200


@dataclass(frozen=True)
class Closest:
    """The minimiser found: B as a vector, its weights (m, n), and Σ KL(P_i ‖ α_i)."""

    vector: Array
    weights: Array
    gap: float


def closest(family: Family, pattern: Pattern, start: Array | None = None) -> Closest:
    """Minimise the divergence from a pattern by Newton's method with a line search."""
    table = pattern.table(len(family.keys))
    goal = family.moment(table)
    vector = np.zeros(family.size) if start is None else start.copy()
    scores = family.scores(vector)
    weights = softmax(scores)
    curve: Array | None = family.curvature(weights)
    pull = PULL * max(float(np.trace(np.asarray(curve))) / family.size, 1e-300)
    value = _divergence(scores, pattern) + 0.5 * pull * float(vector @ vector)
    last_steps = 3
    for _ in range(MOST_STEPS):
        slope = family.moment(weights) - goal + pull * vector
        curve = family.curvature(weights) if curve is None else curve
        curve[np.diag_indices_from(curve)] += pull
        step = np.linalg.lstsq(curve, -slope, rcond=1e-18)[0]
        fall = float(-slope @ step)
        curve = None
        if fall <= 1e-28:
            break
        if fall <= 1e-13 * max(value, 1e-3):
            # F cannot show a gain this small. Newton's steps are safe here: a few make the
            # moments exact.
            last_steps -= 1
            if last_steps < 0:
                break
            vector = vector + step
            scores = family.scores(vector)
            weights = softmax(scores)
            value = _divergence(scores, pattern) + 0.5 * pull * float(vector @ vector)
            continue
        length = 1.0
        for _ in range(60):
            moved = vector + length * step
            moved_scores = family.scores(moved)
            moved_value = _divergence(moved_scores, pattern) + 0.5 * pull * float(moved @ moved)
            if moved_value <= value - 1e-4 * length * fall:
                break
            length *= 0.5
        else:  # no step goes down any further: what is left is rounding
            break
        vector, scores, value = moved, moved_scores, moved_value
        weights = softmax(scores)
    return Closest(vector, weights, max(0.0, _divergence(scores, pattern)))


def _divergence(scores: Array, pattern: Pattern) -> float:
    """Σ_i KL(P_i ‖ softmax(s_i)), without forming a difference of large numbers."""
    total = 0.0
    for row, indices, weights in zip(scores, pattern.indices, pattern.weights, strict=True):
        top = float(np.max(row))
        log_sum = np.log(np.sum(np.exp(row - top)))
        total += float(np.sum(weights * (np.log(weights) - (row[indices] - top) + log_sum)))
    return total
