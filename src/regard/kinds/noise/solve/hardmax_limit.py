"""The law of the output as the queries grow: which values it comes near to, and how often.

A head gives all its weight to the key with the highest score along its direction. Heads that
share noise are taken together; what heads without common noise do is independent. Where one
normal number z moves everything in a group of heads, the winners change at finitely many z, and
probabilities are differences of Φ; otherwise they come from integrals, or from samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.analysis.noise.hardmax_limit import limit_atoms, nonnegative_atoms
from regard.analysis.noise.one_noise import OneNoise, Winners
from regard.analysis.noise.random_scores import Scores
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.instance.formulas import Chance, plain
from regard.kinds.noise.solve.normal_chances import Cut, between
from regard.problems.instances import Float64
from regard.solving.key_tables import softmax

Won = tuple[Chance, Winners]
Outcome = tuple[Chance, Float64]  # of a part of the output: how often, and how much of each value

MOST_ATOMS = 256
SAME = 1e-12  # of z: what differs by less differs by rounding
SAMPLED = 1e-6  # an error of probabilities that no integral has


@dataclass(frozen=True, eq=False)
class Part:
    """Heads that share noise, and what they do together.

    Attributes:
        heads: which ones.
        outcomes: what becomes of their share of the output.
        noisy: the keys whose scores vary in them.
        kept: the probability that no score that varies is negative, if others are left out.
        exact: whether the probabilities are exact up to rounding.
    """

    heads: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    noisy: tuple[int, ...]
    kept: Chance
    exact: bool


@dataclass(frozen=True, eq=False)
class LimitLaw:
    """The law of the output in the limit: the sum of independent parts."""

    parts: tuple[Part, ...]

    @property
    def atoms(self) -> tuple[Outcome, ...]:
        """The values of the whole output, the most likely first."""
        found: list[Outcome] = [(plain(1.0), 0 * self.parts[0].outcomes[0][1])]
        for part in self.parts:
            pairs = itertools.product(found, part.outcomes)
            found = [(one.times(two), x + y) for (one, x), (two, y) in pairs]
        return _tidied(found, self.exact)

    @property
    def exact(self) -> bool:
        """Whether no probability was sampled."""
        return all(part.exact for part in self.parts)

    def moments(self, values: Float64) -> tuple[Float64, Float64]:
        """Mean (d_v,) and covariance (d_v, d_v) of the output for these values."""
        mean = np.zeros(values.shape[1])
        covariance = np.zeros((values.shape[1],) * 2)
        for part in self.parts:
            chances = np.array([chance.value for chance, _ in part.outcomes])
            points = np.array([shares @ values for _, shares in part.outcomes])
            mean += chances @ points
            away = points - chances @ points
            covariance += (away * chances[:, None]).T @ away
        return mean, covariance


def limit_law(
    setting: Setting, *, ignore_negative: bool, recognise: Callable[[int], Cut] | None = None
) -> LimitLaw | None:
    """Return the law of the output in the limit, or None where it has no atoms or is not known.

    Args:
        setting: the problem.
        ignore_negative: whether cases with a negative score that varies are left out.
        recognise: gives, for a head, how far the key that varies is ahead of the others, in
            standard deviations, as a number with its formula.
    """
    if setting.open_limit:
        return None
    scores, soft = setting.scores(setting.directions), setting.scores(setting.offsets)
    parts = []
    for heads in _groups(scores):
        own = scores.of_heads(heads)
        won, kept, exact = _winners(setting, heads, ignore_negative, recognise)
        outcomes = []
        for chance, winners in won:
            each = [_tied_shares(soft, h, keys) for h, keys in zip(heads, winners, strict=True)]
            shares = [one / setting.heads for one in each if one is not None]
            if len(shares) < len(each):
                return None
            outcomes.append((chance, np.sum(shares, axis=0)))
        noisy = tuple(int(i) for i in np.flatnonzero(np.any(own.deviations > 0, axis=0)))
        parts.append(Part(heads, _tidied(outcomes, exact), noisy, kept, exact))
    if math.prod(len(part.outcomes) for part in parts) > MOST_ATOMS:
        return None
    return LimitLaw(tuple(parts))


def _groups(scores: Scores) -> list[tuple[int, ...]]:
    """Heads that see noise in common, directly or through others."""
    together = np.any(scores.covariances != 0, axis=0) | np.eye(scores.heads, dtype=bool)
    reached = np.linalg.matrix_power(together.astype(float), scores.heads) > 0
    return list(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in reached))


def _winners(
    setting: Setting,
    heads: tuple[int, ...],
    ignore_negative: bool,
    recognise: Callable[[int], Cut] | None,
) -> tuple[list[Won], Chance, bool]:
    """Winners of a group of heads, the chance of what is not left out, and whether it is exact."""
    scores = setting.scores(setting.directions).of_heads(heads)
    moved = OneNoise.of(scores)
    if moved is not None:
        seen = np.flatnonzero(moved.line).tolist()
        cuts = [Cut.at(z) for z in moved.crossings()]
        if recognise is not None:  # the key wins beyond a cut where its score rises, or below it
            cuts = [recognise(heads[h]).signed(-moved.line[h]) for h in seen]
        return *_along_a_line(moved, cuts, ignore_negative), True
    rng, kept = np.random.default_rng(0), 1.0
    if ignore_negative:
        won, error, kept = nonnegative_atoms(scores, rng)
    else:
        won, error, _ = limit_atoms(scores, rng)
    exact = error < SAMPLED
    sharp = exact and not setting.late
    likely = [(plain(p, exact=sharp), keys) for p, keys in won if sharp or p > 1e-5]
    return likely, plain(kept, exact=exact), exact


def _along_a_line(
    moved: OneNoise, cuts: list[Cut], ignore_negative: bool
) -> tuple[list[Won], Chance]:
    """Winners for every z of the one normal number, and the chance of what is not left out.

    Args:
        moved: the heads.
        cuts: the z at which a winner changes, with formulas.
        ignore_negative: whether z with a negative score that varies are left out.
    """
    ends = moved.above(0.0 if ignore_negative else -math.inf)
    low, high = (next((c for c in cuts if abs(c.value - z) <= SAME), Cut.at(z)) for z in ends)
    edges = [low]
    for edge in [*sorted(cuts, key=lambda cut: cut.value), high]:
        if edges[-1].value + SAME < edge.value <= high.value:
            edges.append(edge)
    kept, found = between(low, high), dict[Winners, Chance]()
    won = moved.winners([edge.value for edge in edges])
    for (left, right), (_, winners) in zip(itertools.pairwise(edges), won, strict=True):
        chance = between(left, right).over(kept)
        if chance.value > 0:
            found[winners] = found[winners].plus(chance) if winners in found else chance
    return [(chance, winners) for winners, chance in found.items()], kept


def _tied_shares(soft: Scores, head: int, keys: tuple[int, ...]) -> Float64 | None:
    """How keys that tie share the weight (n,): by what is left of their scores, if it is still."""
    chosen = list(keys)
    rest = soft.means[head, chosen]
    if len(keys) > 1 and np.any(soft.deviations[head, chosen] > 0):
        return None
    if np.max(np.abs(rest - rest[0])) <= 4 * np.max(soft.blur[head, chosen]):
        rest = np.zeros(len(keys))
    shares = np.zeros(soft.keys)
    shares[chosen] = softmax(rest)
    return shares


def _tidied(outcomes: list[Outcome], exact: bool) -> tuple[Outcome, ...]:
    """Outcomes with the same shares made one, the most likely first; sampled ones rounded."""
    found: list[Outcome] = []
    for chance, shares in outcomes:
        for place, (other, known) in enumerate(found):
            if np.max(np.abs(shares - known)) <= 1e-12:
                found[place] = (other.plus(chance), known)
                break
        else:
            found.append((chance, shares))
    # Of equally likely ones, that with the first key comes first.
    found.sort(key=lambda one: (-round(one[0].value, 9), int(np.argmax(one[1] > 1e-9))))
    if exact:
        return tuple(found)
    return tuple((c if c.symbolic else plain(c.value, exact=False), s) for c, s in found)


def head_lead(setting: Setting, head: int) -> float | None:
    """How far the one key that varies is ahead, in standard deviations; None: it is not one."""
    queries = setting.directions if setting.growth else setting.offsets
    moved = setting.one_noise(queries[head : head + 1])
    return None if moved is None else moved.lead(0) / abs(float(moved.line[0]))
