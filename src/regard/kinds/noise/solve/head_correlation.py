"""Heads with different queries whose weights are correlated."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from regard.analysis.noise.one_head import one_head
from regard.analysis.noise.random_scores import read_scores
from regard.analysis.noise.two_heads import two_heads
from regard.problems.instances import Float64


@cache
def correlations() -> tuple[float, float]:
    """Correlations of weights of two heads with different queries, in two examples.

    Noise (1/4)(μ_a + μ_b)(μ_a + μ_b)' in one of two keys, queries 3 μ_a and 3 μ_b: of the weights
    on v_a. Noise of standard deviation 0.3 in three keys, queries (3, 0, 0) and (2, 3, 0): of the
    weights on v_1 and v_2.
    """
    shared = np.array([np.full((2, 2), 0.25), np.zeros((2, 2))])
    noise = np.repeat(0.09 * np.eye(3)[None], 3, axis=0)
    tilted = np.array([[3.0, 0.0, 0.0], [2.0, 3.0, 0.0]])
    return _correlation(3 * np.eye(2), shared, 0), _correlation(tilted, noise, 1)


def _correlation(queries: Float64, covariances: Float64, j: int) -> float:
    """The correlation of the weight on the first key in one head and on key j in the other."""
    scores = read_scores("noise", queries, np.eye(len(covariances)), covariances, 1.0)
    joint, _ = two_heads(scores.means, scores.covariances)
    one, two = (one_head(m, s) for m, s in zip(scores.means, scores.deviations, strict=True))
    variances = one.second[0, 0] - one.mean[0] ** 2, two.second[j, j] - two.mean[j] ** 2
    return float((joint[0, j] - one.mean[0] * two.mean[j]) / math.sqrt(math.prod(variances)))
