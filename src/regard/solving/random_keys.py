"""Heads over random keys: how far the output is from what is wanted, exactly and as is provable.

The bound is the one that `certify.claims.random_keys.output_rms` proves, in floats: with α the
weights at the means of the scores, c_0 the output with them and e the variances of the scores,

    E ‖c − c*‖² ≤ (‖c_0 − c*‖ + R)² + V,

where R is how far the noise can move the mean output and V how much it can spread it. It is exact
to first order in the noise. What is proved is decided by the claim, not by these floats.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from regard.analysis import key_noise
from regard.certify import Certificate, Claim, verify
from regard.certify.claims.random_keys import output_rms
from regard.problems.instances import KeyInstance
from regard.problems.keys import Keys
from regard.solving.key_tables import softmax

Float64 = NDArray[np.float64]

MOST_PAIRS = 256  # keys for which pairs are looked at one by one, as the claim does
ROUNDING = 1e-6  # by which a bound in floats is raised before it is claimed
CURVED = 1 / (6 * math.sqrt(3))  # the largest x (1 − x)(1 − 2x)
SAME = 1e-12  # covariances that differ by a smaller share differ by rounding


@dataclass(frozen=True, eq=False)
class RandomKeys:
    """What heads look at; keys that are not random have covariances of 0.

    Attributes:
        means: (n, d).
        covariances: (n, d, d).
        values: (n, d_v); the identity where the weights themselves count.
        scale: what scores are multiplied by.
        weights_count: whether the values stand for weights: they are unit vectors then.
    """

    means: Float64
    covariances: Float64
    values: Float64
    scale: float
    weights_count: bool = False

    @property
    def together(self) -> str:
        """What an error is of, for a sentence, where it is not of what the tolerance is of."""
        return " of all weights together" if self.weights_count else ""

    @classmethod
    def of(cls, given: Keys, instance: KeyInstance) -> RandomKeys:
        """Return the keys of an instance; weights count where its values are arbitrary."""
        n, d = instance.keys.shape
        noise = instance.covariances
        if noise is None:  # one 0 for all entries: there would be n d² of them
            noise = np.broadcast_to(0.0, (n, d, d))
        else:
            noise = (noise + noise.swapaxes(1, 2)) / 2
        known = given.values_known
        values = instance.values if known else np.eye(n)
        return cls(instance.keys, noise, values, given.scale, not known)

    @property
    def random(self) -> bool:
        """Whether there is any noise."""
        spread = self.covariances if any(self.covariances.strides) else self.covariances[:1, 0, 0]
        return bool(np.any(spread))

    @property
    def isotropic(self) -> float | None:
        """Alpha > 0, where every covariance is alpha I; None otherwise."""
        alpha = float(self.covariances[0, 0, 0])
        off = np.abs(self.covariances - alpha * np.eye(self.covariances.shape[1]))
        return alpha if alpha > 0 and bool(np.all(off <= SAME * alpha)) else None

    def with_noise(self, covariances: Float64) -> RandomKeys:
        """Return the same means and values with other covariances."""
        return replace(self, covariances=covariances)

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
        if not self.random:  # exactly, where an integral would leave its rounding
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

    def mean_weights(self, queries: Float64, shares: Float64 | None = None) -> Float64:
        """E α (..., n) of queries (..., heads, d), averaged over the heads as shares say."""
        if not self.random:
            weights = softmax(self.scale * (queries @ self.means.T))
            return np.asarray(np.average(weights, axis=-2, weights=shares))
        return key_noise(
            queries,
            self.means,
            self.covariances,
            np.eye(len(self.means)),
            scale=self.scale,
            head_weights=shares,
        ).mean

    def score_variances(self, query: Float64) -> Float64:
        """The variance (n,) of the score of each key."""
        found = self.scale**2 * np.einsum("a,nab,b->n", query, self.covariances, query)
        return np.maximum(found, 0.0)

    def certificate(self, *claims: Claim) -> Certificate:
        """Return the certificate of claims about the keys."""
        arrays = {"means": self.means, "covariances": self.covariances}
        if not self.weights_count:
            arrays["values"] = self.values
        return Certificate(arrays, claims, self.scale)

    def proves(self, *claims: Claim) -> bool:
        """Whether the claims are verified."""
        return verify(self.certificate(*claims)).holds


@dataclass(frozen=True, eq=False)
class Bound:
    """What is provable of √E ‖c − c*‖², in floats.

    Attributes:
        missed: ‖c_0 − c*‖, without noise.
        moved: R, by which the noise moves the mean output at most.
        spread: V, the variance of the output at most.
    """

    missed: float
    moved: float
    spread: float

    @property
    def value(self) -> float:
        """The bound of √E ‖c − c*‖²."""
        return math.hypot(self.missed + self.moved, math.sqrt(self.spread))

    @property
    def claimable(self) -> float:
        """The bound of √E ‖c − c*‖², raised by more than its rounding."""
        return self.value * (1 + ROUNDING) + 1e-300


def rms_bound(
    keys: RandomKeys, queries: Float64, target: Mapping[int, float], shares: Float64 | None = None
) -> Bound:
    """Bound √E ‖c − c*‖² for queries (heads, d) whose outputs count as shares say, or alike."""
    heads, n = len(queries), len(keys.means)
    counted = np.full(heads, 1 / heads) if shares is None else shares
    alpha = softmax(keys.scale * (queries @ keys.means.T))
    joint = keys.scale**2 * np.einsum("ha,nab,gb->hgn", queries, keys.covariances, queries)
    e = np.maximum(np.einsum("hhn->hn", joint), 0.0)
    wanted = np.zeros(n)
    wanted[list(target)] = list(target.values())
    missed = float(np.linalg.norm((counted @ alpha - wanted) @ keys.values))
    if not np.any(e):
        return Bound(missed, 0.0, 0.0)
    apart = _distances(keys.values) if n <= MOST_PAIRS else None
    widest = _widest(keys.values) if apart is None else np.max(apart, axis=1)
    sums = np.array([_sums(a, v, apart, widest) for a, v in zip(alpha, e, strict=True)])
    G, F = np.minimum(widest / 4, sums[:, 0]), np.minimum(widest * CURVED, sums[:, 1])
    moved = float(counted @ np.sum(e * F, axis=1)) / 2
    spread = float(np.einsum("h,g,hgn,hn,gn->", counted, counted, np.abs(joint), G, G))
    return Bound(missed, moved, spread)


def _distances(values: Float64) -> Float64:
    return np.array([np.linalg.norm(values - value, axis=1) for value in values])


def _widest(values: Float64) -> Float64:
    away = np.linalg.norm(values - values[0], axis=1)
    return np.asarray(away + np.max(away))


def _sums(
    alpha: Float64, e: Float64, apart: Float64 | None, widest: Float64
) -> tuple[Float64, Float64]:
    """Bound √E α_i²‖v_i − c‖² and E α_i|1 − 2α_i|‖v_i − c‖, by pairs or (apart is None) by key."""
    own, U = e * (1 - 4 * alpha), float(np.sum(alpha**2 * e))
    with np.errstate(all="ignore"):
        if apart is None:
            b, c = alpha * np.exp(own), alpha * np.exp(own / 2)
            strong = math.exp(min(4 * U, 700.0)) * b * (np.sum(b) - b)
            weak = math.exp(min(2 * U, 700.0)) * c * (np.sum(c) - c)
            return widest * strong, widest * weak
        a = np.multiply.outer(alpha, alpha)
        w = np.maximum(np.add.outer(own, own) + 4 * U, 0.0)
        x = np.maximum(-np.log(4 * a), 0.0)
        strong = np.where((w > 0) & (x <= 2 * w), np.exp(-x * x / (4 * w)) / 4, a * np.exp(w))
        weak = np.where((w > 0) & (x <= w), np.exp(-x * x / (2 * w)) / 4, a * np.exp(w / 2))
        # Values in one place have no distance, however large the factor.
        strong, weak = (np.where(apart > 0, apart * part, 0.0) for part in (strong, weak))
    return np.sum(strong, axis=1), np.sum(weak, axis=1)


def rms_claim(
    keys: RandomKeys,
    queries: Float64,
    target: Mapping[int, float],
    most: float,
    counts: tuple[int, ...] | None = None,
) -> Claim:
    """Claim √E ‖c − c*‖² ≤ most of queries (heads, d); counts are how many heads are alike."""
    shares = None if counts is None else [str(Fraction(k, sum(counts))) for k in counts]
    return output_rms.claim(
        {"indices": list(target), "weights": list(target.values())},
        most,
        queries=queries,
        head_weights=shares,
        of="weights" if keys.weights_count else "output",
    )
