"""How large a design must be: the smallest C within the tolerance, and its true error.

While C is sought, weights are recomputed in float64 from scores that are linear in C. What a
design finally claims is measured on its own rounded numbers, in the widest floats NumPy has, and
rounded up by more than the measurement can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regard.design.linear_scores.family import CHUNK, Array, Pattern

__all__ = [
    "differences",
    "error_above",
    "measured_error",
    "off_target",
    "rounding",
    "smallest_scale",
    "wide_scores",
]

Wide = NDArray[np.longdouble]


def differences(scores: Array | Wide, pattern: Pattern) -> Array | Wide:
    """α − P for scores (m, n), each entry accurate relative to itself also where α is nearly P.

    For a wanted key, α_i − p_i is computed as −p_i r + (1 − r)(a_i − p_i), with a the softmax
    over the wanted keys alone and r what leaks to the others: for one wanted key that is exactly
    −r.
    """
    out = np.empty_like(scores)
    for row, (indices, weights) in enumerate(zip(pattern.indices, pattern.weights, strict=True)):
        powers = np.exp(scores[row] - np.max(scores[row]))
        inside = powers[indices]
        held = np.sum(inside)
        powers[indices] = 0
        lost = np.sum(powers)
        total = held + lost
        out[row] = powers / total
        if held > 0:
            out[row, indices] = (inside / held - weights) * (held / total) - weights * (
                lost / total
            )
        else:
            out[row, indices] = -weights
    return out


def off_target(pattern: Pattern, values: Array | None) -> Callable[[Array | Wide], float]:
    """The error of scores: the largest |α − P|, or with values ‖Σ_j (α_ij − P_ij) v_j‖₂."""

    def error(scores: Array | Wide) -> float:
        missed = differences(scores, pattern)
        if values is None:
            return float(np.max(np.abs(missed)))
        moved = np.zeros((len(missed), values.shape[1]), dtype=missed.dtype)
        for start in range(0, len(values), CHUNK):
            part = slice(start, start + CHUNK)
            moved += missed[:, part] @ values[part].astype(missed.dtype)
        return float(np.max(np.sqrt(np.sum(moved * moved, axis=1))))

    return error


def smallest_scale(error: Callable[[float], float], tolerance: float, enough: float) -> float:
    """The least C ≥ 0 from which the error stays within the tolerance, to a few units of rounding.

    Args:
        error: C ↦ the error, falling to 0 as C grows (it may rise at first).
        tolerance: positive.
        enough: a C > 0 that should suffice; doubled until it does.

    Returns:
        C with error(C) ≤ tolerance, or inf if no C up to 2^60 · enough was enough.
    """
    high = enough
    for _ in range(60):
        if error(high) <= tolerance:
            break
        high *= 2
    else:
        return float("inf")
    # Walk down while smaller ones stay good, so that bisection starts next to the last crossing.
    low = 0.8 * high
    for _ in range(80):
        if error(low) > tolerance:
            break
        high, low = low, 0.8 * low
    else:
        if error(0.0) <= tolerance:
            return 0.0
        low = 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if error(middle) <= tolerance:
            high = middle
        else:
            low = middle
    return high


def measured_error(
    keys: Array, queries: Array, scale: float, pattern: Pattern, values: Array | None
) -> float:
    """The error of queries (m, r) over keys (n, r), measured in wide floats and rounded up.

    Guarantee: not below the true error of exactly these float64 numbers.
    """
    scores = wide_scores(keys, queries, scale)
    length = float(np.max(np.einsum("nd,nd->n", keys, keys))) ** 0.5
    size = abs(scale) * length * np.linalg.norm(queries, axis=1)
    return error_above(scores, rounding(size, keys.shape[1]), pattern, values)


def rounding(size: Array, terms: int) -> Array:
    """How far weights computed from wide scores may be wrong, relative to themselves.

    Args:
        size: (m,), at least the sum of the absolute terms of any score of the row.
        terms: how many terms a score has.

    A score of t terms is wrong by at most t units times `size`, its power by as much relative to
    itself, and sums of powers by no more than that. The factor covers what else is rounded on the
    way.
    """
    return 16 * float(np.finfo(np.longdouble).eps) * (terms + 4) * (1 + np.asarray(size))


def error_above(scores: Wide, relative: Array, pattern: Pattern, values: Array | None) -> float:
    """The error of wide scores (m, n), raised above what rounding may hide (`relative` per row)."""
    missed = differences(scores, pattern)
    unit = np.finfo(np.longdouble).eps * 16
    relative = np.asarray(relative)[:, None]
    slack = relative * np.abs(missed)
    for row, (indices, weights) in enumerate(zip(pattern.indices, pattern.weights, strict=True)):
        if len(indices) > 1:  # there α − p is a difference of nearly equal numbers
            slack[row, indices] += relative[row] * weights
    if values is None:
        return _up(np.max(np.abs(missed) + slack))
    moved, moved_slack = np.longdouble(0), np.longdouble(0)
    for start in range(0, len(values), CHUNK):
        part = slice(start, start + CHUNK)
        wide = values[part].astype(np.longdouble)
        moved = moved + np.einsum("mn,nv->mv", missed[:, part], wide)
        rounding = slack[:, part] + unit * np.abs(missed[:, part])
        moved_slack = moved_slack + np.einsum("mn,nv->mv", rounding, np.abs(wide))
    return _up(np.max(np.sqrt(np.sum((np.abs(moved) + moved_slack) ** 2, axis=1))))


def wide_scores(keys: Array | Wide, queries: Array | Wide, scale: float) -> Wide:
    """Scores (m, n) of queries (m, r) and keys (n, r) in the widest floats there are."""
    wide = queries.astype(np.longdouble)
    scores = np.empty((len(queries), len(keys)), dtype=np.longdouble)
    for start in range(0, len(keys), CHUNK):
        part = keys[start : start + CHUNK].astype(np.longdouble)
        # einsum, because a product of longdoubles by @ makes a copy of every operand
        scores[:, start : start + CHUNK] = np.einsum("md,nd->mn", wide, part)
    return np.longdouble(scale) * scores


def _up(error: np.longdouble) -> float:
    """To float64, upwards; a bound of exactly 0 stays 0 only if nothing was missed."""
    return float(np.nextafter(float(error * (1 + np.longdouble(1e-12))), np.inf))
