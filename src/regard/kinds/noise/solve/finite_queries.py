"""The law of the weights at finite sizes of the queries, exactly, and their variances."""

from __future__ import annotations

import math

import numpy as np

from regard.analysis import OutputLaw
from regard.analysis.noise.one_noise import REACH
from regard.analysis.noise.two_heads import pair_points
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.solve.hardmax_limit import limit_law
from regard.problems.instances import Float64

TOLERANCE = 1e-4  # of laws that have to be sampled
WIDEST = 1000.0  # standard deviation of a score
MOST_POINTS = 600_000  # of double integrals, times keys


def weight_law(setting: Setting, size: float | None = None) -> OutputLaw:
    """The law of the mean of the heads' weights (n,): the output for values along the axes."""
    return setting.output_law(setting.queries(size), np.eye(setting.given.n), TOLERANCE)


def kept_law(setting: Setting, size: float | None = None) -> tuple[Float64, Float64] | None:
    """Mean and covariance of the weights (n,) given that no score that varies is negative."""
    moved = setting.one_noise(setting.queries(size))
    if moved is None:
        return None
    low, high = moved.above(0.0)
    if not low < min(high, REACH) or high <= -REACH:
        return None
    mixing = np.repeat(np.eye(setting.given.n)[None] / setting.heads, setting.heads, axis=0)
    return moved.moments(mixing, low, high)


def affordable(setting: Setting, queries: Float64, *, once: bool = False) -> bool:
    """Whether the law can be looked at for many sizes of the queries, or once.

    Heads that share no noise need one integral each, others a double integral for each pair.
    """
    scores = setting.scores(np.unique(queries, axis=0))
    if float(np.max(scores.deviations)) > WIDEST or scores.keys * scores.heads > 200:
        return False
    together = np.triu(np.any(scores.covariances != 0, axis=0), 1)
    if not np.any(together):
        return scores.heads <= 4
    points = sum(
        pair_points(scores.means[[g, h]], scores.deviations[[g, h]])
        for g, h in np.argwhere(together)
    )
    return once and scores.keys * points <= MOST_POINTS


def settled(law: OutputLaw) -> float:
    """The variance of an output, 0 where it is rounding."""
    variance = float(law.variance)
    return variance if variance > law.mean.size * law.error else 0.0


def weight_variance(
    setting: Setting, size: float | None = None, *, ignore_negative: bool = False
) -> float | None:
    """The sum of the variances of all weights: the variance of the output for values on the axes.

    Args:
        setting: the problem.
        size: of what grows; infinite: in the limit; None: as in the instance.
        ignore_negative: given that no score that varies is negative.

    Returns:
        the variance; None where it is not known.
    """
    if size is not None and math.isinf(size):
        law = limit_law(setting, ignore_negative=ignore_negative)
        return None if law is None else float(np.trace(law.moments(np.eye(setting.given.n))[1]))
    if not ignore_negative:
        return settled(weight_law(setting, size))
    kept = kept_law(setting, size)
    return None if kept is None else float(np.trace(kept[1]))
