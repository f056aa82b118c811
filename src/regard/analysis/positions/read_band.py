"""Which window |x| ≤ r a head's block weights are the best for.

A linear program gives the weights with the largest gap between a window and what is outside.
Read through noise of σ = noise/√2 in each weight, a head that was designed so has weights

    u = λ w(r) + σ (normal numbers),        misfit(r) = min over λ ≥ 0 of |u − λ w(r)|²/σ²,

and at the window it was designed for the misfit is χ² of one degree of freedom less than there
are blocks: the least misfit is the likeliest r, and a misfit far above says that r is wrong. It
needs no kernel whose edge rises above the noise, only weights that do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.analysis.positions.band_exchange import Best
from regard.analysis.positions.band_program import cosines
from regard.core.kernels.threads import one_blas_thread

__all__ = ["LONGEST", "SAME", "Match", "match", "within_chance"]

Array = NDArray[np.float64]

LONGEST = 2**12  # distances; with more, a program takes too long
LONGER = 1.05  # lengths are tried in steps of this
WORK = 1024  # windows tried, times blocks
MOST = 1e9  # multiplications, for one head: about a second
ALLOWED = 5.0  # standard deviations by which noise may hide a gap, or a weight below 0
SAME = 1e-7  # of the largest f: values as close as this are the same, after a linear program
SOLVED = 1e-8  # how well weights are known without any noise, after a linear program
FREE = 8  # most steps past the edge of a window that are taken for a transition


class Match(NamedTuple):
    """A window that the weights are the best for.

    Attributes:
        r: it is |x| ≤ r.
        first, last: for every r from the first to the last they are so up to noise.
        free: steps past its edge that count neither as window nor as outside.
        others: further r for which they are so.
    """

    r: int
    first: int
    last: int
    free: int = 0
    others: tuple[int, ...] = ()


class Fit(NamedTuple):
    """How well a window explains the weights.

    Attributes:
        misfit: the least of all lengths.
        unlikely: −2 log of the likelihood, its mean over all lengths up to a constant: few
            windows have the same best weights for many lengths, and some have any for one.
    """

    misfit: float
    unlikely: float


def within_chance(freedom: int) -> float:
    """What a χ² of these degrees of freedom hardly ever exceeds."""
    return freedom + 4 * math.sqrt(2 * freedom) + 10


def match(
    u: Array, noise: float, base: float, count: int, least: int, counted: int, clear: bool
) -> Match | None:
    """Return the window |x| ≤ r whose best weights are u up to scale and noise, if there is one.

    Of several it is the likeliest among those at most about twice as wide as the narrowest:
    few blocks have nearly the same best weights for windows of very different widths.

    Args:
        u: (m,), the weight of every block, those within the noise too.
        noise: √2 times the standard deviation of each.
        base: of the frequencies.
        count: distances 0, …, count − 1 are told from the window; above LONGEST: it is not known
            how many are.
        least: then at least these are.
        counted: the r that f itself suggests, < count − 1.
        clear: f suggests it clearly, so that no other need be tried if it fits.
    """
    tries = WORK // len(u)
    known = count <= LONGEST
    if tries < 4:
        return None
    with one_blas_thread():
        sigma = max(noise / math.sqrt(2), SOLVED * float(np.linalg.norm(u)))
        task = _Task(u, sigma, base, count if known else min(least, LONGEST), min(count, LONGEST))
        if clear:
            task.lengths = task.plain_lengths
            if known and task.fit(counted).misfit <= task.chance:
                return Match(counted, counted, counted)
        found = _likeliest(task, len(task.f) if clear else tries)
        if found is None:
            for free in range(1, min(FREE, tries, counted) + 1):
                if task.fit(counted - free, free).misfit <= task.chance:
                    return Match(counted - free, counted - free, counted - free, free)
        return found


class _Task:
    """The weights of one head, and what they are compared with."""

    def __init__(self, u: Array, sigma: float, base: float, least: int, most: int) -> None:
        self.u = u
        self.sigma = sigma
        self.least = least
        self.table = cosines(2 * len(u), base, most)
        self.f = self.table @ u
        self.same = max(SAME * float(np.sum(np.abs(u))), 3 * sigma * math.sqrt(len(u)))
        self.chance = within_chance(len(u) - 1)
        self.lengths = self.many_lengths
        self.work = MOST
        # Weights below 0 that noise cannot explain need a program that allows them.
        self.signs = (True,) if np.min(u) < -ALLOWED * sigma else (False, True)

    def start(self, r: int, outer: int) -> int:
        """The shortest length considered: at least as many distances outside as in the window."""
        return min(max(self.least, outer + r + 1), len(self.table))

    def fit(self, r: int, free: int = 0) -> Fit:
        """Compare u with the best weights for |x| ≤ r, of any length, ≥ 0 or of any sign."""
        misfits, shares = [math.inf], [1.0]
        outer, signs_help = r + free + 1, True
        table = self.table[: self.end(r, outer)]
        for signed in self.signs if len(table) >= self.start(r, outer) else ():
            if not signs_help:
                break
            best, signs_help = Best(table, r, outer, signed=signed, work=self.work), False
            for count in self.lengths(r, best):
                if not best.grow(count):
                    break
                misfits.append(self.misfit(best.weights))
                shares.append(math.log(max(best.lasts() + 1, LONGER * count) / count))
                signs_help |= best.signs_help()
            self.work = best.work
        least = min(misfits)
        if math.isinf(least):
            return Fit(least, least)
        weight = np.sum(np.array(shares) * np.exp((least - np.array(misfits)) / 2))
        return Fit(least, least - 2 * math.log(weight))

    def many_lengths(self, r: int, best: Best) -> Iterator[int]:
        """Lengths in small steps, each where the best weights of the one before are so no more."""
        count, most = self.start(r, best.outer), len(best.table)
        while count <= most:
            yield count
            count = max(best.lasts() + 1, min(math.ceil(count * LONGER), most))

    def plain_lengths(self, r: int, best: Best) -> Iterator[int]:
        """The lengths that u can be the best for, where it is known well.

        The best weights stay so until f exceeds all it has been outside. And they have one more
        distance where f is as low as in the window or as high as outside than they have blocks.
        """
        outside, most = self.f[best.outer : len(best.table)], len(best.table)
        highest = np.maximum.accumulate(outside)
        ends = best.outer + 1 + np.flatnonzero(outside[1:] > highest[:-1] + self.same)
        blocks = int(np.count_nonzero(np.abs(self.u) > ALLOWED * self.sigma))
        window = self.f[: r + 1]
        lowest = int(np.count_nonzero(window <= np.min(window) + self.same))
        for count in (*ends.tolist(), most):
            seen = outside[: count - best.outer]
            if count >= self.start(r, best.outer) and (
                lowest + int(np.count_nonzero(seen >= np.max(seen) - self.same)) > blocks
            ):
                yield count

    def misfit(self, weights: Array) -> float:
        """How far u is from these weights."""
        w = weights / max(float(np.linalg.norm(weights)), 1e-300)
        rest = self.u - max(0.0, float(self.u @ w)) * w
        return float(np.sum((rest / self.sigma) ** 2))

    def end(self, r: int, outer: int) -> int:
        """The longest length with a gap above 0 but for noise: then f comes back."""
        low = int(np.argmin(self.f[: r + 1]))
        # A difference of f at two distances is as uncertain as the cosines there differ.
        spread = self.sigma * np.linalg.norm(self.table[outer:] - self.table[low], axis=1)
        back = np.flatnonzero(self.f[outer:] - self.f[low] > ALLOWED * spread)
        return outer + int(back[0]) if len(back) else len(self.table)

    def windows(self, tries: int) -> list[int]:
        """The r whose gap may be above 0 but for noise, in order; the first and the widest gaps."""
        f, places = self.f, np.arange(len(self.f))
        lowest = np.minimum.accumulate(f)
        inside = np.maximum.accumulate(np.where(f == lowest, places, 0))
        outside = np.array(
            [r + 1 + int(np.argmax(f[r + 1 : self.start(r, r + 1)])) for r in range(len(f) - 1)]
        )
        inside = inside[:-1]
        gap = f[inside] - f[outside]
        spread = self.sigma * np.linalg.norm(self.table[inside] - self.table[outside], axis=1)
        may = np.flatnonzero(gap + ALLOWED * spread > 0)
        rest = may[tries // 2 :]
        widest = rest[np.argsort(-gap[rest], kind="stable")[: tries - tries // 2]]
        return sorted([*may[: tries // 2].tolist(), *widest.tolist()])


def _likeliest(task: _Task, tries: int) -> Match | None:
    """The likeliest window among those up to about twice as wide as the first that fits."""
    fits: dict[int, Fit] = {}
    widest = math.inf
    for r in task.windows(tries):
        if r > widest:
            break
        found = task.fit(r)
        if found.misfit <= task.chance:
            fits[r] = found
            widest = min(widest, 2 * r + 4)
    if not fits:
        return None
    best = min(fits, key=lambda r: (round(fits[r].unlikely, 3), r))  # of equals the narrowest
    first = last = best
    while first - 1 in fits:
        first -= 1
    while last + 1 in fits:
        last += 1
    others = tuple(r for r in fits if not first <= r <= last)
    return Match(best, first, last, others=others)
