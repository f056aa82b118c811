"""Moments of the weights by quasi-random sampling of the scores, with an honest error.

Scrambled Sobol points in the space of the scores (heads × keys, whatever d is). Each scrambling
is an independent, unbiased estimate; from sixteen of them come the mean and its standard error,
and the error that is stated covers every entry at once with the probability PROMISE.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.random_scores import Scores

__all__ = ["PROMISE", "normal_points", "sampled_moments", "sampled_weights"]

Array = NDArray[np.float64]

PROMISE = 0.99  # the share of cases in which no entry is further off than stated
SCRAMBLINGS = 16
BLOCK = 2**20  # numbers of a block of points
FIRST, LAST = 8, 15  # powers of two: points per scrambling, from and up to


def sampled_weights(scores: Scores, power: int, rng: np.random.Generator) -> Iterator[Array]:
    """Weights at 2^power quasi-random points, in blocks (points, H, n)."""
    for normals in normal_points(scores.keys, scores.heads, power, rng):
        yield scores.weights(normals)


def normal_points(keys: int, heads: int, power: int, rng: np.random.Generator) -> Iterator[Array]:
    """2^power scrambled Sobol points, as standard normal numbers, in blocks (points, n, H).

    Blocks have a bounded size: all points of a thousand keys at once would fill gigabytes.
    """
    from scipy import stats  # slow to load
    from scipy.special import ndtri  # slow to load

    count = 2**power
    size = 1 << max(0, min(power, (BLOCK // (keys * heads)).bit_length() - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # beyond 21201 dimensions SciPy raises by itself
        engine = stats.qmc.Sobol(keys * heads, scramble=True, rng=rng)
        for _ in range(count // size):
            # A point may fall on 0 exactly; half a step of the generator away is as good.
            normals = ndtri(np.clip(engine.random(size), 2.0**-33, 1 - 2.0**-33))
            yield np.asarray(normals).reshape(-1, keys, heads)


def _estimates(
    scores: Scores, mixing: Array, power: int, rng: np.random.Generator
) -> Iterator[tuple[Array, Array]]:
    for _ in range(SCRAMBLINGS):
        total, squares = np.zeros(mixing.shape[-1]), np.zeros((mixing.shape[-1],) * 2)
        for weights in sampled_weights(scores, power, rng):
            outputs = np.einsum("phn,hnv->pv", weights, mixing)
            total += np.sum(outputs, axis=0)
            squares += outputs.T @ outputs
        yield total / 2**power, squares / 2**power


def sampled_moments(
    scores: Scores, mixing: Array, tolerance: float, rng: np.random.Generator
) -> tuple[Array, Array, float]:
    """Mean and covariance of Σ_h Σ_i α_hi · mixing_hi, and the error stated for them.

    Args:
        scores: of one problem, no batch.
        mixing: (H, n, d_v), head weight times value.
        tolerance: more points are drawn until the error is below this, or there are too many.
        rng: where the scrambling comes from.
    """
    from scipy import stats  # slow to load

    # Weights sum to 1, so values may be counted from their mean: that keeps squares small.
    centres = np.mean(mixing, axis=1, keepdims=True)
    mixing = mixing - centres
    size = float(np.max(np.abs(mixing), initial=0.0)) * scores.heads
    rounding = (1e-14 + scores.rounding) * max(size, size**2)
    for power in range(FIRST, LAST + 1):
        pairs = list(_estimates(scores, mixing, power, rng))
        means = np.array([mean for mean, _ in pairs])
        centre = np.mean(means, axis=0)
        # Each scrambling's own covariance around the common mean: the mean of these is
        # E(c−μ)(c−μ)ᵀ.
        seconds = np.array([second for _, second in pairs])
        crossed = np.einsum("rv,w->rvw", means, centre)
        spreads = seconds - crossed - np.swapaxes(crossed, 1, 2) + np.outer(centre, centre)
        entries = np.concatenate([means, spreads.reshape(SCRAMBLINGS, -1)], axis=1)
        error = np.std(entries, axis=0, ddof=1) / np.sqrt(SCRAMBLINGS)
        level = (1 - PROMISE) / (2 * entries.shape[1])
        stated = float(stats.t.isf(level, SCRAMBLINGS - 1) * np.max(error)) + rounding
        if stated <= tolerance:
            break
    return centre + np.sum(centres[:, 0], axis=0), np.mean(spreads, axis=0), stated
