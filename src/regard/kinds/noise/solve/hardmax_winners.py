"""Who wins a group of heads as queries grow, and how often.

If one normal number z moves all scores that vary, the winners change at finitely many z, and
probabilities are differences of Φ. Several keys in one head need an integral each, and what
remains is sampled.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regard.analysis.scores import Scores
from regard.kinds.noise.instance import legendre_pieces
from regard.kinds.noise.instance.formulas import Chance, plain
from regard.kinds.noise.solve.normal_chances import Cut, between

Float64 = NDArray[np.float64]
Won = tuple[Chance, tuple[tuple[int, ...], ...]]  # the keys that share each head, in its order

SAMPLES = 200_000


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


def along_a_line(
    scores: Scores, key: int, line: Float64, cuts: list[Cut] | None, ignore_negative: bool
) -> tuple[list[Won], Chance]:
    """Winners for every z of the one normal number, and the chance of what is not left out.

    Args:
        scores: of the heads.
        key: the one that varies.
        line: (H,), what z adds to its scores.
        cuts: for each head how far the key is ahead, in standard deviations, with a formula.
        ignore_negative: whether z with a negative score that varies are left out.
    """
    edges: list[Cut] = []
    low, high = Cut.at(-math.inf), Cut.at(math.inf)
    for h, slope in enumerate(line):
        if slope == 0:
            continue
        ahead = float(scores.means[h, key] - top_of(scores, h, key)[0])
        # The key wins beyond this z where its score rises with z, and below it otherwise.
        cut = Cut.at(-ahead / slope) if cuts is None else cuts[h].signed(-slope)
        edges.append(cut)
        if ignore_negative:
            zero = Cut.at(-float(scores.means[h, key]) / float(slope))
            zero = cut if abs(zero.value - cut.value) <= 1e-12 else zero
            edges.append(zero)
            if slope > 0:
                low = max(low, zero, key=lambda edge: edge.value)
            else:
                high = min(high, zero, key=lambda edge: edge.value)
    inside = sorted((e for e in edges if low.value < e.value < high.value), key=lambda e: e.value)
    distinct = [low]
    for edge in [*inside, high]:
        if edge.value - distinct[-1].value > 1e-12:
            distinct.append(edge)
    kept = between(low, high)
    found: dict[tuple[tuple[int, ...], ...], Chance] = {}
    for left, right in itertools.pairwise(distinct):
        z = 0.5 * (np.clip(left.value, -1e3, 1e3) + np.clip(right.value, -1e3, 1e3))
        winners = tuple(_winners(scores, h, key, slope * z) for h, slope in enumerate(line))
        chance = between(left, right).over(kept)
        if chance.value > 0:
            found[winners] = found[winners].plus(chance) if winners in found else chance
    return [(chance, winners) for winners, chance in found.items()], kept


def top_of(scores: Scores, h: int, key: int) -> tuple[float, tuple[int, ...]]:
    """The highest score of the keys other than `key`, and who has it."""
    others = [i for i in range(scores.keys) if i != key]
    means, blur = scores.means[h], scores.blur[h]
    best = max(others, key=lambda i: means[i])
    top = float(means[best])
    return top, tuple(i for i in others if top - means[i] <= blur[i] + blur[best])


def _winners(scores: Scores, h: int, key: int, moved: float) -> tuple[int, ...]:
    top, tied = top_of(scores, h, key)
    if key < 0:
        return tied
    own = float(scores.means[h, key])
    slack = scores.blur[h, key] + max(scores.blur[h, i] for i in tied)
    if scores.deviations[h, key] == 0 and abs(own - top) <= slack:
        return tuple(sorted((*tied, key)))
    return (key,) if own + moved > top else tied


def one_head_kept(scores: Scores) -> tuple[list[Won], Chance]:
    """Winners of one head in which several keys vary, given that none of them is negative.

    Key i wins with density f_i(s) Π_j (F_j(s) - F_j(0)) over the others that vary, for s above 0
    and above the highest score that is fixed.
    """
    means, spread, blur = scores.means[0], scores.deviations[0], scores.blur[0]
    noisy, still = np.flatnonzero(spread > 0), np.flatnonzero(spread == 0)
    top = float(np.max(means[still], initial=-math.inf))
    m, s = means[noisy], spread[noisy]
    kept = float(np.prod(ndtr(m / s)))
    if kept <= 0:
        return [], plain(0.0)
    found: list[Won] = []
    if top > 0:
        best = still[np.argmax(means[still])]
        tied = tuple(int(i) for i in still if top - means[i] <= blur[i] + blur[best])
        pieces = [(Cut.at(-a / b), Cut.at((top - a) / b)) for a, b in zip(m, s, strict=True)]
        lost = math.prod(between(*piece).value for piece in pieces)
        found.append((plain(lost / kept), (tied,)))
    start = max(top, 0.0)
    edges = np.concatenate([a + b * np.arange(-9.0, 9.5, 0.5) for a, b in zip(m, s, strict=True)])
    at, mass = legendre_pieces(np.unique(np.concatenate([[start], edges[edges > start]])))
    inside = ndtr((at - m[:, None]) / s[:, None]) - ndtr(-m / s)[:, None]
    for place, i in enumerate(noisy):
        z = (at - m[place]) / s[place]
        density = np.exp(-0.5 * z * z) / (math.sqrt(2 * math.pi) * s[place])
        others = np.prod(np.delete(inside, place, axis=0), axis=0)
        found.append((plain(float(mass @ (density * others)) / kept), ((int(i),),)))
    return [(chance, keys) for chance, keys in found if chance.value > 0], plain(kept)


def sampled_kept(scores: Scores) -> tuple[list[Won], Chance]:
    """Winners of samples without a negative score that varies."""
    normals = np.random.default_rng(0).standard_normal((SAMPLES, scores.keys, scores.heads))
    s = scores.means + np.einsum("nhg,png->phn", scores.factors(), normals)
    varies = scores.deviations > 0
    s = s[np.all((s >= 0) | ~varies, axis=(1, 2))]
    if not len(s):
        return [], plain(0.0, exact=False)
    first = np.where(varies, s == np.max(s, axis=-1, keepdims=True), scores.tied(s))
    patterns, counts = np.unique(first.reshape(len(s), -1), axis=0, return_counts=True)
    won = []
    for pattern, count in zip(patterns.reshape(-1, scores.heads, scores.keys), counts, strict=True):
        keys = tuple(tuple(int(i) for i in np.flatnonzero(row)) for row in pattern)
        won.append((plain(float(count) / len(s), exact=False), keys))
    return won, plain(len(s) / SAMPLES, exact=False)
