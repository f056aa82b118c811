"""Heads over random keys: how far the output is from what is wanted, exactly and as proved.

Let S be a head's m wanted keys with weights p, g the least mean score difference between them and
the others, τ² the largest variance of a score difference within S and T the largest of one between
S and the others. With δ the deviations of scores from their means and r the leak,

    c − c* = (1 − r)(c_S − c*) + r (c_rest − c*),

‖c_S − c*‖ ≤ diam_S tanh(osc(δ)/4) ≤ diam_S osc(δ)/4, and the mean square of the oscillation
within S is at most m(m−1)/2 · τ². By Jensen's inequality the log-sum-exp of S is at least
Σ p_i (s_i − ln p_i), so r ≤ Σ_j p_min e^{−g + N_j} with normal N_j of variance at most T, and
E e^{2 N_j} is at most e^{2T}:

    √E ‖c − c*‖² ≤ diam_S/4 · √(m(m−1)/2) τ + D (n − m) p_min e^{T − g}.

A head with one wanted key also has another bound, which does not grow with the scale: each gap is
above t = g − z √T but with probability Φ(−z), so √E r² ≤ (n−1) e^{−t} + √((n−1) Φ(−z)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis import key_noise
from regard.certify import Claim
from regard.solving.query.shown import softmax

Float64 = NDArray[np.float64]

ROUNDING = 1e-9
DEVIATIONS = np.linspace(1.0, 38.0, 75)  # tried for the second bound


@dataclass(frozen=True, eq=False)
class RandomKeys:
    """What heads look at.

    Attributes:
        means: (n, d).
        covariances: (n, d, d).
        values: (n, d_v); the identity where the weights themselves count.
        scale: what scores are multiplied by.
    """

    means: Float64
    covariances: Float64
    values: Float64
    scale: float

    def off(self, queries: Float64, wanted: Float64) -> Float64:
        """√E ‖c − c*‖² for queries (..., heads, d) whose outputs are averaged."""
        return self.off_and_variance(queries, wanted)[0]

    def variance(self, queries: Float64) -> Float64:
        """The trace of the output's covariance."""
        return self.off_and_variance(queries, np.zeros(self.values.shape[1]))[1]

    def off_and_variance(
        self, queries: Float64, wanted: Float64, shares: Float64 | None = None
    ) -> tuple[Float64, Float64]:
        """Both at once; shares are what the heads count, by default alike."""
        if not np.any(self.covariances):  # exactly, where an integral would leave its rounding
            weights = softmax(self.scale * (queries @ self.means.T))
            missed = np.average(weights, axis=-2, weights=shares) @ self.values - wanted
            return np.linalg.norm(missed, axis=-1), np.zeros(missed.shape[:-1])
        law = key_noise(
            queries,
            self.means,
            self.covariances,
            self.values,
            scale=self.scale,
            head_weights=shares,
        )
        variance = np.maximum(law.variance, 0.0)  # which rounding may have left below 0
        missed = law.mean - wanted
        return np.sqrt(np.sum(missed**2, axis=-1) + variance), variance

    def spread(self, query: Float64) -> Float64:
        """The variance of each score."""
        found = self.scale**2 * np.einsum("a,nab,b->n", query, self.covariances, query)
        return np.maximum(found, 0.0)


@dataclass(frozen=True, eq=False)
class HeadBound:
    """What is proved of one head.

    Attributes:
        bound: of √E ‖c − c*‖².
        gap: g, the least mean score difference to the other keys.
        within: τ², the largest variance of a score difference of wanted keys.
        across: T, the largest variance of one between a wanted key and another.
        deviations: z of the second bound; 0 where the first is better.
        claims: the numbers that the bound is made of.
    """

    bound: float
    gap: float
    within: float
    across: float
    deviations: float
    claims: tuple[Claim, ...]


def head_bound(keys: RandomKeys, query: Float64, target: dict[int, float]) -> HeadBound:
    """Bound how far the output of a head is from the average with the target's weights."""
    rows = list(target)
    n, m = len(keys.means), len(rows)
    others = [j for j in range(n) if j not in target]
    scores, spread = keys.scale * (keys.means @ query), keys.spread(query)
    wanted = np.array(list(target.values())) @ keys.values[rows]
    claims: list[Claim] = []
    witness = {"query": query}
    within = across = 0.0
    gap = math.inf
    total = 0.0
    size = 1.0 + float(np.max(np.abs(scores)))
    if m > 1:
        pairs = [(i, j) for at, i in enumerate(rows) for j in rows[at + 1 :]]
        within = max(spread[i] + spread[j] for i, j in pairs) * (1 + ROUNDING)
        levels = scores[rows] - np.log(list(target.values()))
        uneven = float(np.max(levels) - np.min(levels)) + 1e-14 * size
        where = {"indices": rows, "weights": list(target.values())}
        varies = {"pairs": pairs, "weights": None, "bound": within}
        claims.append(Claim("mean_weights", {"target": where, "bound": uneven}, witness))
        if np.any(keys.covariances):
            claims.append(Claim("score_variance", varies, witness))
        apart = max(float(np.linalg.norm(keys.values[i] - keys.values[j])) for i, j in pairs)
        total += apart / 4 * (math.sqrt(m * (m - 1) / 2 * within) + uneven)
    z = 0.0
    if others:
        gap = float(np.min(scores[rows]) - np.max(scores[others])) - 1e-14 * size
        pairs = [(i, j) for i in rows for j in others]
        across = (np.max(spread[rows]) + np.max(spread[others])) * (1 + ROUNDING)
        away = max(float(np.linalg.norm(keys.values[j] - wanted)) for j in others)
        least = min(target.values())
        leak = len(others) * least * _exp(across - gap)
        taken = Claim("score_variance", {"pairs": pairs, "weights": None, "bound": across}, witness)
        if m == 1 and across > 0:
            t = gap - DEVIATIONS * math.sqrt(across)
            tails = np.sqrt(len(others) * ndtr(-DEVIATIONS))
            second = len(others) * np.exp(np.minimum(-t, 700.0)) + tails
            if np.min(second) < leak:
                at = int(np.argmin(second))
                leak, z = float(second[at]), float(DEVIATIONS[at])
        level = gap if not z else gap - z * math.sqrt(across)
        chosen = {"chosen": rows, "deviations": z, "bound": level - 1e-12 * size}
        claims.append(Claim("mean_gap", chosen, witness))
        if not z and np.any(keys.covariances):
            claims.append(taken)
        total += away * min(leak, 1.0)
    return HeadBound(total * (1 + ROUNDING), gap, float(within), float(across), z, tuple(claims))


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0))
