"""The numbers that show a belief about random keys to be wrong, where they do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.analysis.noise.one_noise import OneNoise
from regard.kinds.noise.instance import Growth, Setting, read
from regard.kinds.noise.solve.finite_queries import TOLERANCE, settled, weight_variance
from regard.kinds.noise.solve.null_steering import components, steered
from regard.problems.instances import Float64

SIZES = (1.0, 10.0, 50.0)  # of queries, along which a spread falls
NOTHING = 1e-9  # of scores: what is below is rounding


@dataclass(frozen=True)
class NoisyHead:
    """The one head of several whose scores vary.

    Attributes:
        spreads: sizes of the queries, each with the standard deviation of the noisy key's weight.
        variance: of that weight, for the queries of the problem.
        leading: the same to leading order; None where it has no simple form.
    """

    spreads: tuple[tuple[float, float], ...]
    variance: float
    leading: float | None


@dataclass(frozen=True)
class ForgottenKeys:
    """The weight of a key at its mean among many keys, and among those that have a name alone."""

    key: int
    size: float
    among_many: float
    among_few: float


@dataclass(frozen=True)
class SmallNoise:
    """The variance with the small noise kept: for the queries of the problem, and for far ones."""

    far: float
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class BlindQueries:
    """Queries for the same keys that do not see the noise.

    Attributes:
        components: along the means, of those that differ from the queries of the problem.
        variance: of the output, for orthonormal values.
    """

    components: Float64
    variance: float


def noisy_head(setting: Setting, growth: Growth, moved: OneNoise) -> NoisyHead | None:
    """Return what larger queries do where the scores of one head alone vary; else None."""
    if np.count_nonzero(moved.line) != 1:
        return None
    h = int(np.argmax(np.abs(moved.line)))
    spreads = []
    for size in SIZES:
        law = setting.one_noise(setting.queries(growth.sign * size))
        if law is None:
            return None
        spreads.append((size, math.sqrt(kept_weight_variance(law, h))))
    return NoisyHead(tuple(spreads), kept_weight_variance(moved, h), leading_term(moved, h))


def kept_weight_variance(moved: OneNoise, h: int) -> float:
    """Return the variance of the noisy key's weight in a head, given that no score is negative."""
    mixing = np.zeros((*moved.means.shape, 1))
    mixing[h, moved.key] = 1.0
    return float(moved.moments(mixing, *moved.above(0.0))[1][0, 0])


def leading_term(moved: OneNoise, h: int) -> float | None:
    """Return that variance to leading order in the size of the query, where all others score 0.

    With n - 1 others at score 0, 1 - α is (n - 1)/(e^s + n - 1), and the density of s at 0 times
    the integral of its square over s > 0, ln n - 1 + 1/n, is what is left of the variance.
    """
    others = np.delete(moved.means[h], moved.key)
    mean, slope = float(moved.means[h, moved.key]), float(moved.line[h])
    if np.max(np.abs(others)) > 1e-9 or slope <= 0 or mean <= 0:
        return None
    n, z = len(others) + 1, mean / slope
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) / slope
    kept = 0.5 * math.erfc(-z / math.sqrt(2))
    return density * (math.log(n) - 1 + 1 / n) / kept


def forgotten_keys(setting: Setting, growth: Growth, count: int) -> ForgottenKeys | None:
    """Return how small the weight of the key that varies is among `count` keys.

    None where that key does not score highest, or those without a name do not score alike.
    """
    size = min(abs(growth.size), 5.0)
    moved = setting.one_noise(setting.queries(growth.sign * size))
    names = set(setting.given.names.values())
    rest = [i for i in range(setting.given.n) if i not in names]
    if moved is None or not rest:
        return None
    scores = moved.means[0]
    top = float(scores[moved.key])
    if np.ptp(scores[rest]) > NOTHING or top < np.max(scores) - NOTHING:
        return None  # a larger query makes its weight smaller still
    few = float(np.sum(np.exp(np.delete(scores, rest))))
    many = few + (count - len(names)) * math.exp(float(scores[rest[0]]))
    return ForgottenKeys(moved.key, size, math.exp(top) / many, math.exp(top) / few)


def small_noise(setting: Setting, growth: Growth) -> SmallNoise | None:
    """Return what the small noise does to far larger queries; None where it does not matter."""
    actual = read(setting.given, limits=False)
    if not np.any(actual.covariances != setting.covariances) or setting.late:
        return None
    far = growth.sign * 3000.0 / max(1.0, float(np.max(np.abs(setting.directions))))
    before, after = (weight_variance(actual, size) or 0.0 for size in (growth.size, far))
    if after <= 1.5 * (weight_variance(setting, far) or 0.0):
        return None  # what varies is the noise that stays
    return SmallNoise(far, before, after)


def blind_queries(setting: Setting) -> BlindQueries | None:
    """Return queries that do not see the noise; None where there are none, or they are given."""
    queries = setting.queries()
    other = steered(setting, queries)
    if other is None or np.array_equal(other, queries):
        return None
    law = setting.output_law(other, np.eye(setting.given.n), TOLERANCE)
    changed = np.any(other != queries, axis=1)
    return BlindQueries(np.asarray(components(setting, other[changed])), settled(law))
