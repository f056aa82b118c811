"""Heads that one normal number moves: a single key varies, and its scores move along a line.

With the number z the scores of the key are means + line · z, and all other scores stay. So every
law is an integral over z, and who has the highest score changes at finitely many z.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.random_scores import Scores

__all__ = ["NODES", "REACH", "OneNoise", "Winners", "legendre_pieces"]

Array = NDArray[np.float64]
Winners = tuple[tuple[int, ...], ...]  # the keys that share each head

NODES = 16  # of a Gauss–Legendre rule, per piece
REACH = 9.0  # standard deviations; beyond, a normal number has 10⁻¹⁹
FAR = 1e3  # stands for an infinite z
SAME = 1e-12  # relative: what is left beside a line is rounding


@dataclass(frozen=True, eq=False)
class OneNoise:
    """The scores of heads of which at most one key varies, with one normal number z.

    Attributes:
        key: the one that varies; the first where none does.
        scores: their law.
        line: (H,), what z adds to the score of the key; 0 in heads that do not see it vary.
    """

    key: int
    scores: Scores
    line: Array

    @staticmethod
    def of(scores: Scores) -> OneNoise | None:
        """Return how one number moves all heads; None: several keys vary, or one by several."""
        noisy = np.flatnonzero(np.any(scores.deviations > 0, axis=0))
        if len(noisy) == 0:
            return OneNoise(0, scores, np.zeros(scores.heads))
        joint = scores.covariances[noisy[0]]
        lead = int(np.argmax(np.diag(joint)))
        line = np.asarray(joint[lead] / np.sqrt(joint[lead, lead]))
        one = np.max(np.abs(joint - np.outer(line, line))) <= SAME * joint[lead, lead]
        return OneNoise(int(noisy[0]), scores, line) if len(noisy) == 1 and one else None

    @property
    def varies(self) -> bool:
        """Whether any score varies."""
        return bool(np.any(self.line))

    @property
    def means(self) -> Array:
        """The scores (H, n) at z = 0."""
        return self.scores.means

    def at(self, z: Array) -> Array:
        """The scores (..., H, n) at z (...)."""
        scores = np.broadcast_to(self.means, (*z.shape, *self.means.shape)).copy()
        scores[..., self.key] += z[..., None] * self.line
        return scores

    def above(self, least: float) -> tuple[float, float]:
        """The z between which no score that varies is below `least`."""
        low, high = -math.inf, math.inf
        for mean, slope in zip(self.means[:, self.key], self.line, strict=True):
            if slope > 0:
                low = max(low, (least - float(mean)) / float(slope))
            elif slope < 0:
                high = min(high, (least - float(mean)) / float(slope))
        return low, high

    def lead(self, head: int) -> float:
        """How far the mean score of the key is above the best of the others."""
        return float(self.means[head, self.key] - np.max(np.delete(self.means[head], self.key)))

    def crossings(self) -> list[float]:
        """The z at which the key takes or loses the lead of a head."""
        return [-self.lead(h) / float(slope) for h, slope in enumerate(self.line) if slope]

    def winners(self, edges: Sequence[float]) -> Iterator[tuple[tuple[float, float], Winners]]:
        """Yield neighbouring edges, and the keys with the highest scores halfway between them."""
        for low, high in itertools.pairwise(edges):
            z = (np.clip(low, -FAR, FAR) + np.clip(high, -FAR, FAR)) / 2
            top = self.scores.tied(self.at(np.array(z)))
            yield (low, high), tuple(tuple(np.flatnonzero(row).tolist()) for row in top)

    def logit(self, head: int) -> tuple[float, float]:
        """Mean and standard deviation of Z, where the weight of the key is 1/(1 + exp(-Z))."""
        others = np.delete(self.means[head], self.key)
        top = float(np.max(others))
        rest = top + math.log(float(np.sum(np.exp(others - top))))
        return float(self.means[head, self.key]) - rest, abs(float(self.line[head]))

    def weight_below(self, share: float, head: int = 0) -> float:
        """The chance that the key's weight in a head is below a share."""
        from scipy.special import ndtr  # slow to load

        if not 0 < share < 1:
            return float(share >= 1)
        m, tau = self.logit(head)
        return float(ndtr((math.log(share / (1 - share)) - m) / tau))

    def moments(
        self, mixing: Array, low: float = -math.inf, high: float = math.inf
    ) -> tuple[Array, Array]:
        """Mean and covariance of Σ_h α_h mixing_h for low < z < high; mixing is (H, n, d_v)."""
        low, high = max(low, -REACH), min(high, REACH)
        edges = [np.arange(low, high, 0.25), np.array([high])]
        for h in np.flatnonzero(self.line):
            m, tau = self.logit(int(h))
            at = -m / tau * math.copysign(1.0, self.line[h])
            edges.append(at + np.arange(-45.0, 45.5) / tau)
        points = np.unique(np.concatenate(edges))
        z, mass = legendre_pieces(points[(points >= low) & (points <= high)])
        mass = mass * np.exp(-0.5 * z * z)
        mass /= np.sum(mass)
        scores = self.at(z)
        weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        weights /= np.sum(weights, axis=-1, keepdims=True)
        outputs = np.tensordot(weights, mixing, axes=2)
        mean = mass @ outputs
        away = outputs - mean
        return mean, (away * mass[:, None]).T @ away


def legendre_pieces(edges: Array) -> tuple[Array, Array]:
    """Return points and weights of Gauss–Legendre rules between neighbouring edges."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (x + 1)).ravel(), (half * w).ravel()
