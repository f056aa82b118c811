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
from numpy.typing import NDArray

from regard.analysis.noise.hardmax_limit import limit_atoms
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.kinds.noise.solve.chances import Chance, Cut, plain
from regard.kinds.noise.solve.setting import Growth, Setting
from regard.kinds.noise.solve.winners import along_a_line, line_of, one_head_kept, sampled, top_of

Float64 = NDArray[np.float64]

FUNCTION = "solving.noise"
MOST_ATOMS = 256


@dataclass(frozen=True, eq=False)
class Outcome:
    """One value of (a part of) the output: its chance, and how much of each value is in it (n,)."""

    chance: Chance
    shares: Float64


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
        found = [Outcome(plain(1.0), np.zeros_like(self.parts[0].outcomes[0].shares))]
        for part in self.parts:
            found = [
                Outcome(one.chance.times(two.chance), one.shares + two.shares)
                for one, two in itertools.product(found, part.outcomes)
            ]
        found = sorted(_merged(found), key=_order)
        return tuple(found if self.exact else map(_rounded, found))

    @property
    def exact(self) -> bool:
        """Whether no probability was sampled."""
        return all(part.exact for part in self.parts)

    def moments(self, values: Float64) -> tuple[Float64, Float64]:
        """Mean (d_v,) and covariance (d_v, d_v) of the output for these values."""
        mean = np.zeros(values.shape[1])
        covariance = np.zeros((values.shape[1],) * 2)
        for part in self.parts:
            chances = np.array([outcome.chance.value for outcome in part.outcomes])
            points = np.array([outcome.shares @ values for outcome in part.outcomes])
            mean += chances @ points
            away = points - chances @ points
            covariance += (away * chances[:, None]).T @ away
        return mean, covariance


def limit_law(
    setting: Setting, *, ignore_negative: bool, recognise: Callable[[int], Cut] | None = None
) -> LimitLaw | None:
    """Return the law of the output in the limit, or None where it has no atoms.

    Args:
        setting: the problem.
        ignore_negative: whether cases with a negative score that varies are left out.
        recognise: gives, for a head, how far the key that varies is ahead of the others, in
            standard deviations, as a number with its formula.
    """
    growth = setting.growth or Growth(
        "", 1.0, 1.0, np.zeros_like(setting.queries()), setting.queries(), linear=True
    )
    scores = read_scores(
        FUNCTION, growth.directions, setting.means, setting.covariances, setting.given.scale
    )
    soft = read_scores(
        FUNCTION, growth.offsets, setting.means, setting.covariances, setting.given.scale
    )
    parts = []
    for heads in _groups(scores):
        part = _part(setting, scores, soft, heads, ignore_negative, recognise)
        if part is None:
            return None
        parts.append(part)
    if math.prod(len(part.outcomes) for part in parts) > MOST_ATOMS:
        return None
    return LimitLaw(tuple(parts))


def _groups(scores: Scores) -> list[tuple[int, ...]]:
    """Heads that see noise in common, directly or through others."""
    together = np.any(scores.covariances != 0, axis=0) | np.eye(scores.heads, dtype=bool)
    groups: list[tuple[int, ...]] = []
    left = set(range(scores.heads))
    while left:
        group = {min(left)}
        while True:
            wider = {int(g) for h in group for g in np.flatnonzero(together[h])}
            if wider <= group:
                break
            group |= wider
        groups.append(tuple(sorted(group)))
        left -= group
    return groups


def _part(
    setting: Setting,
    scores: Scores,
    soft: Scores,
    heads: tuple[int, ...],
    ignore_negative: bool,
    recognise: Callable[[int], Cut] | None,
) -> Part | None:
    own = scores.of_heads(heads)
    noisy = tuple(int(i) for i in np.flatnonzero(np.any(own.deviations > 0, axis=0)))
    line = line_of(own, noisy)
    kept = plain(1.0)
    exact = True
    if line is not None:
        cuts = None if recognise is None else [recognise(h) for h in heads]
        won, kept = along_a_line(own, noisy, line, cuts, ignore_negative)
    elif ignore_negative and len(heads) == 1:
        won, kept = one_head_kept(own)
    elif ignore_negative:
        exact = False
        won, kept = sampled(own, np.random.default_rng(0))
    else:
        won_by, _, how = limit_atoms(own, np.random.default_rng(0))
        exact = not how.startswith("sampled")
        sharp = exact and not setting.late
        won = [(plain(p, exact=sharp), keys) for p, keys in won_by if sharp or p > 1e-5]
    outcomes = []
    for chance, winners in won:
        shares = np.zeros(own.keys)
        for h, keys in zip(heads, winners, strict=True):
            part = _shared(soft, h, keys)
            if part is None:
                return None
            shares[list(keys)] += part / setting.heads
        outcomes.append(Outcome(chance, shares))
    found = sorted(_merged(outcomes), key=_order)
    return Part(heads, tuple(found if exact else map(_rounded, found)), noisy, kept, exact)


def _rounded(outcome: Outcome) -> Outcome:
    """The outcome with a sampled probability in no more digits than are known."""
    if outcome.chance.symbolic:
        return outcome
    return Outcome(plain(outcome.chance.value, exact=False), outcome.shares)


def _order(outcome: Outcome) -> tuple[float, int]:
    """The most likely first; of equal ones, that with the first key."""
    return -round(outcome.chance.value, 9), int(np.argmax(outcome.shares > 1e-9))


def _shared(soft: Scores, head: int, keys: tuple[int, ...]) -> Float64 | None:
    """How keys that tie share the weight: by what is left of their scores, if that is still."""
    rest = soft.means[head, list(keys)]
    if len(keys) > 1 and np.any(soft.deviations[head, list(keys)] > 0):
        return None
    weights = np.exp(rest - np.max(rest))
    if np.max(np.abs(rest - rest[0])) <= 4 * np.max(soft.blur[head, list(keys)]):
        weights = np.ones(len(keys))
    return np.asarray(weights / np.sum(weights), dtype=np.float64)


def _merged(outcomes: list[Outcome]) -> list[Outcome]:
    """Outcomes with the same shares made one."""
    found: list[Outcome] = []
    for outcome in outcomes:
        for place, other in enumerate(found):
            if np.max(np.abs(outcome.shares - other.shares)) <= 1e-12:
                found[place] = Outcome(other.chance.plus(outcome.chance), other.shares)
                break
        else:
            found.append(outcome)
    return found


def head_lead(setting: Setting, head: int) -> float:
    """How far the one key that varies is ahead of the others, in standard deviations."""
    growth = setting.growth
    directions = setting.queries() if growth is None else growth.directions
    scores = read_scores(FUNCTION, directions, setting.means, setting.covariances, 1.0)
    noisy = np.flatnonzero(scores.deviations[head] > 0)
    if len(noisy) != 1:
        return math.nan
    ahead = scores.means[head, noisy[0]] - top_of(scores, head, int(noisy[0]))[0]
    return float(ahead / scores.deviations[head, noisy[0]])
