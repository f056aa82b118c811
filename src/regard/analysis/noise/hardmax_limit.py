"""The limit of a large scale: each head gives all its weight to the key with the highest score.

One head: key i wins with probability ∫ f_i Π_{j≠i} F_j. Keys whose scores do not vary and are
equal tie, and share the weight when they win. Heads whose scores are independent, key by key, win
independently. If only one key's scores vary between dependent heads, the winners change at
finitely many values of its noise. Anything else is sampled, and says so.

The same given that no score that varies is negative: with densities and distributions of what is
left, which are f/(1 − F(0)) and (F − F(0))/(1 − F(0)) above 0.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.one_noise import REACH, OneNoise, Winners, legendre_pieces
from regard.analysis.noise.random_scores import Scores
from regard.analysis.noise.sobol import normal_points

__all__ = ["Atom", "limit_atoms", "nonnegative_atoms"]

Array = NDArray[np.float64]
Atom = tuple[float, Winners]  # probability, and the keys that share each head

MOST_ATOMS = 4096
SAMPLE_POWER = 17


class _Limit(NamedTuple):
    """Atoms, a bound on their errors, how they were found, and how likely what is not left out."""

    atoms: list[Atom]
    error: float
    how: str
    kept: float = 1.0


def limit_atoms(scores: Scores, rng: np.random.Generator) -> tuple[list[Atom], float, str]:
    """The winners of every head, their probabilities, a bound on the errors, and how it was done.

    Args:
        scores: of one problem, at any scale: only which is highest counts.
        rng: used only where the law has to be sampled.
    """
    found = _limit(scores, rng, -math.inf)
    return found.atoms, found.error, found.how


def nonnegative_atoms(scores: Scores, rng: np.random.Generator) -> tuple[list[Atom], float, float]:
    """The same given that no score that varies is negative, and the probability of that.

    Returns:
        The atoms, none where nothing is left; a bound on their errors; the probability.
    """
    found = _limit(scores, rng, 0.0)
    return found.atoms, found.error, found.kept


def _limit(scores: Scores, rng: np.random.Generator, least: float) -> _Limit:
    """The law given that no score that varies is below `least`."""
    scores, places = _merged(_still(scores))
    found = _atoms(scores, rng, least)
    return found._replace(
        atoms=[(p, tuple(keys[place] for place in places)) for p, keys in found.atoms]
    )


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


def _atoms(scores: Scores, rng: np.random.Generator, least: float) -> _Limit:
    if scores.heads == 1 or _independent(scores):
        each = [_winners(m, s, least) for m, s in zip(scores.means, scores.deviations, strict=True)]
        if np.prod([len(one) for one in each]) <= MOST_ATOMS:
            atoms = [
                (float(np.prod([p for p, _ in chosen])), tuple(keys for _, keys in chosen))
                for chosen in itertools.product(*each)
            ]
            found = [atom for atom in atoms if atom[0] > 0]
            how = "one integral per key and head"
            return _Limit(found, 1e-14 * scores.heads, how, _kept(scores, least))
    moved = OneNoise.of(scores)
    if moved is not None:
        return _one_noise(moved, least)
    return _sampled(scores, rng, least)


def _independent(scores: Scores) -> bool:
    """Whether the heads' scores are uncorrelated for every key."""
    off = scores.covariances * (1 - np.eye(scores.heads))
    return not np.any(off)


def _kept(scores: Scores, least: float) -> float:
    """The probability that no score of independent heads that varies is below `least`."""
    from scipy.special import ndtr  # slow to load

    varies = scores.deviations > 0
    return float(np.prod(ndtr((scores.means[varies] - least) / scores.deviations[varies])))


def _winners(means: Array, deviations: Array, least: float) -> list[tuple[float, tuple[int, ...]]]:
    """The keys that may win one head, ties together, with their probabilities."""
    from scipy.special import ndtr  # slow to load

    still, noisy = np.flatnonzero(deviations == 0), np.flatnonzero(deviations > 0)
    m, s = means[noisy], deviations[noisy]
    below, kept = ndtr((least - m) / s), ndtr((m - least) / s)
    if not np.all(kept):  # some score is always left out: nothing is left
        return []
    top = float(np.max(means[still], initial=-np.inf))
    tied = tuple(int(i) for i in still[means[still] == top])
    found: list[tuple[float, tuple[int, ...]]] = []
    if tied:
        lower = np.maximum(ndtr((top - m) / s) - below, 0) / kept
        found.append((float(np.prod(lower)), tied))
    if len(noisy) == 1 and tied:
        found.append((float(ndtr((m[0] - max(top, least)) / s[0]) / kept[0]), (int(noisy[0]),)))
    elif len(noisy):
        each = _beat(m, s, max(top, least), below, kept)
        found += [(p, (int(i),)) for i, p in zip(noisy, each, strict=True)]
    return [(p, keys) for p, keys in found if p > 0]


def _beat(means: Array, deviations: Array, floor: float, below: Array, kept: Array) -> list[float]:
    """P(s_i is the highest and above `floor`) for independent Gaussian scores that all vary.

    Args:
        means: (n,).
        deviations: (n,).
        floor: at least as high as what is left out.
        below: (n,), the probabilities of what is left out of each score.
        kept: (n,), of the rest.
    """
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
        z, density = legendre_pieces(np.unique(edges[(edges >= start) & (edges <= REACH)]))
        density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * density / kept[i]
        score = m + s * z
        for j in others:
            density *= (ndtr((score - means[j]) / deviations[j]) - below[j]) / kept[j]
        chances.append(float(np.sum(density)))
    return chances


def _one_noise(moved: OneNoise, least: float) -> _Limit:
    """One key's scores move along a line: the winners change where it crosses another score."""
    from scipy.special import ndtr  # slow to load

    low, high = moved.above(least)
    inside = [z for z in moved.crossings() if low < z < high]
    found: dict[Winners, float] = {}
    for (left, right), keys in moved.winners(np.unique([low, *inside, high]).tolist()):
        tails = (right, left) if right <= 0 else (-left, -right)
        found[keys] = found.get(keys, 0.0) + float(ndtr(tails[0]) - ndtr(tails[1]))
    kept = sum(found.values())
    atoms = [(p / kept, keys) for keys, p in found.items() if p > 0]
    return _Limit(atoms, 1e-14, "one noise: the winners change at points", kept)


def _sampled(scores: Scores, rng: np.random.Generator, least: float) -> _Limit:
    """Winners by quasi-random points; ties of scores that do not vary are kept together."""
    found: dict[Winners, int] = {}
    factors, still = scores.factors(), scores.deviations == 0
    for normals in normal_points(scores.keys, scores.heads, SAMPLE_POWER, rng):
        s = scores.means + np.einsum("nhg,png->phn", factors, normals)
        s = s[np.all((s >= least) | still, axis=(1, 2))]
        top = s == np.max(s, axis=-1, keepdims=True)
        patterns, counts = np.unique(top.reshape(len(s), -1), axis=0, return_counts=True)
        shaped = patterns.reshape(-1, scores.heads, scores.keys)
        for pattern, count in zip(shaped, counts, strict=True):
            keys = tuple(tuple(int(i) for i in np.flatnonzero(row)) for row in pattern)
            found[keys] = found.get(keys, 0) + int(count)
    total = sum(found.values())
    atoms = [(count / total, keys) for keys, count in found.items()]
    # Three standard errors of plain sampling; the points are better than that.
    error, how = 1.5 / np.sqrt(max(total, 1)), f"sampled at 2^{SAMPLE_POWER} quasi-random points"
    return _Limit(atoms, float(error), how, total / 2**SAMPLE_POWER)
