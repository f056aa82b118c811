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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.analysis.band_program import Program, cosines, solve
from regard.core.kernels.threads import one_blas_thread

__all__ = ["Match", "match", "within_chance"]

Array = NDArray[np.float64]

LONGEST = 2**12  # distances; with more, a program takes too long
WORK = 256  # windows tried, times blocks: what one head may cost
ALLOWED = 5.0  # standard deviations by which noise may hide a gap, or a weight below 0
SOLVED = 1e-8  # how well weights are known without any noise, after a linear program
FREE = 8  # most steps past the edge of a window that are taken for a transition


class Match(NamedTuple):
    """A window that the weights are the best for.

    Attributes:
        r: it is |x| ≤ r.
        first, last: for every r from the first to the last they are so up to noise.
        free: steps past its edge that count neither as window nor as outside.
    """

    r: int
    first: int
    last: int
    free: int = 0


def within_chance(freedom: int) -> float:
    """What a χ² of these degrees of freedom hardly ever exceeds."""
    return freedom + 4 * math.sqrt(2 * freedom) + 10


def match(
    u: Array, noise: float, base: float, count: int, counted: int, clear: bool
) -> Match | None:
    """Return the window |x| ≤ r whose best weights are u up to scale and noise, if there is one.

    Of several it is the likeliest among those at most about twice as wide as the narrowest:
    few blocks have nearly the same best weights for windows of very different widths.

    Args:
        u: (m,), the weight of every block, those within the noise too.
        noise: √2 times the standard deviation of each.
        base: of the frequencies.
        count: distances 0, …, count − 1 are told from the window.
        counted: the r that f itself suggests, < count − 1.
        clear: f suggests it clearly, so that no other need be tried if it fits.
    """
    tries = WORK // len(u)
    if count > LONGEST or tries < 4:
        return None
    with one_blas_thread():
        task = _Task(u, max(noise / math.sqrt(2), SOLVED * float(np.linalg.norm(u))), base, count)
        if clear and task.misfit(counted) <= task.chance:
            return Match(counted, counted, counted)
        found = _likeliest(task, tries)
        if found is None:
            for free in range(1, min(FREE, tries, counted) + 1):
                if task.misfit(counted - free, free) <= task.chance:
                    return Match(counted - free, counted - free, counted - free, free)
        return found


class _Task:
    """The weights of one head, and what they are compared with."""

    def __init__(self, u: Array, sigma: float, base: float, count: int) -> None:
        self.u = u
        self.sigma = sigma
        self.table = cosines(2 * len(u), base, count)
        self.chance = within_chance(len(u) - 1)
        # Weights below 0 that noise cannot explain need a program that allows them.
        self.signs = (True,) if np.min(u) < -ALLOWED * sigma else (False, True)

    def misfit(self, r: int, free: int = 0) -> float:
        """How far u is from the best weights for |x| ≤ r, either those ≥ 0 or of any sign."""
        least = math.inf
        for signed in self.signs:
            found = solve(self.table, r, r + free + 1, signed=signed, ripple=None)
            w = found.weights / max(float(np.linalg.norm(found.weights)), 1e-300)
            rest = self.u - max(0.0, float(self.u @ w)) * w
            least = min(least, float(np.sum((rest / self.sigma) ** 2)))
            if least <= self.chance or not (signed or self.signs_help(found)):
                break
        return least

    def signs_help(self, found: Program) -> bool:
        """Whether weights below 0 may have a larger gap than the best without: by its dual."""
        moments = np.zeros(len(self.u))
        for sign, by_distance in ((1.0, found.inside), (-1.0, found.outside)):
            for distance, share in by_distance.items():
                moments += sign * share * self.table[distance]
        return float(-np.min(moments)) > float(np.max(moments))

    def windows(self, tries: int) -> list[int]:
        """The r whose gap may be above 0 but for noise, in order; the first and the widest gaps."""
        f, places = self.table @ self.u, np.arange(len(self.table))
        lowest = np.minimum.accumulate(f)
        inside = np.maximum.accumulate(np.where(f == lowest, places, 0))[:-1]
        highest = np.maximum.accumulate(f[::-1])[::-1]
        outside = np.minimum.accumulate(np.where(f == highest, places, len(f))[::-1])[::-1][1:]
        gap = f[inside] - f[outside]
        # A difference of f at two distances is as uncertain as the cosines there differ.
        spread = self.sigma * np.linalg.norm(self.table[inside] - self.table[outside], axis=1)
        may = np.flatnonzero(gap + ALLOWED * spread > 0)
        rest = may[tries // 2 :]
        widest = rest[np.argsort(-gap[rest], kind="stable")[: tries - tries // 2]]
        return sorted([*may[: tries // 2].tolist(), *widest.tolist()])


def _likeliest(task: _Task, tries: int) -> Match | None:
    """The window of least misfit among those up to about twice as wide as the first that fits."""
    misfits: dict[int, float] = {}
    widest = math.inf
    for r in task.windows(tries):
        if r > widest:
            break
        misfits[r] = task.misfit(r)
        if misfits[r] <= task.chance:
            widest = min(widest, 2 * r + 4)
    if math.isinf(widest):
        return None
    best = min(misfits, key=lambda r: (round(misfits[r], 3), r))  # of equals the narrowest
    first = last = best
    while misfits.get(first - 1, math.inf) <= task.chance:
        first -= 1
    while misfits.get(last + 1, math.inf) <= task.chance:
        last += 1
    return Match(best, first, last)
