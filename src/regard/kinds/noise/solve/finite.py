"""The law of the output at finite sizes of the queries, exactly; and queries that avoid noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis import OutputLaw, key_noise
from regard.analysis.noise.random_scores import read_scores
from regard.analysis.noise.two_heads import pair_points
from regard.kinds.noise.solve.setting import Setting

Float64 = NDArray[np.float64]

REACH = 9.0  # standard deviations; beyond, a normal number has 10⁻¹⁹
NODES = 16  # per piece
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

    def weights(self, z: Float64) -> Float64:
        """The weights (z, H, n)."""
        s = np.repeat(self.means[None], len(z), axis=0)
        s[:, :, self.key] += z[:, None] * self.line
        s = np.exp(s - np.max(s, axis=-1, keepdims=True))
        return np.asarray(s / np.sum(s, axis=-1, keepdims=True), dtype=np.float64)

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
        points = points[(points >= low) & (points <= high)]
        x, w = _legendre()
        half = 0.5 * np.diff(points)[:, None]
        z = (points[:-1, None] + half * (x + 1)).ravel()
        mass = (half * w).ravel() * np.exp(-0.5 * z * z)
        mass /= np.sum(mass)
        outputs = np.tensordot(self.weights(z), mixing, axes=2)
        mean = mass @ outputs
        away = outputs - mean
        return mean, (away * mass[:, None]).T @ away

    def near(self, head: int, within: float) -> float:
        """The chance that the key's weight is within this of its weight for keys at their means."""
        m, tau = self.logit(head)
        middle = 1 / (1 + math.exp(-m))
        low, high = max(middle - within, 0.0), min(middle + within, 1.0)
        return float(ndtr((_logit(high) - m) / tau) - ndtr((_logit(low) - m) / tau))


@cache
def _legendre() -> tuple[Float64, Float64]:
    return np.polynomial.legendre.leggauss(NODES)


def _logit(share: float) -> float:
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else math.log(share / (1 - share))


def one_noise(setting: Setting, queries: Float64) -> OneNoise | None:
    """Return how one normal number moves all heads, if one does."""
    scores = read_scores(
        "solving.noise", queries, setting.means, setting.covariances, setting.given.scale
    )
    noisy = np.flatnonzero(np.any(scores.deviations > 0, axis=0))
    if len(noisy) != 1 or setting.given.n < 2:
        return None
    joint = scores.covariances[noisy[0]]
    lead = int(np.argmax(np.diag(joint)))
    line = np.asarray(joint[lead] / np.sqrt(joint[lead, lead]), dtype=np.float64)
    if np.max(np.abs(joint - np.outer(line, line))) > 1e-12 * joint[lead, lead]:
        return None
    return OneNoise(int(noisy[0]), scores.means, line)


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


def affordable(setting: Setting, queries: Float64, *, once: bool = False) -> bool:
    """Whether the law can be looked at for many sizes of the queries, or once.

    Heads that share no noise need one integral each, others a double integral for each pair.
    """
    distinct = np.unique(queries, axis=0)
    scores = read_scores(
        "solving.noise", distinct, setting.means, setting.covariances, setting.given.scale
    )
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


def kept_law(setting: Setting, queries: Float64, values: Float64) -> tuple[Float64, Float64] | None:
    """Mean and covariance of the output given that no score that varies is negative."""
    moved = one_noise(setting, queries)
    if moved is None:
        return None
    low, high = moved.allowed()
    if not low < min(high, REACH) or high <= -REACH:
        return None
    mixing = np.repeat(values[None] / len(queries), len(queries), axis=0)
    return moved.moments(mixing, low, high)


def rms_error(law: OutputLaw, target: Float64) -> float:
    """The root of E ‖c - target‖²."""
    return math.sqrt(max(0.0, float(law.variance)) + float(np.sum((law.mean - target) ** 2)))


def steered(setting: Setting, queries: Float64, *, every: bool = False) -> Float64 | None:
    """Queries with the same targets that do not see the noise, or None if there are none.

    For a head whose highest mean scores belong to the keys S, with a gap g to the others: the
    shortest q with q·μ_i equal on S, lower by g elsewhere, and Σ_i q = 0 for every key that
    varies. Heads that see no noise stay as they are.

    Args:
        setting: the problem.
        queries: (H, d).
        every: do the same to all heads, and only ask for the gap: then noise may come in.
    """
    found = queries.copy()
    for h, q in enumerate(queries):
        seen = np.einsum("d,nde,e->n", q, setting.covariances, q)
        if not every and np.max(seen) <= 1e-12 * float(q @ q):
            continue
        scores = setting.means @ q
        top = float(np.max(scores))
        targets = top - scores <= 1e-9 * max(1.0, abs(top))
        if np.all(targets):
            return None
        gap = top - float(np.max(scores[~targets]))
        wanted = np.where(targets, 0.0, -gap)
        rows = np.hstack([setting.means, -np.ones((len(scores), 1))])
        if not every:
            noise = setting.covariances[np.any(setting.covariances != 0, axis=(1, 2))]
            flat = noise.reshape(-1, q.size)
            rows = np.vstack([rows, np.hstack([flat, np.zeros((len(flat), 1))])])
            wanted = np.concatenate([wanted, np.zeros(len(flat))])
            solved = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            if np.max(np.abs(rows @ solved - wanted)) > 1e-9 * gap:
                return None
            found[h] = solved[:-1]
        else:
            found[h] = np.linalg.lstsq(setting.means, wanted, rcond=None)[0]
    return found
