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
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.checking.sampling import softmax
from regard.kinds.noise.judge.kept import Winners, draws, kept, positive
from regard.kinds.noise.spec import NoiseGiven
from regard.language import parse, parse_limit
from regard.problems import key_instance
from regard.problems.laws import Arbitrary, Gaussian

Float64 = NDArray[np.float64]

FUNCTION = "checking.noise"
NEAR = 1e-12  # how near a parameter is to a limit that is taken after another has grown


@dataclass(frozen=True, eq=False)
class Setting:
    """Random keys and queries.

    Attributes:
        means: (n, d), of the keys.
        covariances: (n, d, d).
        directions: (H, d), along which the queries grow without bound; 0 where they do not.
        offsets: (H, d), what is left of the queries beside that.
        scale: of the scores.
        rough: an error of the probabilities that is due to the order of the limits.
    """

    means: Float64
    covariances: Float64
    directions: Float64
    offsets: Float64
    scale: float
    rough: float

    @property
    def heads(self) -> int:
        """How many heads there are."""
        return len(self.directions)

    @property
    def independent(self) -> bool:
        """Whether no two heads see noise in common: q_h'Σ_i q_g = 0 for every key."""
        return not np.any(self.shared)

    @property
    def shared(self) -> Float64:
        """The covariances q_h'Σ_i q_g (n, H, H) between different heads; 0 up to rounding is 0."""
        q = self.directions if np.any(self.directions) else self.offsets
        joint = np.einsum("hd,nde,ge->nhg", q, self.covariances, q)
        size = np.einsum("hd,nde,ge->nhg", np.abs(q), np.abs(self.covariances), np.abs(q))
        joint = np.where(np.abs(joint) > 1e-13 * size, joint, 0.0)
        return np.asarray(joint * ~np.eye(len(q), dtype=bool))


@dataclass(frozen=True, eq=False)
class Law:
    """What the output is made of.

    Attributes:
        chances: (m,), of the atoms; none where there are no atoms.
        shares: (m, n), how much of each value is in them.
        mean: (n,), the mean of the shares.
        covariance: (n, n), their covariance.
        rough: how far off all this may be.
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

    def variance(self, values: Float64) -> float:
        """The mean of the squared distance from the mean."""
        return float(np.trace(values.T @ self.covariance @ values))


def setting(given: NoiseGiven, n: int | None = None) -> Setting:
    """Return the keys and queries of a problem with its limits, perhaps with more keys."""
    if n is not None:  # values may be given for as many keys as there are; here none is used
        more = {"n": n, "d": None, "values": Arbitrary(law="arbitrary")}
        given = given.model_copy(update=more)
    numbers, grows, late = dict(given.parameters), None, False
    for limit in map(parse_limit, given.limits):
        if math.isinf(limit.target):
            grows = limit
        else:
            late = late or grows is not None
            numbers[limit.name] = limit.target + (NEAR if grows is not None else 0.0)
    instance = key_instance(given, parameters=numbers)
    covariances = instance.covariances
    assert covariances is not None

    def queries(size: float | None = None) -> Float64:
        names = dict(instance.symbols)
        if grows is not None and size is not None:
            names[grows.name] = math.copysign(size, grows.target)
        return np.array([parse(text).evaluate(names) for text in given.queries], float)

    directions, offsets = np.zeros_like(queries()), queries()
    if grows is not None and not _keys_use(given, grows.name):
        one, two, five = queries(1.0), queries(2.0), queries(5.0)
        directions, offsets = two - one, 2 * one - two
        if not np.allclose(five, offsets + 5 * directions, rtol=1e-9, atol=1e-9):
            far = queries(1e8)  # not along a line, so only the direction counts
            size = np.linalg.norm(far, axis=1, keepdims=True)
            directions, offsets = far / np.where(size > 0, size, 1.0), np.zeros_like(far)
    rough = 1e-4 if late else 0.0
    return Setting(instance.keys, covariances, directions, offsets, given.scale, rough)


def _keys_use(given: NoiseGiven, name: str) -> bool:
    assert isinstance(given.keys, Gaussian)
    law = given.keys.covariance
    texts = law.values() if isinstance(law, dict) else [law]
    return any(name in parse(text).names for text in texts)


def law(at: Setting, *, keep_positive: bool = False, drop: frozenset[int] = frozenset()) -> Law:
    """Return the law of the average of the heads' outputs.

    Args:
        at: keys and queries.
        keep_positive: whether cases with a negative score that varies are left out.
        drop: keys whose value is counted as 0 where several share a head's weight.
    """
    scores = read_scores(FUNCTION, at.directions, at.means, at.covariances, at.scale)
    soft = read_scores(FUNCTION, at.offsets, at.means, at.covariances, at.scale)
    if not np.any(at.directions):
        if np.any(soft.deviations):
            return _finite(at, soft, keep_positive)
        every = tuple(range(len(at.means)))
        won: Winners = [(1.0, (every,) * at.heads)]
        error = 0.0
    elif keep_positive:
        won, error = kept(scores)
    else:
        won, error, _ = limit_atoms(scores, np.random.default_rng(0))
    if any(_moving_tie(soft, keys) for _, keys in won):
        far = at.offsets + _large(scores) * at.directions
        return _finite(replace(at, offsets=far), soft, keep_positive)
    found: dict[tuple[float, ...], tuple[float, Float64]] = {}
    for chance, winners in won:
        if chance <= at.rough * 0.1:
            continue
        shares = np.zeros(len(at.means))
        for h, keys in enumerate(winners):
            part = softmax(soft.means[h, list(keys)])
            if len(keys) > 1:
                part = np.where(np.isin(keys, list(drop)), 0.0, part)
                if drop.intersection(keys):
                    part = np.zeros(len(keys))
            shares[list(keys)] += part / at.heads
        key = tuple(np.round(shares, 10).tolist())
        before = found[key][0] if key in found else 0.0
        found[key] = (before + chance, shares)
    chances = np.array([chance for chance, _ in found.values()])
    return of_atoms(chances, np.array([s for _, s in found.values()]), error + at.rough)


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
            scale=at.scale,
            tolerance=1e-5,
        )
        return Law(none, np.zeros((0, n)), found.mean, found.covariance, float(found.error))
    s = draws(scores)
    few = s[positive(s, scores)]
    if len(few) < 2:  # next to nothing is left, so that nothing can be said
        unknown = np.mean(softmax(scores.means), axis=0)
        return Law(none, np.zeros((0, n)), unknown, np.zeros((n, n)), math.inf)
    weights = np.mean(softmax(few), axis=1)
    error = 5 / math.sqrt(max(len(weights), 1))
    return Law(none, np.zeros((0, n)), np.mean(weights, axis=0), np.cov(weights.T), error)
