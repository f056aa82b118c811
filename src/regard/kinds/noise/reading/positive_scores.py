"""Which keys win, given that no score that varies is negative."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis.scores import Scores
from regard.kinds.noise.instance import legendre_pieces

Float64 = NDArray[np.float64]
Winners = list[tuple[float, tuple[tuple[int, ...], ...]]]

SAMPLES = 2**16
REACH = 9.0  # standard deviations


def kept(scores: Scores) -> tuple[Winners, float]:
    """Return the winners given that no score that varies is negative."""
    line = _line(scores)
    if line is None:
        shared = scores.covariances * (1 - np.eye(scores.heads))
        return _sampled(scores) if np.any(shared) else _kept_apart(scores)
    key, slope = line
    edges = [-np.inf, np.inf]
    for h in np.flatnonzero(slope):
        others = np.delete(scores.means[h], key)
        for level in (0.0, float(np.max(others))):
            edges.append((level - scores.means[h, key]) / slope[h])
    points = np.unique(edges)
    found: dict[tuple[tuple[int, ...], ...], float] = {}
    for low, high in itertools.pairwise(points):
        z = (np.clip(low, -1e3, 1e3) + np.clip(high, -1e3, 1e3)) / 2
        s = scores.means.copy()
        s[:, key] += slope * z
        if np.any(s[slope != 0, key] < 0):
            continue
        chance = float(ndtr(high) - ndtr(low)) if high <= 0 else float(ndtr(-low) - ndtr(-high))
        winners = _top(scores, s)
        found[winners] = found.get(winners, 0.0) + chance
    total = sum(found.values())
    return [(chance / total, winners) for winners, chance in found.items()], 1e-14


def _kept_apart(scores: Scores) -> tuple[Winners, float]:
    """Return the same for heads whose scores do not vary together: each by integrals of its own."""
    each = [_kept_alone(*one) for one in zip(scores.means, scores.deviations, strict=True)]
    found = [
        (float(np.prod([chance for chance, _ in chosen])), tuple(keys for _, keys in chosen))
        for chosen in itertools.product(*each)
    ]
    return [one for one in found if one[0] > 0], 1e-9


def _kept_alone(means: Float64, deviations: Float64) -> list[tuple[float, tuple[int, ...]]]:
    """Return the winners of one head, given that no score that varies is negative."""
    still, noisy = np.flatnonzero(deviations == 0), np.flatnonzero(deviations > 0)
    m, s = means[noisy], deviations[noisy]
    below = ndtr(-m / s)
    kept = ndtr(m / s)
    top = float(np.max(means[still], initial=-np.inf))
    found: list[tuple[float, tuple[int, ...]]] = []
    if len(still):
        tied = tuple(int(i) for i in still[means[still] >= top - 1e-12 * max(1.0, abs(top))])
        lower = np.maximum(ndtr((top - m) / s) - below, 0) / kept
        found.append((float(np.prod(lower)), tied))
    start, end = max(0.0, top), float(np.max(m + REACH * s, initial=0.0))
    marks = np.concatenate(
        [[start, end], *(a + b * np.arange(-REACH, REACH + 1) for a, b in zip(m, s, strict=True))]
    )
    edges = np.unique(marks[(marks >= start) & (marks <= end)])
    score, weights = legendre_pieces(edges)
    for place, key in enumerate(noisy):
        z = (score - m[place]) / s[place]
        density = np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * s[place] * kept[place]) * weights
        for other in np.delete(np.arange(len(noisy)), place):
            density *= (ndtr((score - m[other]) / s[other]) - below[other]) / kept[other]
        found.append((float(np.sum(density)), (int(key),)))
    return [(chance, keys) for chance, keys in found if chance > 0]


def _line(scores: Scores) -> tuple[int, Float64] | None:
    """Return the one key that varies and what one normal number adds to its scores (H,)."""
    noisy = np.flatnonzero(np.any(scores.deviations > 0, axis=0))
    if len(noisy) != 1:
        return None
    joint = scores.covariances[noisy[0]]
    lead = int(np.argmax(np.diag(joint)))
    slope = np.asarray(joint[lead] / np.sqrt(joint[lead, lead]))
    if np.max(np.abs(joint - np.outer(slope, slope))) > 1e-12 * joint[lead, lead]:
        return None
    return int(noisy[0]), slope


def _top(scores: Scores, drawn: Float64) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.flatnonzero(row).tolist()) for row in scores.tied(drawn))


def draws(scores: Scores) -> Float64:
    """Return scores (samples, H, n)."""
    normals = np.random.default_rng(0).standard_normal((SAMPLES, scores.keys, scores.heads))
    noise = np.einsum("nhg,png->phn", scores.factors(), normals)
    return np.asarray(scores.means + noise)


def positive(s: Float64, scores: Scores) -> NDArray[np.bool_]:
    """Return for each sample of scores whether none that varies is negative."""
    return np.asarray(np.all((s >= 0) | (scores.deviations == 0), axis=(1, 2)))


def _sampled(scores: Scores) -> tuple[Winners, float]:
    s = draws(scores)
    s = s[positive(s, scores)]
    top = scores.tied(s)
    patterns, counts = np.unique(top.reshape(len(s), -1), axis=0, return_counts=True)
    won = []
    for pattern, count in zip(patterns.reshape(-1, *s.shape[1:]), counts, strict=True):
        keys = tuple(tuple(np.flatnonzero(row).tolist()) for row in pattern)
        won.append((float(count) / len(s), keys))
    return won, 3 / math.sqrt(max(len(s), 1))
