"""How positions disturb content: the inner product of k + e_τ and q + e_t when k = q.

It is the sum of k·q (d products), k·e_t + e_τ·q (2d) and e_τ·e_t (d). The three are
uncorrelated, since the content is symmetric about 0 and independent of the times, so their
variances add up. Four readings of what is random in the content, in words in `READINGS`;
times are uniform phases, one per frequency, or uniform on 0, …, n − 1, or at a known shift.

With F(δ) = e_τ·e_t = Σ_i cos ω_i δ and |e_t + e_τ|² = d + 2F, a known shift leaves nothing
positional to chance, but for "literal": its sines alone also depend on t + τ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.positions.time_averages import kernel_sums, pairs_of_times, position_moments
from regard.errors import ParameterError
from regard.report import Facts, Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import choice, integer, real

__all__ = ["READINGS", "Interference", "Term", "interference"]

Array = NDArray[np.float64]

READINGS = {
    "hint": "k·q is 1, and yet the elements of k have variance 1",
    "sphere": "k is uniform on the unit sphere, its elements have variance 1/d",
    "gaussian": "the elements of k are standard normal, |k|² is about d",
    "literal": "as the hint, but positions are added to even entries only",
}
CHUNK = 2**18  # numbers worked on at once


@dataclass(frozen=True)
class Term:
    """One of the three sums: how many products, and the mean and variance of their sum."""

    name: str
    count: int
    mean: float
    variance: float


@dataclass(frozen=True, eq=False, repr=False)
class Interference(Reported):
    """Moments of the inner product of k + e_τ and q + e_t for k = q.

    Attributes:
        mean: of the whole.
        variance: of the whole.
        terms: k·q, the cross terms, and e_τ·e_t; their means and variances add up.
        d_model: the width.
        content: the reading of the content.
        times: what the times are, in words.
        n: times are 0, …, n − 1, if given.
        delta: the known shift t − τ, if given.
        base: of the frequencies.
    """

    mean: float
    variance: float
    terms: tuple[Term, ...]
    d_model: int
    content: str
    times: str
    n: int | None
    delta: int | None
    base: float

    @property
    def scale(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    @cached_property
    def atoms(self) -> tuple[Array, Array, Array]:
        """The exact law of positions as (probability, e_τ·e_t, |e_t + e_τ|²), one row per case.

        Cases are shifts, or for "literal" pairs of times. With phases there are none.
        """
        if self.delta is None and self.n is None:
            raise ParameterError(
                "Interference: the law is exact for times on 0, …, n − 1 or for a known shift. "
                'Pass times="uniform" and n, or delta.'
            )
        if self.content == "literal":
            return pairs_of_times(self.d_model, self.n, self.delta, self.base)
        if self.delta is not None:
            shifts, probability = np.array([abs(self.delta)]), np.ones(1)
        else:
            n = self.n or 1
            shifts = np.arange(n)
            probability = np.where(shifts == 0, 1.0, 2.0) * (n - shifts) / n**2
        F = kernel_sums(shifts, self.d_model, self.base)
        return probability, F, np.maximum(self.d_model + 2 * F, 0.0)

    def cdf(self, x: ArrayLike) -> Any:
        """P(inner product ≤ x), exact: a mixture over the atoms of one law of content each.

        For the hint and the literal reading, which leave it open, k is taken as normal.
        """
        return self._mix(x, "cdf")

    def density(self, x: ArrayLike) -> Any:
        """The density of the inner product at x, exact as `cdf` is; points of mass are left out."""
        return self._mix(x, "pdf")

    def _mix(self, x: ArrayLike, what: str) -> Any:
        from scipy import stats

        points = np.asarray(x, dtype=np.float64)
        d = self.d_model
        total = np.zeros(points.size)
        rows = max(1, CHUNK // max(1, points.size))
        probability, products, squares = self.atoms
        for first in range(0, len(probability), rows):
            chunk = slice(first, first + rows)
            F, square = products[chunk, None], squares[chunk, None]
            at = points.ravel()[None, :] - F
            still = square == 0  # e_t = −e_τ, as the sines at t = τ = 0: nothing is random
            length = np.sqrt(np.where(still, 1.0, square))
            # The law of content · content plus the cross terms, which are k·u with u = e_t + e_τ.
            if self.content == "gaussian":
                # |k|² + k·u = |k + u/2|² − |u|²/4.
                part = getattr(stats.ncx2, what)(at + square / 4, d, square / 4)
            else:
                # On the sphere (1 + z)/2 is Beta((d−1)/2, (d−1)/2) for any coordinate z.
                sphere = self.content == "sphere"
                law = stats.beta((d - 1) / 2, (d - 1) / 2, -1, 2) if sphere else stats.norm()
                part = getattr(law, what)((at - 1) / length)
                fixed = 1.0 * (at >= 1) if what == "cdf" else 0.0
                part = np.where(still, fixed, part / length if what == "pdf" else part)
            total += probability[chunk] @ part
        return total.reshape(points.shape)[()]

    def plot(self, **options: Any) -> Any:
        """Draw the law; see `regard.analysis.plot_interference`."""
        from regard.analysis.positions.plots import plot_interference

        return plot_interference(self, **options)

    def report(self) -> Report:
        """The moments as a report, term by term."""
        rows = [
            (
                term.name,
                str(term.count),
                number(term.mean),
                number(term.variance),
                number(term.variance / term.count),
            )
            for term in self.terms
        ]
        whole = sum(term.count for term in self.terms)
        rows.append(("whole", str(whole), number(self.mean), number(self.variance), ""))
        columns = ("", "products", "mean", "variance", "variance per product")
        words = f"d_model = {self.d_model}; {READINGS[self.content]}; times: {self.times}."
        facts = Facts((("standard deviation", number(self.scale)),))
        blocks = (Text(words), Table(columns, tuple(rows), "term by term"), facts)
        return Report("Inner product with positions added, for k = q", blocks)


def interference(
    d_model: int,
    *,
    content: str = "hint",
    times: str = "phases",
    n: int | None = None,
    delta: int | None = None,
    base: float = 10000.0,
) -> Interference:
    """Mean and variance of (k + e_τ)·(q + e_t) for k = q, exactly.

    Args:
        d_model: even.
        content: "hint", "sphere", "gaussian" or "literal"; see `READINGS`.
        times: "phases": the angle of each frequency is uniform and independent, at t and at
            τ; "uniform": t and τ are independent and uniform on 0, …, n − 1.
        n: for times "uniform".
        delta: t − τ, if known: moments given it. Then times matter for "literal" only.
        base: of the frequencies.

    Example:
        >>> found = interference(64)
        >>> found.mean, found.variance  # 5 d / 4
        (1.0, 80.0)
        >>> interference(64, content="sphere").variance, interference(64, content="gaussian").mean
        (17.0, 64.0)
    """
    function = "interference"
    d = integer(function, "d_model", d_model, minimum=2)
    if d % 2:
        raise ParameterError(
            f"{function}: d_model must be even, because sines and cosines come in pairs. Got {d}."
        )
    content = choice(function, "content", content, tuple(READINGS))
    times = choice(function, "times", times, ("phases", "uniform"))
    base = real(function, "base", base, positive=True)
    if times == "uniform":
        if n is None:
            raise ParameterError(f'{function}: n must be given with times="uniform". Got None.')
        n = integer(function, "n", n, minimum=1)
    elif n is not None:
        raise ParameterError(
            f'{function}: n is only used with times="uniform". Got n = {n!r}, times {times!r}.'
        )
    if delta is not None:
        delta = integer(function, "delta", delta)
        if n is not None and abs(delta) >= n:
            raise ParameterError(
                f"{function}: delta must be smaller than n in size, since times are below n. "
                f"Got delta {delta}, n {n}."
            )
    # Mean and variance of e_τ·e_t, and the mean of |e_t + e_τ|².
    products = d // 2 if content == "literal" else d
    F, spread, square = position_moments(d, content == "literal", n, delta, base)
    of_content = {"gaussian": (float(d), 2.0 * d)}.get(content, (1.0, 0.0))
    element = 1 / d if content == "sphere" else 1.0
    terms = (
        Term("k · q", d, *of_content),
        Term("k · e_t + e_τ · q", 2 * products, 0.0, element * square),
        Term("e_τ · e_t", products, F, spread),
    )
    words = "uniform phases" if n is None else f"uniform below {n}"
    if delta is not None:
        words = f"t − τ = {delta}" + (f", {words}" if content == "literal" else "")
    return Interference(
        mean=math.fsum(term.mean for term in terms),
        variance=math.fsum(term.variance for term in terms),
        terms=terms,
        d_model=d,
        content=content,
        times=words,
        n=n,
        delta=delta,
        base=base,
    )
