"""How far off queries are, for many factors at once.

Where the values are known the error is that of the output; where they are arbitrary, the largest
error of a weight. With noise that stays it is the root of the mean square of that, of the output or
of each weight: worked out exactly, and only for heads whose scores vary together from samples.
"""

from __future__ import annotations

import numpy as np

from regard.analysis import key_noise
from regard.checking.query.asked import RESOLVED, Asked, Float64
from regard.checking.sampling import generator, softmax
from regard.errors import InvalidAnswer
from regard.problems.instances import KeyInstance
from regard.problems.laws import Arbitrary, Fixed, Orthogonal

# Adding 1 to a larger score changes it by a share that is lost in rounding: it says nothing.
LARGEST_SCORE = 1e15
WIDEST = 50.0  # and as long as the noise of a score has a smaller standard deviation
ROUNDING = 1e-13  # of a sum of products, as a share of the sum of their sizes
FAR = 200.0  # below the best, beyond 20 standard deviations: no weight that could be seen
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


def largest_error(asked: Asked, instance: KeyInstance, *, fine: bool = False) -> float:
    """Return the largest error over the factors that an answer speaks of; NaN before all others."""
    try:
        factors = asked.tried(instance, fine=fine and not has_noise(instance))
        queries = asked.evaluate(instance, factors)
    except InvalidAnswer:  # it fits the numbers of the problem, and not those of this instance
        return float("nan")
    errors = errors_of(asked, instance, queries)
    if asked.bounds is None:
        return float(np.max(errors))
    return _between(asked, instance, factors, errors)


def _between(
    asked: Asked, instance: KeyInstance, factors: tuple[float, ...], errors: Float64
) -> float:
    """Return the largest error over a range of factors: also between those that were tried."""
    noisy = has_noise(instance)
    for _ in range(2):
        if not np.all(np.isfinite(errors)) or len(factors) < 3:
            break
        top = int(np.argmax(errors))
        low, high = factors[max(top - 1, 0)], factors[min(top + 1, len(factors) - 1)]
        finer = tuple(np.linspace(low, high, 7 if noisy else 13).tolist())
        found = errors_of(asked, instance, asked.evaluate(instance, finer))
        if not np.all(found <= np.max(errors) * (1 + 1e-9)):
            factors, errors = finer, found
        else:
            break
    return float(np.max(errors))


def each_weight(asked: Asked) -> bool:
    """Whether the tolerance is of each weight: lengths or angles of the values are not known."""
    law = asked.problem.given.values
    return isinstance(law, Arbitrary) or (isinstance(law, Orthogonal) and law.norms is None)


def _measure(asked: Asked, instance: KeyInstance, off: Float64) -> Float64:
    """Return how much weights (factors, n) that are off by so much count."""
    law = asked.problem.given.values
    if each_weight(asked):
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
    # The law takes as long to work out as scores are far apart; how far below is all the same.
    best = np.max(scores, axis=-1, keepdims=True)
    scores = np.maximum(scores, best - FAR - 20 * min(width, WIDEST))
    own = np.eye(len(queries), dtype=bool)
    correlated = bool(np.any(np.abs(covariances * ~own) > 1e-9 * width**2))
    if not correlated:
        covariances = covariances * own  # what is left beside the diagonal is rounding
    values = np.eye(len(instance.keys))
    law = asked.problem.given.values
    if isinstance(law, Fixed) or (isinstance(law, Orthogonal) and law.norms is not None):
        values = instance.values
    largest = each_weight(asked)
    # Only scores count: what has the same law of scores has the same error.
    centred = scores - np.mean(scores, axis=-1, keepdims=True)
    parts = (centred, covariances, values @ values.T, counts)
    key = tuple(np.round(part, 9).tobytes() for part in parts)
    if key not in asked.laws:
        wanted = target(asked, len(values))
        shares = counts / np.sum(counts)
        how = _sampled_squares if correlated else _exact_squares
        squares = how(centred, covariances, shares, values, wanted)
        asked.laws[key] = float(np.sqrt(np.max(squares) if largest else np.sum(squares)))
    return asked.laws[key]


def _exact_squares(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> Float64:
    """Return the mean square of each entry of c − c*."""
    output = key_noise(
        np.eye(len(scores)),
        scores.T,
        covariances,
        values,
        head_weights=shares,
        tolerance=1e-6,
    )
    bias = output.mean - wanted @ values
    return np.asarray(bias**2 + np.maximum(np.diagonal(output.covariance), 0.0))


def _sampled_squares(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> Float64:
    """Return the same to about a hundredth, where an integral over several scores takes long."""
    squares, axes = np.linalg.eigh(covariances)
    roots = axes * np.sqrt(np.maximum(squares, 0))[:, None, :]
    normal = generator(0).standard_normal((SAMPLES // 2, *scores.T.shape))
    noise = np.einsum("ihg,sig->sih", roots, np.concatenate([normal, -normal]))
    weights = softmax(np.swapaxes(scores.T + noise, 1, 2))
    off = (np.tensordot(shares, weights, axes=(0, 1)) - wanted) @ values
    return np.asarray(np.mean(off**2, axis=0))


def score_covariances(asked: Asked, instance: KeyInstance, queries: Float64) -> Float64:
    """Return the covariances (n, heads, heads) of each key's scores.

    A query at right angles to the noise sees none: what is left is rounding, and is made 0.
    """
    assert instance.covariances is not None
    scale = asked.problem.given.scale**2
    found = scale * (queries @ (instance.covariances @ queries.T))
    size = scale * (np.abs(queries) @ (np.abs(instance.covariances) @ np.abs(queries).T))
    found = np.where(np.abs(found) > ROUNDING * size, found, 0.0)
    found = (found + np.swapaxes(found, 1, 2)) / 2
    seen = np.diagonal(found, axis1=1, axis2=2) > 0
    return np.asarray(found * seen[:, :, None] * seen[:, None, :])


def open_factors(
    asked: Asked, instance: KeyInstance, ladder: tuple[float, ...], largest: float = RESOLVED
) -> list[float]:
    """Return the factors with which float64 can still tell scores apart, from the smallest.

    Up to RESOLVED it is not the scores that count but the sums of the sizes of their terms, which
    is what rounding is a share of: of long and short keys a score may be a small difference.
    """
    queries = asked.evaluate(instance, ladder)
    scores = scores_of(asked, instance, queries)
    with np.errstate(all="ignore"):
        if largest <= RESOLVED:
            scores = asked.problem.given.scale * (np.abs(queries) @ np.abs(instance.keys).T)
        good = np.all(np.abs(scores) < largest, axis=(1, 2)) & np.all(
            np.isfinite(queries), axis=(1, 2)
        )
        if has_noise(instance):
            for at in np.flatnonzero(good):
                variances = np.diagonal(
                    score_covariances(asked, instance, queries[at]), axis1=1, axis2=2
                )
                good[at] = np.max(variances) <= WIDEST**2
    return [factor for factor, one in zip(ladder, good, strict=True) if one]
