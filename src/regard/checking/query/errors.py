"""How far off queries are, for many factors at once.

Where the values are known the error is that of the output; where they are arbitrary, the largest
error of a weight. With noise that stays it is the root of the mean square of that (with all
weights for the output where values are arbitrary): worked out exactly, and only for heads whose
scores vary together from samples.
"""

from __future__ import annotations

import numpy as np

from regard.analysis import key_noise
from regard.checking.query.asked import Asked, Float64
from regard.checking.sampling import generator, softmax
from regard.errors import InvalidAnswer
from regard.problems.instances import KeyInstance
from regard.problems.laws import Arbitrary, Fixed, Orthogonal

# Adding 1 to a larger score changes it by a share that is lost in rounding: it says nothing.
LARGEST_SCORE = 1e15
RESOLVED = 1e10  # an open factor is tried as long as scores are below this
WIDEST = 50.0  # and as long as the noise of a score has a smaller standard deviation
SAMPLES = 20_000  # of noise, for heads whose scores vary together


def target(asked: Asked, n: int) -> Float64:
    """Return the weights wanted of n keys."""
    weights = np.zeros(n)
    for name, weight in asked.problem.goal.weights.items():
        weights[asked.problem.given.names[name]] = weight
    return weights


def scores_of(asked: Asked, instance: KeyInstance, queries: Float64) -> Float64:
    """Return the scores (factors, heads, n) of queries (factors, heads, d)."""
    with np.errstate(all="ignore"):
        return asked.problem.given.scale * (queries @ instance.keys.T)


def weights_of(asked: Asked, instance: KeyInstance, queries: Float64) -> Float64:
    """Return the weights (factors, n), averaged over heads, at the means of random keys."""
    scores = scores_of(asked, instance, queries)
    with np.errstate(all="ignore"):
        return np.array([np.mean(softmax(one), axis=0) for one in scores])


def errors_of(asked: Asked, instance: KeyInstance, queries: Float64) -> Float64:
    """Return the error for each factor: NaN where something is not finite, else maybe infinity.

    It is infinite where a score is so large that float64 does not see a unit beside it.
    """
    scores = scores_of(asked, instance, queries)
    with np.errstate(all="ignore"):
        finite = np.all(np.isfinite(queries), axis=(1, 2)) & np.all(
            np.isfinite(scores), axis=(1, 2)
        )
        absurd = finite & (np.max(np.abs(scores), axis=(1, 2)) > LARGEST_SCORE)
    errors = np.full(len(queries), np.nan)
    errors[absurd] = np.inf
    usable = np.flatnonzero(finite & ~absurd)
    if has_noise(instance):
        for at in usable:
            errors[at] = _noisy(asked, instance, queries[at], scores[at])
    elif len(usable):
        wanted = target(asked, len(instance.keys))
        with np.errstate(all="ignore"):
            off = np.mean(softmax(scores[usable]), axis=1) - wanted
        errors[usable] = _measure(asked, instance, off)
    return errors


def has_noise(instance: KeyInstance) -> bool:
    """Whether the keys are random."""
    return instance.covariances is not None and bool(np.any(instance.covariances))


def largest_error(asked: Asked, instance: KeyInstance) -> float:
    """Return the largest error over the factors that an answer speaks of; NaN before all others."""
    try:
        queries = asked.evaluate(instance, asked.tried(instance))
    except InvalidAnswer:  # it fits the numbers of the problem, and not those of this instance
        return float("nan")
    return float(np.max(errors_of(asked, instance, queries)))


def _measure(asked: Asked, instance: KeyInstance, off: Float64) -> Float64:
    """Return how much weights (factors, n) that are off by so much count."""
    law = asked.problem.given.values
    if isinstance(law, Arbitrary) or (isinstance(law, Orthogonal) and law.norms is None):
        return np.max(np.abs(off), axis=-1)
    if isinstance(law, Fixed):
        return np.linalg.norm(off @ instance.values, axis=-1)
    if isinstance(law, Orthogonal):
        off = off * np.linalg.norm(instance.values, axis=1)
    return np.linalg.norm(off, axis=-1)


