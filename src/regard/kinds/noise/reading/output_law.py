"""The law of the output of heads over random keys, as shares of the values.

In the limit of large queries each head gives all its weight to the key with the highest score,
and the output has finitely many values: atoms. Otherwise only its mean and covariance are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from regard.analysis.noise.hardmax_limit import limit_atoms, nonnegative_atoms
from regard.analysis.noise.one_noise import Winners
from regard.analysis.noise.random_scores import Scores
from regard.checking.sampling import softmax
from regard.kinds.noise.instance import Setting
from regard.problems.instances import Float64

EXACT = 1e-6  # relative to the size of the values
LATE = 1e-4  # an error of probabilities where a small parameter has its limit last
SAMPLES = 200_000  # of scores of which none may be negative


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
            found = _finite(at, at.offsets, keep_positive)
            return replace(found, rough=max(found.rough, rough))
        every = tuple(range(len(at.means)))
        won, error = [(1.0, (every,) * at.heads)], 0.0
    else:
        winners = nonnegative_atoms if keep_positive else limit_atoms
        won, error, _ = winners(scores, np.random.default_rng(0))
    if not won:  # nothing is left
        return _unknown(soft)
    if any(_moving_tie(soft, keys) for _, keys in won):
        return _finite(at, at.offsets + _large(scores) * at.directions, keep_positive)
    found_atoms: dict[tuple[float, ...], tuple[float, Float64]] = {}
    for chance, heads in won:
        if at.late and chance <= LATE * 0.1:
            continue
        shares = np.zeros(len(at.means))
        for h, keys in enumerate(heads):
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


def _moving_tie(soft: Scores, winners: Winners) -> bool:
    """Whether keys tie whose weights depend on noise that does not grow."""
    return any(
        len(keys) > 1 and bool(np.any(soft.deviations[h, list(keys)] > 0))
        for h, keys in enumerate(winners)
    )


def _finite(at: Setting, queries: Float64, keep_positive: bool) -> Law:
    """Return mean and covariance of the weights of queries (H, d)."""
    n, scores = len(at.means), at.scores(queries)
    if not keep_positive:
        found = at.output_law(queries, np.eye(n), 1e-5)
        return _without_atoms(found.mean, found.covariance, float(found.error))
    normals = np.random.default_rng(0).standard_normal((SAMPLES, scores.keys, scores.heads))
    s = scores.means + np.einsum("nhg,png->phn", scores.factors(), normals)
    few = s[np.all((s >= 0) | (scores.deviations == 0), axis=(1, 2))]
    if len(few) < 2:
        return _unknown(scores)
    weights = np.mean(softmax(few), axis=1)
    error = 5 / math.sqrt(len(weights))
    return _without_atoms(np.mean(weights, axis=0), np.cov(weights.T), error)


def _without_atoms(mean: Float64, covariance: Float64, rough: float) -> Law:
    return Law(np.zeros(0), np.zeros((0, len(mean))), mean, covariance, rough)


def _unknown(scores: Scores) -> Law:
    """The law where next to nothing is left, so that nothing can be said."""
    mean = np.mean(softmax(scores.means), axis=0)
    return _without_atoms(mean, np.zeros((len(mean), len(mean))), math.inf)


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
