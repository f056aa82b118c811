"""Read a head's positions: how far back it looks, how wide, and how much of it is position.

With sinusoidal embeddings e_t a score e_τ A e_tᵀ depends on δ = t − τ alone exactly when A
is made of blocks [[a_i, −b_i], [b_i, a_i]] on its diagonal, and then it is

    f(δ) = Σ_i a_i cos ω_i δ + b_i sin ω_i δ.

A head is read from the blocks nearest to it. What they leave over says how large the
noise is, and thereby which blocks count and which shifts cannot be told apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.band_match import SAME
from regard.analysis.kernel_shape import centre_of, split, turns_of, window_of
from regard.analysis.kernel_width import NEAR, fallen, width_of
from regard.arrays import numbers
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError, ShapeError
from regard.report import Facts, Report, Table, Text, number
from regard.shapes import integer, real, show
from regard.shapes.goals import read_rows
from regard.shapes.laws import rounding

__all__ = ["PositionalKernel", "positional_kernel", "read_blocks"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

FAR = 2**16  # how far shifts are looked for when no length is given
CLEAR = 4.0  # standard deviations of noise that a block must rise above


@dataclass(frozen=True, eq=False, repr=False)
class PositionalKernel:
    """What a head does with positions alone: scores are f(t − τ), up to the residual.

    Attributes:
        T: the shift t − τ that the head looks for; T = 1 is the previous token.
        B: it looks at T ± B/2.
        B_range: every width from the first to the second number fits the head, up to noise.
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
    """

    T: int
    B: int
    B_range: tuple[float, float]
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
        most = min(self.n - 1, NEAR)
        side = []
        for sign in (1, -1):
            shifts = self.T + sign * np.arange(1, most + 1)
            shifts = shifts[np.abs(shifts) < self.n]
            below = np.flatnonzero(self.f(shifts) < level * self.f(self.T))
            side.append(int(below[0]) if len(below) else len(shifts))
        return 1 + sum(side)

    def plot(self, **options: Any) -> Any:
        """Draw f with its window; see `regard.analysis.position_plots.plot_kernel`."""
        from regard.analysis.position_plots import plot_kernel

        return plot_kernel(self, **options)

    def report(self) -> Report:
        """The kernel as a report."""
        share = f"{number(100 * self.toeplitz_share, 4)} %"
        low, high = (number(width, 4) for width in self.B_range)
        ahead = " (ahead)" if self.T < 0 else ""
        facts = [
            ("T", f"{self.T}{ahead}: looks at t − T"),
            ("B", f"{self.B}" + ("" if low == high else f" (any width {low} to {high} fits)")),
            ("read", self.reading),
            ("shift-invariant share", share),
            ("residual", f"no score is further than {number(self.residual, 4)} from f(t − τ)"),
        ]
        if self.scheme != "table":
            facts.append(("frequencies", f"{len(self.kept)} of {len(self.cosine)} used"))
        near = [self.T + x for x in (-2, -1, 0, 1, 2) if abs(self.T + x) < self.n]
        cells = tuple(number(float(self.f(x)), 5) for x in near)
        table = Table(("t − τ", *(str(x) for x in near)), (("f", *cells),), "around T")
        title = f"A positional kernel ({self.scheme})"
        return Report(title, (Text("Scores by shift alone."), Facts(tuple(facts)), table))

    def __str__(self) -> str:
        return str(self.report())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def positional_kernel(
    A: ArrayLike,
    *,
    base: float = 10000.0,
    n: int | None = None,
    table: ArrayLike | None = None,
    phase: float = math.pi / 2,
) -> PositionalKernel:
    """Read T, B and the kernel f off A = W_K W_Qᵀ (key left, query right).

    T is the shift about which f is symmetric, if it is symmetric up to the noise that the
    rest of A shows, and else the shift with the largest f; of shifts that the noise does not
    let tell apart, the one nearest 0.

    B is read in one of three ways. Blocks of equal weight from some frequency down, the faster
    ones zero: any width in `B_range` zeroes the same blocks, and B is the widest, on whose edge
    the fastest block has turned by `phase` at most; through noise it is one nearer to the
    others. With nothing zeroed, or blocks of equal weight here and there, B is 0: they serve
    one shift. Other weights are compared with those of the largest gap between T ± B/2 and the
    other shifts below n, for one B after another if noise blurs f, and for any length if no n is
    given. Weights that are the best for no B: B/2 is where the lowest f inside and the highest
    outside are attained most often, and of those where the gap between is widest.

    Args:
        A: (d, d), d even unless a table is given.
        base: of the sinusoidal frequencies.
        n: look at shifts |t − τ| < n only; None is 2**16.
        table: (n, d), learned positions in place of the sinusoidal ones: f is then the least
            squares fit to table A tableᵀ, the mean of each of its diagonals, and T is looked for
            where a diagonal has at least n/4 entries.
        phase: the rule by which fast blocks were zeroed, ω B/2 ≤ phase.

    Example:
        >>> import numpy as np
        >>> w = 10000.0 ** (-np.arange(8) / 8)
        >>> A = np.zeros((16, 16))
        >>> for i in range(8):
        ...     c, s = np.cos(3 * w[i]), np.sin(3 * w[i])
        ...     A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
        >>> positional_kernel(A).T, positional_kernel(A.T).T
        (3, -3)
    """
    function = "positional_kernel"
    base = real(function, "base", base, positive=True)
    phase = real(function, "phase", phase, positive=True)
    reach = FAR if n is None else integer(function, "n", n, minimum=1)
    matrix = read_rows(function, "A", A, "(d, d)")
    d = len(matrix)
    if matrix.shape != (d, d):
        raise ShapeError(f"{function}: A must be square, (d, d). Got A {show(matrix.shape)}.")
    if table is not None:
        positions = read_rows(function, "table", table, "(n, d)", width=d)
        return _of_table(matrix, positions, reach, base)
    if d % 2:
        raise ShapeError(
            f"{function}: A must have an even number of rows, because sines and cosines come in "
            f"pairs. Got A {show(matrix.shape)}."
        )
    c, rest = split(matrix)
    unit = float(np.max(np.abs(matrix))) or 1.0
    energy = float(np.sum((matrix / unit) ** 2))
    left = float(np.sum((rest / unit) ** 2))
    noise = unit * max(math.sqrt(left / (d * d - d)), rounding(function, "A", A))
    with one_blas_thread():
        largest_left = float(np.linalg.norm(rest, 2))
    return read_blocks(
        c,
        noise=noise,
        share=max(0.0, 1 - left / energy) if energy > 0 else 0.0,
        residual=d / 2 * largest_left,  # since |e_t|² = d/2
        base=base,
        reach=reach,
        phase=phase,
        scheme="sinusoidal",
    )


def read_blocks(
    c: Complex,
    *,
    noise: float,
    share: float,
    residual: float,
    base: float,
    reach: int,
    phase: float,
    scheme: str,
) -> PositionalKernel:
    """Read T and B off the blocks c = a + ib, whose parts are off by about noise/√2 each."""
    unit = float(np.max(np.abs(c))) or 1.0  # squares neither overflow nor vanish
    blocks, noise = c / unit, noise / unit
    weight = np.abs(blocks)
    floor = max(CLEAR * noise, 64 * float(np.finfo(float).eps))
    kept = np.flatnonzero(weight > floor)
    if len(kept) == 0:  # nothing rises above the noise: read what there is
        kept = np.flatnonzero(weight > 0)
    used = np.zeros_like(c)
    used[kept] = blocks[kept]
    T, symmetric, reading = centre_of(used, noise, base, reach)
    B, widths, how = width_of(
        blocks,
        kept,
        T=T,
        symmetric=symmetric,
        noise=noise,
        share=share,
        base=base,
        reach=reach,
        phase=phase,
    )
    return PositionalKernel(
        T=T,
        B=B,
        B_range=widths,
        toeplitz_share=share,
        residual=residual,
        kept=tuple(int(i) for i in kept),
        cosine=c.real.copy(),
        sine=c.imag.copy(),
        values=np.zeros(0),
        base=base,
        scheme=scheme,
        reading=f"{reading}; {how}",
        n=reach,
    )


def _of_table(A: Array, table: Array, reach: int, base: float) -> PositionalKernel:
    """Fit f to the diagonals of table A tableᵀ and read T and B off it."""
    n = len(table)
    scores = table @ A @ table.T  # row: key τ, column: query t
    values = np.array([np.mean(np.diagonal(scores, delta)) for delta in range(-(n - 1), n)])
    t = np.arange(n)
    left = scores - values[t[None, :] - t[:, None] + n - 1]
    spread = float(np.sum((scores - np.mean(scores)) ** 2))
    most = min(reach - 1, max(0, (3 * n) // 4))
    shifts = np.arange(-most, most + 1)
    shifts = shifts[np.argsort(np.abs(shifts), kind="stable")]
    f = values[shifts + n - 1]
    T = int(shifts[int(np.argmax(f))])
    side = np.arange(most - abs(T) + 1)
    pair = values[T + side + n - 1], values[T - side + n - 1]
    blur = math.sqrt(float(np.mean(left**2)) / max(1, n - most))
    scale = float(np.max(np.abs(values)))
    same = max(SAME * scale, 3 * blur)
    B, widths, how = fallen(*window_of(np.minimum(*pair), np.maximum(*pair), same))
    return PositionalKernel(
        T=T,
        B=B,
        B_range=widths,
        toeplitz_share=max(0.0, 1 - float(np.sum(left**2)) / spread) if spread > 0 else 0.0,
        residual=float(np.max(np.abs(left))),
        kept=(),
        cosine=np.zeros(0),
        sine=np.zeros(0),
        values=values,
        base=base,
        scheme="table",
        reading=f"f is largest at T; {how}",
        n=n,
    )