def _noisy(asked: Asked, instance: KeyInstance, queries: Float64, scores: Float64) -> float:
    """Return the root of the mean square error of queries (heads, d) under noise."""
    # Heads with the same query are one head that counts for several.
    queries, first, counts = np.unique(queries, axis=0, return_index=True, return_counts=True)
    scores = scores[first]
    covariances = score_covariances(asked, instance, queries)
    width = float(np.sqrt(np.max(np.diagonal(covariances, axis1=1, axis2=2))))
    if width > WIDEST:  # from here on the law hardly changes, and takes ever longer to work out
        scores, covariances = scores * (WIDEST / width), covariances * (WIDEST / width) ** 2
    own = np.eye(len(queries), dtype=bool)
    correlated = bool(np.any(np.abs(covariances * ~own) > 1e-9 * width**2))
    if not correlated:
        covariances = covariances * own  # what is left beside the diagonal is rounding
    values = np.eye(len(instance.keys))
    law = asked.problem.given.values
    if isinstance(law, Fixed) or (isinstance(law, Orthogonal) and law.norms is not None):
        values = instance.values
    # Only scores count: what has the same law of scores has the same error.
    centred = scores - np.mean(scores, axis=-1, keepdims=True)
    parts = (centred, covariances, values @ values.T, counts)
    key = tuple(np.round(part, 9).tobytes() for part in parts)
    if key not in asked.laws:
        wanted = target(asked, len(values))
        shares = counts / np.sum(counts)
        asked.laws[key] = (
            _sampled_error(centred, covariances, shares, values, wanted)
            if correlated
            else _exact_error(centred, covariances, shares, values, wanted)
        )
    return asked.laws[key]


def _exact_error(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> float:
    output = key_noise(
        np.eye(len(scores)),
        scores.T,
        covariances,
        values,
        head_weights=shares,
        tolerance=1e-6,
    )
    bias = output.mean - wanted @ values
    spread = max(0.0, float(np.trace(output.covariance)))
    return float(np.sqrt(bias @ bias + spread))


def _sampled_error(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> float:
    """Return the same to about a hundredth, where an integral over several scores takes long."""
    squares, axes = np.linalg.eigh(covariances)
    roots = axes * np.sqrt(np.maximum(squares, 0))[:, None, :]
    normal = generator(0).standard_normal((SAMPLES // 2, *scores.T.shape))
    noise = np.einsum("ihg,sig->sih", roots, np.concatenate([normal, -normal]))
    weights = softmax(np.swapaxes(scores.T + noise, 1, 2))
    off = (np.tensordot(shares, weights, axes=(0, 1)) - wanted) @ values
    return float(np.sqrt(np.mean(np.sum(off**2, axis=-1))))


def score_covariances(asked: Asked, instance: KeyInstance, queries: Float64) -> Float64:
    """Return the covariances (n, heads, heads) of each key's scores."""
    assert instance.covariances is not None
    turned = instance.covariances @ queries.T
    found = asked.problem.given.scale**2 * (queries @ turned)
    return (found + np.swapaxes(found, 1, 2)) / 2


def open_factors(asked: Asked, instance: KeyInstance, ladder: tuple[float, ...]) -> list[float]:
    """Return the factors with which float64 can still tell scores apart, from the smallest."""
    queries = asked.evaluate(instance, ladder)
    scores = scores_of(asked, instance, queries)
    with np.errstate(all="ignore"):
        good = np.all(np.abs(scores) < RESOLVED, axis=(1, 2)) & np.all(
            np.isfinite(queries), axis=(1, 2)
        )
        if has_noise(instance):
            for at in np.flatnonzero(good):
                variances = np.diagonal(
                    score_covariances(asked, instance, queries[at]), axis1=1, axis2=2
                )
                good[at] = np.max(variances) <= WIDEST**2
    return [factor for factor, one in zip(ladder, good, strict=True) if one]
