"""How often an output misses its target, and how the weights of two heads move together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.hardmax_limit import limit_atoms
from regard.analysis.noise.one_head import one_head
from regard.analysis.noise.output_law import OutputLaw
from regard.analysis.noise.random_scores import Scores
from regard.analysis.noise.sobol import sampled_weights
from regard.analysis.noise.two_heads import two_heads

__all__ = ["failure_probability", "head_correlation", "weight_points"]

Array = NDArray[np.float64]

SCRAMBLINGS, POWER = 16, 13  # of sampled probabilities: so many times 2^POWER points
NEVER = 4.7  # no failure in N samples: fewer than NEVER/N, with probability 0.99


def failure_probability(
    law: OutputLaw, wanted: Array, tolerance: float, rng: np.random.Generator
) -> tuple[float, float, str]:
    """P(‖c − wanted‖ > tolerance), its error, and how it was found."""
    from scipy.special import stdtrit  # slow to load

    if law.method == "limit":
        chances = [p for p, c in law.atoms if np.linalg.norm(c - wanted) > tolerance]
        return float(min(1.0, sum(chances))), law.error, "atoms"
    line = _line(law.scores, law.mixing)
    if line is not None:
        return _off_line(*line, wanted, tolerance), 1e-12, "closed form"
    scores = law.scores
    shares = np.empty(SCRAMBLINGS)
    for i in range(SCRAMBLINGS):
        missed = 0
        for weights in sampled_weights(scores, POWER, rng):
            outputs = np.einsum("phn,hnv->pv", weights, law.mixing)
            missed += int(np.count_nonzero(np.linalg.norm(outputs - wanted, axis=1) > tolerance))
        shares[i] = missed / 2**POWER
    error = np.std(shares, ddof=1) / np.sqrt(SCRAMBLINGS) * stdtrit(SCRAMBLINGS - 1, 0.995)
    return float(np.mean(shares)), max(float(error), NEVER / (SCRAMBLINGS << POWER)), "qmc"


def _line(scores: Scores, mixing: Array) -> tuple[Array, Array, float, float] | None:
    """If c = start + σ(Z) · rise, Z ~ N(m, τ²): start, rise, m and τ.

    That is so if one head varies and in it one key, or there are but two: the weights of the other
    keys keep their ratios.
    """
    from scipy.special import logsumexp, softmax  # slow to load

    variances = scores.deviations**2 * (scores.keys > 1)
    noisy = variances > 0
    heads = np.flatnonzero(np.any(noisy, axis=1))
    if len(heads) > 1 or (np.count_nonzero(noisy) > 1 and scores.keys > 2):
        return None
    fixed = np.array([softmax(m) @ v for m, v in zip(scores.means, mixing, strict=True)])
    if len(heads) == 0:
        return np.sum(fixed, axis=0), np.zeros(fixed.shape[1]), 0.0, 0.0
    h = int(heads[0])
    key = int(np.argmax(noisy[h]))
    others = np.delete(np.arange(scores.keys), key)
    rest = scores.means[h, others]
    aside = softmax(rest) @ mixing[h, others]
    start = np.sum(np.delete(fixed, h, axis=0), axis=0) + aside
    tau = np.sqrt(np.sum(variances[h][noisy[h]]))
    return start, mixing[h, key] - aside, float(scores.means[h, key] - logsumexp(rest)), float(tau)


def _off_line(
    start: Array, rise: Array, m: float, tau: float, wanted: Array, tolerance: float
) -> float:
    """P(‖start + σ(Z) · rise − wanted‖ > tolerance) for Z ~ N(m, τ²)."""
    from scipy.special import ndtr  # slow to load

    size = float(np.linalg.norm(rise))
    if size == 0 or tau == 0:
        end = start + rise / (1 + np.exp(-m))
        return float(np.linalg.norm(end - wanted) > tolerance)
    along = float((wanted - start) @ rise) / size
    apart = float(np.linalg.norm(wanted - start - along * rise / size))
    if apart > tolerance:
        return 1.0
    reach = float(np.sqrt((tolerance - apart) * (tolerance + apart)))
    # Good are the weights between low and high; 1 − weight is kept as well, for its digits.
    low, high = (along - reach) / size, (along + reach) / size
    to_low, to_high = (size - along + reach) / size, (size - along - reach) / size
    below = 0.0 if low <= 0 else 1.0 if to_low <= 0 else ndtr((np.log(low / to_low) - m) / tau)
    above = 0.0 if to_high <= 0 else 1.0 if high <= 0 else ndtr((m - np.log(high / to_high)) / tau)
    return float(min(1.0, below + above))


def head_correlation(
    law: OutputLaw, keys: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], Array, NDArray[np.bool_]]:
    """Each head's main key out of `keys`, the correlations of these weights, and independence."""
    scores = law.scores
    # Products that are only rounding have been set to 0 where the scores were read.
    independent = ~np.any(scores.covariances != 0, axis=0)
    if law.method == "exact":
        heads = [one_head(m, s) for m, s in zip(scores.means, scores.deviations, strict=True)]
        main = keys[np.argmax([head.mean[keys] for head in heads], axis=1)]
        spread = np.diag(
            [h.second[i, i] - h.mean[i] ** 2 for h, i in zip(heads, main, strict=True)]
        )
        for g, h in np.argwhere(np.triu(~independent, 1)):
            pair = [g, h]
            joint, _ = two_heads(scores.means[pair], scores.covariances[:, pair][:, :, pair])
            i, j = main[pair]
            spread[g, h] = spread[h, g] = joint[i, j] - heads[g].mean[i] * heads[h].mean[j]
        least = 4 * max(head.error for head in heads)
    else:
        weights, chances = weight_points(law, SCRAMBLINGS << POWER, rng)
        average = np.einsum("p,phn->hn", chances, weights)
        main = keys[np.argmax(average[:, keys], axis=1)]
        away = weights[:, np.arange(len(main)), main] - average[np.arange(len(main)), main]
        spread, least = (away * chances[:, None]).T @ away, 1e-15
    deviations = np.sqrt(np.maximum(np.diag(spread), 0.0))
    still = deviations**2 <= least  # rounding: not a weight that varies
    safe = np.where(still, 1.0, deviations)
    correlation = np.clip(spread / np.outer(safe, safe), -1.0, 1.0)
    correlation[independent | still[:, None] | still] = 0.0
    np.fill_diagonal(correlation, 1.0)
    return main, correlation, independent


def weight_points(law: OutputLaw, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Weights (points, H, n) with their chances (points,): samples, or the atoms of a limit."""
    scores = law.scores
    if law.method != "limit":
        normals = rng.standard_normal((size, scores.keys, scores.heads))
        return scores.weights(normals), np.full(size, 1 / size)
    atoms, _, _ = limit_atoms(scores, rng)
    weights = np.zeros((len(atoms), scores.heads, scores.keys))
    for place, (_, winners) in enumerate(atoms):
        for head, keys in enumerate(winners):
            weights[place, head, list(keys)] = 1 / len(keys)
    chances = np.array([p for p, _ in atoms])
    return weights, chances / np.sum(chances)
