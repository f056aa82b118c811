"""The limit of a large scale: each head gives all its weight to the key with the highest score.

One head: key i wins with probability ∫ f_i Π_{j≠i} F_j. Keys whose scores do not vary and are
equal tie, and share the weight when they win. Heads whose scores are independent, key by key, win
independently. If only one key's scores vary between dependent heads, the winners change at
finitely many values of its noise. Anything else is sampled, and says so.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.random_scores import Scores
from regard.analysis.noise.sobol import normal_points

__all__ = ["Atom", "limit_atoms"]

Array = NDArray[np.float64]
Atom = tuple[float, tuple[tuple[int, ...], ...]]  # probability, and the keys that share each head

STEPS = 16  # nodes per piece
REACH = 9
MOST_ATOMS = 4096
SAMPLE_POWER = 17


def limit_atoms(scores: Scores, rng: np.random.Generator) -> tuple[list[Atom], float, str]:
    """The winners of every head, their probabilities, a bound on the errors, and how it was done.

    Args:
        scores: of one problem, at any scale: only which is highest counts.
        rng: used only where the law has to be sampled.
    """
    scores, places = _merged(_still(scores))
    atoms, error, how = _atoms(scores, rng)
    spread = [(p, tuple(keys[place] for place in places)) for p, keys in atoms]
    return spread, error, how


def _still(scores: Scores) -> Scores:
    """The scores with means that are equal up to rounding made equal."""
    means = scores.means.copy()
    for row, blur in zip(means, scores.blur, strict=True):
        order = np.argsort(row)
        for low, high in itertools.pairwise(order.tolist()):
            if row[high] - row[low] <= blur[low] + blur[high]:
                row[high] = row[low]
    return Scores(means, scores.covariances, scores.blur, scores.rounding)


def _merged(scores: Scores) -> tuple[Scores, list[int]]:
    """One of each kind of heads that always agree, and which kind each head is of."""
    kept: list[int] = []
    places = []
    for h in range(scores.heads):
        for place, g in enumerate(kept):
            same = np.array_equal(scores.means[g], scores.means[h]) and np.array_equal(
                scores.covariances[:, g], scores.covariances[:, h]
            )
            if same:
                places.append(place)
                break
        else:
            places.append(len(kept))
            kept.append(h)
    return scores.of_heads(kept), places


def _atoms(scores: Scores, rng: np.random.Generator) -> tuple[list[Atom], float, str]:
    if scores.heads == 1 or _independent(scores):
        each = [_winners(m, s) for m, s in zip(scores.means, scores.deviations, strict=True)]
        if np.prod([len(one) for one in each]) <= MOST_ATOMS:
            atoms = [
                (float(np.prod([p for p, _ in chosen])), tuple(keys for _, keys in chosen))
                for chosen in itertools.product(*each)
            ]
            found = [atom for atom in atoms if atom[0] > 0]
            return found, 1e-14 * scores.heads, "one integral per key and head"
    noisy = np.flatnonzero(np.any(scores.deviations > 0, axis=0))
    if len(noisy) == 1 and np.linalg.matrix_rank(scores.covariances[noisy[0]]) == 1:
        return _one_noise(scores, int(noisy[0])), 1e-14, "one noise: the winners change at points"
    found, error = _sampled(scores, rng)
    return found, error, f"sampled at 2^{SAMPLE_POWER} quasi-random points"


def _independent(scores: Scores) -> bool:
    """Whether the heads' scores are uncorrelated for every key."""
    off = scores.covariances * (1 - np.eye(scores.heads))
    return not np.any(off)


def _winners(means: Array, deviations: Array) -> list[tuple[float, tuple[int, ...]]]:
    """The keys that may win one head, ties together, with their probabilities."""
    from scipy.special import ndtr  # slow to load

    still = np.flatnonzero(deviations == 0)
    tied: tuple[int, ...] = ()
    top = -np.inf
    if len(still):
        top = float(np.max(means[still]))
        tied = tuple(int(i) for i in still[means[still] == top])
    noisy = np.flatnonzero(deviations > 0)
    found: list[tuple[float, tuple[int, ...]]] = []
    if tied:
        below = ndtr((top - means[noisy]) / deviations[noisy])
        found.append((float(np.prod(below)), tied))
    if len(noisy) == 1 and tied:
        i = noisy[0]
        found.append((float(ndtr((means[i] - top) / deviations[i])), (int(i),)))
    elif len(noisy):
        found += [
            (p, (int(i),))
            for i, p in zip(noisy, _beat(means[noisy], deviations[noisy], top), strict=True)
        ]
    return [(p, keys) for p, keys in found if p > 0]


