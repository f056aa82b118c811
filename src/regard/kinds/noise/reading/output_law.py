"""The law of the output of heads over random keys, as shares of the values.

In the limit of large queries each head gives all its weight to the key with the highest score,
and the output has finitely many values: atoms. Otherwise only its mean and covariance are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.analysis import key_noise
from regard.analysis.noise.hardmax_limit import limit_atoms
from regard.analysis.noise.random_scores import Scores
from regard.checking.sampling import softmax
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.instance.positive_scores import Winners, positive_draws, positive_winners

Float64 = NDArray[np.float64]

EXACT = 1e-6  # relative to the size of the values
LATE = 1e-4  # an error of probabilities where a small parameter has its limit last


@dataclass(frozen=True, eq=False)
class Law:
    """What the output is made of.

    Attributes:
        chances: (m,), of the atoms; none where there are no atoms.
        shares: (m, n), how much of each value is in them.
        mean: (n,), the mean of the shares.
        covariance: (n, n), their covariance.
        rough: how far off all this may be; infinite where the limit is not known.
    """

    chances: Float64
    shares: Float64
    mean: Float64
    covariance: Float64
    rough: float

    @property
    def atomic(self) -> bool:
        """Whether the output has finitely many values."""
        return len(self.chances) > 0

    def atoms(self, values: Float64) -> Float64:
        """The atoms (m, 1 + d_v) for values (n, d_v): probability and value in each row."""
        return np.column_stack([self.chances, self.shares @ values])

    def variance(self, values: Float64) -> float:
        """The mean of the squared distance from the mean."""
        return float(np.trace(values.T @ self.covariance @ values))

    def same(self, other: Law) -> bool:
        """Whether another law has the same mean and covariance."""
        alike = np.allclose(self.mean, other.mean, atol=1e-12)
        return alike and bool(np.allclose(self.covariance, other.covariance, atol=1e-12))


def law(at: Setting, *, keep_positive: bool = False, drop: frozenset[int] = frozenset()) -> Law:
    """Return the law of the average of the heads' outputs.

    Args:
        at: keys and queries.
        keep_positive: whether cases with a negative score that varies are left out.
        drop: keys whose value is counted as 0 where several share a head's weight.
    """
    scores, soft = at.scores(at.directions), at.scores(at.offsets)
    rough = LATE if at.late else 0.0
    if not np.any(at.directions):
        rough = math.inf if at.open_limit else rough
        if np.any(soft.deviations):
            found = _finite(at, soft, keep_positive)
            return replace(found, rough=max(found.rough, rough))
        every = tuple(range(len(at.means)))
        won: Winners = [(1.0, (every,) * at.heads)]
        error = 0.0
    elif keep_positive:
        won, error, _ = positive_winners(scores)
    else:
        won, error, _ = limit_atoms(scores, np.random.default_rng(0))
    if any(_moving_tie(soft, keys) for _, keys in won):
        far = at.offsets + _large(scores) * at.directions
        return _finite(replace(at, offsets=far), soft, keep_positive)
    found_atoms: dict[tuple[float, ...], tuple[float, Float64]] = {}
    for chance, winners in won:
        if at.late and chance <= LATE * 0.1:
            continue
        shares = np.zeros(len(at.means))
        for h, keys in enumerate(winners):
            if len(keys) == 1 or not drop.intersection(keys):
                shares[list(keys)] += softmax(soft.means[h, list(keys)]) / at.heads
        key = tuple(np.round(shares, 10).tolist())
        before = found_atoms[key][0] if key in found_atoms else 0.0
        found_atoms[key] = (before + chance, shares)
    chances = np.array([chance for chance, _ in found_atoms.values()])
    return of_atoms(chances, np.array([s for _, s in found_atoms.values()]), error + rough)


def of_atoms(chances: Float64, shares: Float64, rough: float = 0.0) -> Law:
    """Return the law with these atoms."""
    mean = chances @ shares / np.sum(chances)
    away = shares - mean
    covariance = (away * (chances / np.sum(chances))[:, None]).T @ away
    return Law(chances, shares, mean, covariance, rough)


def _large(scores: Scores) -> float:
    """Return a factor that is as good as none above it: scores that differ are far apart."""
    order = np.argsort(scores.means, axis=1)
    steps = np.diff(np.take_along_axis(scores.means, order, axis=1), axis=1)
    blur = np.take_along_axis(scores.blur, order, axis=1)
    gap = float(np.min(steps[steps > blur[:, 1:] + blur[:, :-1]], initial=np.inf))
    return max(100.0, 60.0 / gap)


def _moving_tie(soft: Scores, winners: tuple[tuple[int, ...], ...]) -> bool:
    """Whether keys tie whose weights depend on noise that does not grow."""
    return any(
        len(keys) > 1 and bool(np.any(soft.deviations[h, list(keys)] > 0))
        for h, keys in enumerate(winners)
    )


def _finite(at: Setting, scores: Scores, keep_positive: bool) -> Law:
    """Return mean and covariance of the weights for queries of this size."""
    none, n = np.zeros(0), len(at.means)
    if not keep_positive:
        distinct, counts = np.unique(at.offsets, axis=0, return_counts=True)
        found = key_noise(
            distinct,
            at.means,
            at.covariances,
            np.eye(n),
            head_weights=counts / at.heads,
            scale=at.given.scale,
            tolerance=1e-5,
        )
        return Law(none, np.zeros((0, n)), found.mean, found.covariance, float(found.error))
    few = positive_draws(scores)
    if len(few) < 2:  # next to nothing is left, so that nothing can be said
        unknown = np.mean(softmax(scores.means), axis=0)
        return Law(none, np.zeros((0, n)), unknown, np.zeros((n, n)), math.inf)
    weights = np.mean(softmax(few), axis=1)
    error = 5 / math.sqrt(max(len(weights), 1))
    return Law(none, np.zeros((0, n)), np.mean(weights, axis=0), np.cov(weights.T), error)


def apart(said: Float64, right: Float64, size: float, room: Float64) -> float:
    """Return how often outputs of the two laws differ at the least; NaN if one is not finite.

    Args:
        said: atoms (m, 1 + d_v): probability and value in each row.
        right: atoms as they are.
        size: of the values.
        room: (m, 1 + d_v), how far `said` may be off within its digits.
    """
    if not (np.all(np.isfinite(said)) and np.all(np.isfinite(right))):
        return math.nan
    signed = np.vstack([right * np.where(np.arange(right.shape[1]), 1, -1), said])
    slacks = np.vstack([0 * right, room])
    groups: list[tuple[Float64, float, float]] = []
    for (chance, *at), (slack, *reach) in zip(signed.tolist(), slacks.tolist(), strict=True):
        point = np.array(at)
        for place, (other, total, allowed) in enumerate(groups):
            if np.linalg.norm(np.maximum(np.abs(other - point) - reach, 0)) <= EXACT * size:
                groups[place] = (other, total + chance, allowed + slack)
                break
        else:
            groups.append((point, chance, slack))
    chances = said[:, 0]
    missing = max(0.0, abs(1 - np.sum(chances)) - np.sum(room[:, 0])) if len(said) else 0.0
    wrong = sum(max(0.0, abs(total) - allowed) for _, total, allowed in groups)
    return float(0.5 * wrong + 0.5 * missing - np.sum(np.minimum(chances, 0)))
