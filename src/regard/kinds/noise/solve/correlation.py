"""Heads with different queries whose weights are correlated."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from regard.analysis.noise.one_head import one_head
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.analysis.noise.two_heads import two_heads


@cache
def correlations() -> tuple[float, float]:
    """Correlations of weights of two heads with different queries, in two examples."""
    pair = read_scores(
        "solving.noise", 3 * np.eye(2), np.eye(2), [np.full((2, 2), 0.25), np.zeros((2, 2))], 1.0
    )
    three = read_scores(
        "solving.noise",
        [[3.0, 0.0, 0.0], [2.0, 3.0, 0.0]],
        np.eye(3),
        np.repeat(0.09 * np.eye(3)[None], 3, axis=0),
        1.0,
    )
    return _correlation(pair, 0, 0), _correlation(three, 0, 1)


def _correlation(scores: Scores, i: int, j: int) -> float:
    """The correlation of the weight on i in the first head and on j in the second."""
    joint, _ = two_heads(scores.means, scores.covariances)
    first, second = (one_head(m, s) for m, s in zip(scores.means, scores.deviations, strict=True))
    cross = joint[i, j] - first.mean[i] * second.mean[j]
    a = first.second[i, i] - first.mean[i] ** 2
    b = second.second[j, j] - second.mean[j] ** 2
    return float(cross / math.sqrt(a * b))
