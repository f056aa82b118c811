"""How far an output moves when scores do: by given changes, and by the worst within a bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["change_of", "largest_change", "lengths"]

Array = NDArray[np.float64]

TINY = np.finfo(np.float64).tiny
CLIMBS = 16  # steps to the worst change of the scores; two or three are usual
STARTS = 8  # directions of each kind that a climb begins in


def lengths(vectors: Array) -> Array:
    """Return the lengths (...) of vectors (..., d)."""
    return np.asarray(np.linalg.norm(vectors, axis=-1), dtype=np.float64)


def change_of(log_weights: Array, around_output: Array, moved: Array) -> Array:
    """Return the change (..., d_v) of the output when scores move by `moved` (..., n)."""
    moved = moved - np.max(moved, axis=-1, keepdims=True)
    # Σ weights · (value − output) is zero, so only e^moved − 1 counts: exact for small moves.
    shift = np.exp(log_weights) * np.expm1(moved)
    total = 1 + np.sum(shift, axis=-1, keepdims=True)
    logs = log_weights + moved
    weights = np.exp(logs - np.max(logs, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    # Where little of the weight stays, 1 + shift cancels, and the new weights are taken.
    shares = np.where(total > 0.5, shift / np.where(total > 0.5, total, 1.0), weights)
    return np.asarray(np.einsum("...i,...ij->...j", shares, around_output), dtype=np.float64)


def largest_change(log_weights: Array, around_output: Array, eta: float) -> Array:
    """Climb to a change of the scores within ±eta that moves the output far.

    In a fixed direction u the farthest output raises the scores of all values beyond some point
    along u by eta and lowers the others; then u turns to where the output went.
    """
    weights = np.exp(log_weights)
    spread = np.swapaxes(around_output * weights[..., None], -1, -2) @ around_output
    vectors = np.linalg.eigh(spread)[1]
    starts = [vectors[..., -1 - k] for k in range(min(STARTS, vectors.shape[-1]))]
    for i in range(min(STARTS, around_output.shape[-2])):  # towards single values, too
        value = around_output[..., i, :]
        starts.append(value / np.maximum(lengths(value), TINY)[..., None])
    less = -np.expm1(-2 * eta)  # raised by eta against lowered by eta: factors 1 and 1 − less
    best = np.zeros(weights.shape[:-1])
    for direction in (sign * start for start in starts for sign in (1, -1)):
        reached = np.zeros_like(best)
        for _ in range(CLIMBS):
            along = (around_output @ direction[..., None])[..., 0]
            order = np.argsort(-along, axis=-1)
            mass, moment = (
                np.cumsum(np.take_along_axis(x, order, axis=-1), axis=-1)
                for x in (weights, weights * along)
            )
            last = np.argmax(moment / np.maximum(1 - less + less * mass, TINY), axis=-1)
            raised = np.argsort(order, axis=-1) <= last[..., None]
            delta = change_of(log_weights, around_output, np.where(raised, eta, -eta))
            length = lengths(delta)
            if not np.any(length > reached):
                break
            reached = np.maximum(reached, length)
            direction = delta / np.maximum(length, TINY)[..., None]
        best = np.maximum(best, reached)
    return best
