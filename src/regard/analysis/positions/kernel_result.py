"""What is read off a head: T, B and the kernel f, and how far it is a positional head at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.positions.kernel_shape import turns_of
from regard.analysis.positions.read_width import NEAR
from regard.arrays import numbers
from regard.errors import ParameterError
from regard.report import Facts, Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import real

__all__ = ["PositionalKernel"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PositionalKernel(Reported):
    """What a head does with positions alone: scores are f(t − τ), up to the residual.

    Attributes:
        T: the shift t − τ that the head looks for; T = 1 is the previous token. None if it is not
            a positional head: less than `least_share` of it is shift-invariant.
        B: it looks at T ± B/2; None where T is.
        B_range: every width from the first to the second number fits the head, up to noise; None
            where T is.
        toeplitz_share: the share of the head's energy that is shift-invariant, 0 to 1.
        residual: no score is further from f(t − τ) than this.
        kept: which frequencies it uses.
        cosine: (d/2,), the a_i; empty for a table.
        sine: (d/2,), the b_i; empty for a table.
        values: (2n − 1,), f of −(n−1), …, n−1 for a table; else empty.
        base: of the frequencies ω_i = base^(−2i/d).
        scheme: "sinusoidal", "rotary" or "table".
        reading: how T and B were read, in words.
        n: shifts below n in size were looked at.
        least_share: the share from which on T and B are read: a tenth, or what one random matrix
            of this size in ten thousand has, if that is more.
    """

    T: int | None
    B: int | None
    B_range: tuple[float, float] | None
    toeplitz_share: float
    residual: float
    kept: tuple[int, ...]
    cosine: Array
    sine: Array
    values: Array
    base: float
    scheme: str
    reading: str
    n: int
    least_share: float

    @property
    def is_positional(self) -> bool:
        """Whether enough of the head is shift-invariant for T and B to mean something."""
        return self.T is not None

    def f(self, delta: ArrayLike) -> Any:
        """The score of a key that is `delta` = t − τ before the query, for numbers or arrays."""
        function = "PositionalKernel.f"
        shifts = numbers(function, "delta", delta).array.astype(np.float64)
        whole = bool(np.all(shifts == np.rint(shifts)))
        if self.scheme == "table":
            if not whole or np.any(np.abs(shifts) >= self.n):
                raise ParameterError(
                    f"{function}: delta must be whole numbers below {self.n} in size, the rows of "
                    f"the table. Got {delta!r}."
                )
            found = self.values[shifts.astype(np.intp) + self.n - 1]
        else:
            e = turns_of(shifts.ravel(), 2 * len(self.cosine), self.base, whole)
            found = (e.real @ self.cosine + e.imag @ self.sine).reshape(shifts.shape)
        return found[()] if found.ndim == 0 else found

    def width(self, level: float = math.sqrt(0.5)) -> int:
        """How many shifts around T, without a break, have f ≥ level · f(T); −3 dB by default."""
        function = "PositionalKernel.width"
        level = real(function, "level", level, positive=True)
        if self.T is None:
            raise ParameterError(
                f"{function}: this is not a positional head, so there is no T to count from: "
                f"{_percent(self.toeplitz_share)} of it is shift-invariant, and "
                f"{_percent(self.least_share)} are needed."
            )
        most = min(self.n - 1, NEAR)
        side = []
        for sign in (1, -1):
            shifts = self.T + sign * np.arange(1, most + 1)
            shifts = shifts[np.abs(shifts) < self.n]
            below = np.flatnonzero(self.f(shifts) < level * self.f(self.T))
            side.append(int(below[0]) if len(below) else len(shifts))
        return 1 + sum(side)

    def plot(self, **options: Any) -> Any:
        """Draw f with its window; see `regard.analysis.plot_kernel`."""
        from regard.analysis.positions.plots import plot_kernel

        return plot_kernel(self, **options)

    def report(self) -> Report:
        """The kernel as a report."""
        facts = [
            ("shift-invariant share", _percent(self.toeplitz_share)),
            ("residual", f"no score is further than {number(self.residual, 4)} from f(t − τ)"),
        ]
        if self.scheme != "table":
            facts.append(("frequencies", f"{len(self.kept)} of {len(self.cosine)} used"))
        if self.T is None or self.B is None or self.B_range is None:
            said = (
                f"Not a positional head: {_percent(self.toeplitz_share)} of it is shift-invariant. "
                f"T and B are read from {_percent(self.least_share)} on."
            )
            return Report(
                f"No positional kernel ({self.scheme})", (Text(said), Facts(tuple(facts)))
            )
        low, high = (number(width, 4) for width in self.B_range)
        ahead = " (ahead)" if self.T < 0 else ""
        read = [
            ("T", f"{self.T}{ahead}: looks at t − T"),
            ("B", f"{self.B}" + ("" if low == high else f" (any width {low} to {high} fits)")),
            ("read", self.reading),
        ]
        facts = read + facts
        near = [self.T + x for x in (-2, -1, 0, 1, 2) if abs(self.T + x) < self.n]
        cells = tuple(number(float(self.f(x)), 5) for x in near)
        table = Table(("t − τ", *(str(x) for x in near)), (("f", *cells),), "around T")
        title = f"A positional kernel ({self.scheme})"
        return Report(title, (Text("Scores by shift alone."), Facts(tuple(facts)), table))


def _percent(share: float) -> str:
    return f"{number(100 * share, 3)} %"
