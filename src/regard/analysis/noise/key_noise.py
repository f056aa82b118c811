"""What random keys do to the output: its mean and covariance, exactly where that is possible."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.noise.hardmax_limit import limit_atoms
from regard.analysis.noise.one_head import one_head
from regard.analysis.noise.output_law import OutputLaw
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.analysis.noise.sobol import sampled_moments
from regard.analysis.noise.two_heads import pair_points, two_heads
from regard.analysis.noise.two_keys import logistic_moments
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError, ShapeError
from regard.shapes import choice, real, show
from regard.shapes.extremes import finite_or_refused
from regard.shapes.laws import read_generator, read_stack

__all__ = ["key_noise"]

Array = NDArray[np.float64]

FUNCTION = "analysis.key_noise"
WIDEST = 3_000.0  # standard deviation of a score; beyond, the grid of "exact" is too long
MOST_PAIR_POINTS = 16_000_000  # of all double integrals, times keys: beyond, "auto" samples


def key_noise(
    queries: ArrayLike,
    means: ArrayLike,
    covariances: ArrayLike,
    values: ArrayLike,
    *,
    head_weights: ArrayLike | None = None,
    scale: ArrayLike = 1.0,
    method: str = "auto",
    tolerance: float = 1e-8,
    rng: np.random.Generator | int | None = None,
) -> OutputLaw:
    """Return the law of the output of one or more heads when the keys are random.

    Keys are k_i ~ N(means_i, covariances_i), independent; head h has weights
    softmax_i(scale · q_h·k_i), and the output is c = Σ_h head_weights_h Σ_i α_hi v_i. All arguments
    may have batch axes in front: a sweep over scales or noises is one call.

    Args:
        queries: (..., heads, d), or (d,) for one head.
        means: (..., n, d).
        covariances: (..., n, d, d), symmetric, positive semidefinite; singular and zero are fine.
        values: (..., n, d_v).
        head_weights: (heads,) or (..., heads); None means the mean of the heads. Weights of 0 leave
            heads out, so that a batch may compare different numbers of heads.
        scale: what scores are multiplied by; a number or an array of batch axes.
        method: "exact" integrates over the scores and never samples; "qmc" samples the scores at
            quasi-random points, with a standard error; "limit" is scale → ∞; "auto" chooses exact
            if it is affordable and else qmc.
        tolerance: the error that "qmc" tries to reach. "exact" is always good to about 1e-13.
        rng: generator or seed, for "qmc" and for limits that must be sampled.

    Guarantee: no entry of mean and covariance is off by more than `.error` ("qmc": with probability
    0.99).

    Example:
        >>> import numpy as np, regard
        >>> mu = np.eye(2)
        >>> noise = np.array([np.outer(mu[0], mu[0]) / 2, np.zeros((2, 2))])
        >>> law = regard.analysis.key_noise(10 * (mu[0] + mu[1]), mu, noise, np.eye(2))
        >>> law.mean.round(12).tolist(), round(float(law.covariance[0, 0]), 6)
        ([0.5, 0.5], 0.195321)
    """
    given: dict[str, Any] = {
        "queries": queries,
        "means": means,
        "covariances": covariances,
        "values": values,
        "head_weights": head_weights,
        "scale": scale,
    }
    with one_blas_thread():  # the products are small
        return finite_or_refused(
            FUNCTION,
            given,
            lambda: _law(*_read(**given), method, tolerance, rng),
            lambda law: (law.mean, law.covariance, law.error),
        )


def _read(
    queries: ArrayLike,
    means: ArrayLike,
    covariances: ArrayLike,
    values: ArrayLike,
    head_weights: ArrayLike | None,
    scale: ArrayLike,
) -> tuple[Scores, Array]:
    """Return the law of the scores, and what each weight of each head adds to the output."""
    scores = read_scores(FUNCTION, queries, means, covariances, scale)
    averaged = read_stack(FUNCTION, "values", values, "(..., n, d_v)", rows=scores.keys)
    shares = np.full(scores.heads, 1 / scores.heads)
    if head_weights is not None:
        shares = read_stack(
            FUNCTION, "head_weights", head_weights, "(..., heads)", width=scores.heads
        )
    try:
        batch = np.broadcast_shapes(scores.batch, averaged.shape[:-2], shares.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"{FUNCTION}: the batch axes of values and head_weights do not broadcast with the "
            f"others. Got values {show(averaged.shape)}, head_weights {show(shares.shape)}, "
            f"batch {show(scores.batch)}."
        ) from None
    scores = Scores(
        np.broadcast_to(scores.means, (*batch, *scores.means.shape[-2:])),
        np.broadcast_to(scores.covariances, (*batch, *scores.covariances.shape[-3:])),
        np.broadcast_to(scores.blur, (*batch, *scores.blur.shape[-2:])),
        scores.rounding,
    )
    averaged = np.broadcast_to(averaged, (*batch, *averaged.shape[-2:]))
    shares = np.broadcast_to(shares, (*batch, scores.heads))
    return scores, shares[..., :, None, None] * averaged[..., None, :, :]


def _law(
    scores: Scores,
    mixing: Array,
    method: str,
    tolerance: float,
    rng: np.random.Generator | int | None,
) -> OutputLaw:
    chosen = choice(FUNCTION, "method", method, ("auto", "exact", "qmc", "limit"))
    allowed = real(FUNCTION, "tolerance", tolerance, positive=True)
    generator = read_generator(FUNCTION, 0 if rng is None else rng)
    batch = scores.batch
    if scores.heads == 1 and scores.keys == 2 and chosen in ("auto", "exact"):
        reason = "two keys: the weight is a logistic function of one Gaussian number"
        return _two_keys(scores, mixing, reason)
    width = mixing.shape[-1]
    mean, covariance = np.empty((*batch, width)), np.empty((*batch, width, width))
    worst, kinds = 0.0, []
    atoms: tuple[tuple[float, Array], ...] = ()
    for place, one, mixed in _each(scores, mixing):
        kind, reason = _decide(chosen, one)
        if kind == "exact":
            mean[place], covariance[place], error = _exact(one, mixed)
        elif kind == "qmc":
            mean[place], covariance[place], error = sampled_moments(one, mixed, allowed, generator)
        else:
            mean[place], covariance[place], error, atoms, how = _limit(one, mixed, generator)
            reason = f"{reason}; {how}"
        worst = max(worst, error)
        kinds.append((kind, reason))
    kind, reason = max(kinds)  # of a batch: the least exact, which decides the error
    return OutputLaw(
        mean, covariance, worst, kind, reason, atoms if not batch else (), scores, mixing
    )


def _each(scores: Scores, mixing: Array) -> Iterator[tuple[tuple[int, ...], Scores, Array]]:
    """The problems of a batch, one by one."""
    for place in np.ndindex(scores.batch):
        yield place, scores.of(place), mixing[place]


def _decide(method: str, scores: Scores) -> tuple[str, str]:
    if method != "auto":
        return method, "asked for"
    if float(np.max(scores.deviations)) > WIDEST:
        return "qmc", "the scores vary too much for a grid"
    if scores.heads == 1 or not np.any(_dependent(scores)):
        return "exact", "one integral per head"
    points = scores.keys * sum(
        pair_points(scores.means[[g, h]], scores.deviations[[g, h]])
        for g, h in np.argwhere(_dependent(scores))
    )
    if points <= MOST_PAIR_POINTS:
        return "exact", "one double integral per pair of dependent heads"
    return "qmc", f"the double integrals of dependent heads would need {points:.1g} numbers"


def _dependent(scores: Scores) -> NDArray[np.bool_]:
    """Which pairs of heads g < h see noise in common."""
    seen = np.any(scores.covariances != 0, axis=0)
    return np.triu(seen, 1)


def _exact(scores: Scores, mixing: Array) -> tuple[Array, Array, float]:
    """Mean and covariance by quadrature."""
    if scores.heads > 1 and scores.keys > 1:
        for g, h in np.argwhere(_dependent(scores)):
            points = pair_points(scores.means[[g, h]], scores.deviations[[g, h]]) * scores.keys
            if points > MOST_PAIR_POINTS * 8:
                raise ParameterError(
                    f"{FUNCTION}: heads {g} and {h} depend on each other, and their double "
                    f"integral would need {points:.1g} numbers: too many for method='exact'. "
                    f"Use 'qmc'."
                )
    heads = [one_head(m, s) for m, s in zip(scores.means, scores.deviations, strict=True)]
    # Weights sum to 1, so values may be counted from their mean: that keeps differences small.
    centres = np.mean(mixing, axis=1, keepdims=True)
    away = mixing - centres
    mean = np.sum(centres[:, 0], axis=0) + sum(
        head.mean @ v for head, v in zip(heads, away, strict=True)
    )
    covariance = np.zeros((mixing.shape[2], mixing.shape[2]))
    error = max(head.error for head in heads)
    for head, v in zip(heads, away, strict=True):
        covariance += v.T @ (head.second - np.outer(head.mean, head.mean)) @ v
    for g, h in np.argwhere(_dependent(scores)):
        pair = [g, h]
        joint, missed = two_heads(scores.means[pair], scores.covariances[:, pair][:, :, pair])
        cross = away[g].T @ (joint - np.outer(heads[g].mean, heads[h].mean)) @ away[h]
        covariance += cross + cross.T
        error = max(error, missed)
    size = float(np.max(np.abs(away), initial=0.0)) * scores.heads
    # What rounded scores do to the weights: |Δα| ≤ Δs/2, and half a second derivative per variance.
    error = 2 * error + scores.rounding
    stated = error * max(size, size**2) + 1e-15 * float(np.max(np.abs(mean), initial=0.0))
    return mean, 0.5 * (covariance + covariance.T), float(stated)


def _two_keys(scores: Scores, mixing: Array, reason: str) -> OutputLaw:
    """One head and two keys, a whole batch at once."""
    apart = scores.means[..., 0, 0] - scores.means[..., 0, 1]
    spread = np.sqrt(scores.covariances[..., 0, 0, 0] + scores.covariances[..., 1, 0, 0])
    share, variance, rest = logistic_moments(apart, spread)
    first, second = mixing[..., 0, 0, :], mixing[..., 0, 1, :]
    mean = share[..., None] * first + rest[..., None] * second
    away = first - second
    covariance = variance[..., None, None] * away[..., :, None] * away[..., None, :]
    size, width = (float(np.max(np.abs(part), initial=0.0)) for part in (mixing, away))
    error = 1e-15 * size + (1e-15 + scores.rounding) * max(width, width**2)
    return OutputLaw(mean, covariance, error, "exact", reason, (), scores, mixing)


def _limit(
    scores: Scores, mixing: Array, rng: np.random.Generator
) -> tuple[Array, Array, float, tuple[tuple[float, Array], ...], str]:
    """Mean and covariance of the atoms that are left as the scale grows."""
    winners, error, how = limit_atoms(scores, rng)
    atoms = tuple(
        (
            p,
            np.sum(
                [np.mean(mixing[h][list(keys)], axis=0) for h, keys in enumerate(chosen)], axis=0
            ),
        )
        for p, chosen in winners
    )
    chances = np.array([p for p, _ in atoms])
    points = np.array([point for _, point in atoms])
    mean = chances @ points / math.fsum(chances)
    away = points - mean
    covariance = (away * (chances / math.fsum(chances))[:, None]).T @ away
    size = float(np.max(np.abs(points), initial=0.0))
    error += abs(math.fsum(chances) - 1)
    return mean, covariance, float(4 * error * max(size, 2 * size**2)), atoms, how