def _beat(means: Array, deviations: Array, floor: float) -> list[float]:
    """P(s_i is the highest and above `floor`) for independent Gaussian scores that all vary."""
    from scipy.special import ndtr  # slow to load

    chances = []
    for i, (m, s) in enumerate(zip(means, deviations, strict=True)):
        # Over the noise of key i, by Gauss–Legendre pieces, because a floor cuts the integral off.
        start = max(-REACH, (floor - m) / s)
        if start >= REACH:
            chances.append(0.0)
            continue
        # Pieces of one standard deviation, of this key and of each competitor around its mean.
        others = [j for j in range(len(means)) if j != i]
        steps = np.arange(-REACH, REACH + 1.0)
        marks = [steps, *((means[j] + deviations[j] * steps - m) / s for j in others)]
        edges = np.concatenate([[start, REACH], *marks])
        edges = np.unique(edges[(edges >= start) & (edges <= REACH)])
        x, w = np.polynomial.legendre.leggauss(STEPS)
        half = 0.5 * np.diff(edges)[:, None]
        z = (edges[:-1, None] + half * (x + 1)).ravel()
        density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (half * w).ravel()
        score = m + s * z
        for j in others:
            density = density * ndtr((score - means[j]) / deviations[j])
        chances.append(float(np.sum(density)))
    return chances


def _one_noise(scores: Scores, key: int) -> list[Atom]:
    """One key's scores move along a line: the winners change where it crosses another score."""
    from scipy.special import ndtr  # slow to load

    line = _direction(scores.covariances[key])
    others = np.delete(np.arange(scores.keys), key)
    crossings = [-np.inf, np.inf]
    for h in range(scores.heads):
        if line[h] != 0 and len(others):
            crossings.append((np.max(scores.means[h, others]) - scores.means[h, key]) / line[h])
    edges = np.unique(crossings)
    found: dict[tuple[tuple[int, ...], ...], float] = {}
    for low, high in itertools.pairwise(edges):
        middle = 0.5 * (np.clip(low, -1e3, 1e3) + np.clip(high, -1e3, 1e3))
        winners = []
        for h in range(scores.heads):
            s = scores.means[h].copy()
            s[key] += line[h] * middle
            winners.append(tuple(int(i) for i in np.flatnonzero(s == np.max(s))))
        chance = float(ndtr(high) - ndtr(low)) if high <= 0 else float(ndtr(-low) - ndtr(-high))
        found[tuple(winners)] = found.get(tuple(winners), 0.0) + chance
    return [(p, keys) for keys, p in found.items() if p > 0]


def _direction(covariance: Array) -> Array:
    """The vector u with u uᵀ = covariance, of rank one."""
    sizes, vectors = np.linalg.eigh(covariance)
    line = vectors[:, -1] * np.sqrt(sizes[-1])
    line[np.diag(covariance) == 0] = 0.0  # exactly: a head that does not see the noise
    return line


def _sampled(scores: Scores, rng: np.random.Generator) -> tuple[list[Atom], float]:
    """Winners by quasi-random points; ties of scores that do not vary are kept together."""
    found: dict[tuple[tuple[int, ...], ...], int] = {}
    factors = scores.factors()
    for normals in normal_points(scores.keys, scores.heads, SAMPLE_POWER, rng):
        s = scores.means + np.einsum("nhg,png->phn", factors, normals)
        top = s == np.max(s, axis=-1, keepdims=True)
        patterns, counts = np.unique(top.reshape(len(s), -1), axis=0, return_counts=True)
        shaped = patterns.reshape(-1, scores.heads, scores.keys)
        for pattern, count in zip(shaped, counts, strict=True):
            keys = tuple(tuple(int(i) for i in np.flatnonzero(row)) for row in pattern)
            found[keys] = found.get(keys, 0) + int(count)
    atoms = [(count / 2**SAMPLE_POWER, keys) for keys, count in found.items()]
    # Three standard errors of plain sampling; the points are better than that.
    return atoms, 1.5 / np.sqrt(2**SAMPLE_POWER)
