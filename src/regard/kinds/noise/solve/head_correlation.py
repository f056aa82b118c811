"""Heads with different queries whose weights are correlated."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from regard.analysis.one_head import one_head
from regard.analysis.scores import read_scores
from regard.analysis.two_heads import two_heads


@cache
def correlations() -> tuple[float, float]:
    """Correlations of weights of two heads with different queries, in two examples.

    Noise (1/4)(μ_a + μ_b)(μ_a + μ_b)' in one of two keys, queries 3 μ_a and 3 μ_b: of the weights
    on v_a. Noise of standard deviation 0.3 in three keys, queries (3, 0, 0) and (2, 3, 0): of the
    weights on v_1 and v_2.
    """
    shared = [np.full((2, 2), 0.25), np.zeros((2, 2))]
    noise = np.repeat(0.09 * np.eye(3)[None], 3, axis=0)
    tilted = [[3.0, 0.0, 0.0], [2.0, 3.0, 0.0]]
    return _correlation(3 * np.eye(2), shared, 0, 0), _correlation(tilted, noise, 0, 1)


def _correlation(queries: object, covariances: object, i: int, j: int) -> float:
    """The correlation of the weight on i in the first head and on j in the second."""
    scores = read_scores("noise", queries, np.eye(len(covariances)), covariances, 1.0)  # type: ignore[arg-type]
    joint, _ = two_heads(scores.means, scores.covariances)
    first, second = (one_head(m, s) for m, s in zip(scores.means, scores.deviations, strict=True))
    cross = joint[i, j] - first.mean[i] * second.mean[j]
    a = first.second[i, i] - first.mean[i] ** 2
    b = second.second[j, j] - second.mean[j] ** 2
    return float(cross / math.sqrt(a * b))
