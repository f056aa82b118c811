"""Which keys win as queries grow, given that no score that varies is negative."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis.noise.random_scores import Scores

Float64 = NDArray[np.float64]
Winners = list[
    tuple[float, tuple[tuple[int, ...], ...]]
]  # how often; the keys that share each head

SAMPLES = 200_000
REACH = 9.0  # standard deviations


def noise_line(scores: Scores) -> tuple[int, Float64] | None:
    """The one key that varies and the slopes (H,) of its scores in one normal number.

    The key is -1 if none varies. None: several keys vary, or one by several numbers.
    """
    noisy = np.flatnonzero(np.any(scores.deviations > 0, axis=0))
    if len(noisy) != 1:
        return None if len(noisy) else (-1, np.zeros(scores.heads))
    joint = scores.covariances[noisy[0]]
    lead = int(np.argmax(np.diag(joint)))
    line = np.asarray(joint[lead] / np.sqrt(joint[lead, lead]), dtype=np.float64)
    near = np.max(np.abs(joint - np.outer(line, line))) <= 1e-12 * joint[lead, lead]
    return (int(noisy[0]), line) if near else None


def positive_winners(scores: Scores) -> tuple[Winners, float, float]:
    """Return the winners given that no score that varies is negative.

    Returns:
        the winners, how far off their probabilities may be, and the probability of the condition.
    """
    line = noise_line(scores)
    if line is not None:
        return _along_a_line(scores, *line)
    if np.any(scores.covariances * (1 - np.eye(scores.heads))):
        return _sampled(scores)
    # Heads whose scores do not vary together: each by integrals of its own.
    each = [_alone(*one) for one in zip(scores.means, scores.deviations, strict=True)]
    found = [
        (math.prod(chance for chance, _ in chosen), tuple(keys for _, keys in chosen))
        for chosen in itertools.product(*each)
    ]
    varies = scores.deviations > 0
    kept = float(np.prod(ndtr(scores.means[varies] / scores.deviations[varies])))
    return [one for one in found if one[0] > 0], 1e-9, kept


def _along_a_line(scores: Scores, key: int, slope: Float64) -> tuple[Winners, float, float]:
    edges = [-np.inf, np.inf]
    for h in np.flatnonzero(slope):
        others = np.delete(scores.means[h], key)
        for level in (0.0, float(np.max(others))):
            edges.append((level - scores.means[h, key]) / slope[h])
    found: dict[tuple[tuple[int, ...], ...], float] = {}
    for low, high in itertools.pairwise(np.unique(edges)):
        z = (np.clip(low, -1e3, 1e3) + np.clip(high, -1e3, 1e3)) / 2
        s = scores.means.copy()
        s[:, key] += slope * z
        if np.any(s[slope != 0, key] < 0):
            continue
        chance = float(ndtr(high) - ndtr(low)) if high <= 0 else float(ndtr(-low) - ndtr(-high))
        winners = tuple(tuple(np.flatnonzero(row).tolist()) for row in scores.tied(s))
        found[winners] = found.get(winners, 0.0) + chance
    total = sum(found.values())
    return [(chance / total, winners) for winners, chance in found.items()], 1e-14, total


def _alone(means: Float64, deviations: Float64) -> list[tuple[float, tuple[int, ...]]]:
    """Return the winners of one head (n,).

    Key i wins with density f_i(s) Π_j (F_j(s) - F_j(0)) over the others that vary, for s above 0
    and above the highest score that is fixed.
    """
    still, noisy = np.flatnonzero(deviations == 0), np.flatnonzero(deviations > 0)
    m, s = means[noisy], deviations[noisy]
    below, kept = ndtr(-m / s), ndtr(m / s)
    top = float(np.max(means[still], initial=-np.inf))
    found: list[tuple[float, tuple[int, ...]]] = []
    if len(still):
        tied = tuple(int(i) for i in still[means[still] >= top - 1e-12 * max(1.0, abs(top))])
        lower = np.maximum(ndtr((top - m) / s) - below, 0) / kept
        found.append((float(np.prod(lower)), tied))
    start, end = max(0.0, top), float(np.max(m + REACH * s, initial=0.0))
    marks = (m[:, None] + s[:, None] * np.arange(-REACH, REACH + 1)).ravel()
    edges = np.unique([start, end, *marks[(marks >= start) & (marks <= end)]])
    score, weights = legendre_pieces(edges[(edges >= start) & (edges <= end)])
    inside = (ndtr((score - m[:, None]) / s[:, None]) - below[:, None]) / kept[:, None]
    z = (score - m[:, None]) / s[:, None]
    density = np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * s * kept)[:, None] * weights
    for place, key in enumerate(noisy):
        others = np.prod(np.delete(inside, place, axis=0), axis=0)
        found.append((float(np.sum(density[place] * others)), (int(key),)))
    return [(chance, keys) for chance, keys in found if chance > 0]


def positive_draws(scores: Scores) -> Float64:
    """Return scores (samples, H, n) of which none that varies is negative."""
    normals = np.random.default_rng(0).standard_normal((SAMPLES, scores.keys, scores.heads))
    s = scores.means + np.einsum("nhg,png->phn", scores.factors(), normals)
    return np.asarray(s[np.all((s >= 0) | (scores.deviations == 0), axis=(1, 2))])


def _sampled(scores: Scores) -> tuple[Winners, float, float]:
    s = positive_draws(scores)
    top = scores.tied(s)
    patterns, counts = np.unique(top.reshape(len(s), -1), axis=0, return_counts=True)
    won = []
    for pattern, count in zip(patterns.reshape(-1, *s.shape[1:]), counts, strict=True):
        keys = tuple(tuple(np.flatnonzero(row).tolist()) for row in pattern)
        won.append((float(count) / len(s), keys))
    return won, 3 / math.sqrt(max(len(s), 1)), len(s) / SAMPLES


def legendre_pieces(edges: Float64) -> tuple[Float64, Float64]:
    """Return points and weights of Gauss–Legendre rules with 16 nodes between edges."""
    x, w = np.polynomial.legendre.leggauss(16)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (x + 1)).ravel(), (half * w).ravel()
