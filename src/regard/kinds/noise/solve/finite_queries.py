"""The law of the output at finite sizes of the queries, exactly, and its variances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis import OutputLaw, key_noise
from regard.analysis.noise.two_heads import pair_points
from regard.kinds.noise.instance import Setting, read
from regard.kinds.noise.instance.positive_scores import legendre_pieces, noise_line
from regard.kinds.noise.solve.hardmax_limit import limit_law
from regard.solving.key_tables import softmax

Float64 = NDArray[np.float64]

REACH = 9.0  # standard deviations; beyond, a normal number has 10⁻¹⁹
WIDEST = 1000.0  # standard deviation of a score
MOST_POINTS = 600_000  # of double integrals, times keys


@dataclass(frozen=True, eq=False)
class OneNoise:
    """Heads that are moved by one normal number z: the scores of one key are means + line z.

    Attributes:
        key: the key.
        means: (H, n), of the scores.
        line: (H,), what z adds to the score of the key.
    """

    key: int
    means: Float64
    line: Float64

    def allowed(self) -> tuple[float, float]:
        """The z for which no score that varies is negative."""
        low, high = -math.inf, math.inf
        for mean, slope in zip(self.means[:, self.key], self.line, strict=True):
            if slope > 0:
                low = max(low, -float(mean) / float(slope))
            elif slope < 0:
                high = min(high, -float(mean) / float(slope))
        return low, high

    def logit(self, head: int) -> tuple[float, float]:
        """Mean and standard deviation of Z, where the weight of the key is 1/(1 + exp(-Z))."""
        others = np.delete(self.means[head], self.key)
        top = float(np.max(others))
        rest = top + math.log(float(np.sum(np.exp(others - top))))
        return float(self.means[head, self.key]) - rest, abs(float(self.line[head]))

    def moments(
        self, mixing: Float64, low: float = -math.inf, high: float = math.inf
    ) -> tuple[Float64, Float64]:
        """Mean and covariance of Σ_h α_h mixing_h for low < z < high; mixing is (H, n, d_v)."""
        low, high = max(low, -REACH), min(high, REACH)
        edges = [np.arange(low, high, 0.25), np.array([high])]
        for h, slope in enumerate(self.line):
            if slope:
                m, tau = self.logit(h)
                at = -m / tau * math.copysign(1.0, slope)
                edges.append(at + np.arange(-45.0, 45.5) / tau)
        points = np.unique(np.concatenate(edges))
        z, mass = legendre_pieces(points[(points >= low) & (points <= high)])
        mass = mass * np.exp(-0.5 * z * z)
        mass /= np.sum(mass)
        scores = np.repeat(self.means[None], len(z), axis=0)
        scores[:, :, self.key] += z[:, None] * self.line
        outputs = np.tensordot(softmax(scores), mixing, axes=2)
        mean = mass @ outputs
        away = outputs - mean
        return mean, (away * mass[:, None]).T @ away

    def weight_below(self, share: float, head: int = 0) -> float:
        """The chance that the key's weight in a head is below a share."""
        if not 0 < share < 1:
            return float(share >= 1)
        m, tau = self.logit(head)
        return float(ndtr((math.log(share / (1 - share)) - m) / tau))


def one_noise(setting: Setting, queries: Float64) -> OneNoise | None:
    """Return how one normal number moves all heads, if one does."""
    scores = setting.scores(queries)
    line = noise_line(scores)
    return None if line is None or line[0] < 0 else OneNoise(line[0], scores.means, line[1])


def output_law(setting: Setting, queries: Float64, values: Float64) -> OutputLaw:
    """The law of the average of the heads' outputs; equal heads are one with a larger share."""
    distinct, counts = np.unique(queries, axis=0, return_counts=True)
    return key_noise(
        distinct,
        setting.means,
        setting.covariances,
        values,
        head_weights=counts / len(queries),
        scale=setting.given.scale,
        tolerance=1e-4,
        rng=0,
    )


def weight_law(setting: Setting, size: float | None = None) -> OutputLaw:
    """The law of the mean of the heads' weights (n,): the output for values along the axes."""
    return output_law(setting, setting.queries(size), np.eye(setting.given.n))


def kept_law(setting: Setting, size: float | None = None) -> tuple[Float64, Float64] | None:
    """Mean and covariance of the weights (n,) given that no score that varies is negative."""
    moved = one_noise(setting, setting.queries(size))
    if moved is None:
        return None
    low, high = moved.allowed()
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


def as_one_head(setting: Setting) -> Setting:
    """The same keys with one head, whose query is the sum of all queries."""
    together = " + ".join(f"({text})" for text in setting.given.queries)
    return read(setting.given.model_copy(update={"queries": [together]}))
