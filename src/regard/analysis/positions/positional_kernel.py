"""Read a head's positions: how far back it looks, how wide, and how much of it is position.

With sinusoidal embeddings e_t a score e_τ A e_tᵀ depends on δ = t − τ alone exactly when A
is made of blocks [[a_i, −b_i], [b_i, a_i]] on its diagonal, and then it is

    f(δ) = Σ_i a_i cos ω_i δ + b_i sin ω_i δ.

A head is read from the blocks nearest to it. What they leave over says how large the
noise is, and thereby which blocks count and which shifts cannot be told apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.positions.kernel_result import PositionalKernel
from regard.analysis.positions.kernel_shape import Sinusoids, centre_of, split, window_of
from regard.analysis.positions.read_band import SAME
from regard.analysis.positions.read_width import width_from_gap, width_of
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ShapeError
from regard.shapes import integer, real, show
from regard.shapes.extremes import finite_or_refused
from regard.shapes.goals import read_rows
from regard.shapes.laws import rounding

__all__ = ["PositionalKernel", "positional_kernel", "read_blocks"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

FAR = 2**16  # how far shifts are looked for when no length is given
LEAST_SHARE = 0.1  # of a head's energy that must be shift-invariant for T and B to be read
BY_CHANCE = 1e-4
CLEAR = 4.0  # standard deviations of noise that a block must rise above


def least_share(free: int, all_of_them: int) -> float:
    """Return the share from which on a head is called positional.

    Of a matrix of independent Gaussian entries, the share in a subspace of dimension `free`
    out of `all_of_them` is Beta-distributed. One in 10 000 has more than what is returned.
    """
    from scipy.special import betaincinv

    if all_of_them <= free:
        return LEAST_SHARE
    by_chance = betaincinv(free / 2, (all_of_them - free) / 2, 1 - BY_CHANCE)
    return max(LEAST_SHARE, float(by_chance))


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
    off = rounding(function, "A", A)
    return finite_or_refused(
        function,
        {"A": matrix},
        lambda: _of_sinusoids(matrix, off, Sinusoids(base, reach, phase)),
        lambda found: (found.cosine, found.sine, found.residual, found.toeplitz_share),
    )


def _of_sinusoids(matrix: Array, off: float, positions: Sinusoids) -> PositionalKernel:
    """Read a matrix for sines and cosines in pairs, whose entries were rounded by `off`."""
    d = len(matrix)
    c, rest = split(matrix)
    unit = float(np.max(np.abs(matrix))) or 1.0
    energy = float(np.sum((matrix / unit) ** 2))
    left = float(np.sum((rest / unit) ** 2))
    noise = unit * max(math.sqrt(left / (d * d - d)), off)
    with one_blas_thread():
        largest_left = float(np.linalg.norm(rest, 2))
    return read_blocks(
        c,
        positions,
        noise=noise,
        share=max(0.0, 1 - left / energy) if energy > 0 else 0.0,
        residual=d / 2 * largest_left,  # since |e_t|² = d/2
        scheme="sinusoidal",
        least=least_share(d, d * d),
    )


def read_blocks(
    c: Complex,
    positions: Sinusoids,
    *,
    noise: float,
    share: float,
    residual: float,
    scheme: str,
    least: float = LEAST_SHARE,
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
    T = B = widths = None
    reading = "not a positional head"
    if share >= least:
        centre = centre_of(used, noise, positions)
        B, widths, how = width_of(blocks, kept, centre, positions, noise=noise, share=share)
        T, reading = centre.T, f"{centre.how}; {how}"
    return PositionalKernel(
        T=T,
        B=B,
        B_range=widths,
        toeplitz_share=share,
        least_share=least,
        residual=residual,
        kept=tuple(int(i) for i in kept),
        cosine=c.real.copy(),
        sine=c.imag.copy(),
        values=np.zeros(0),
        base=positions.base,
        scheme=scheme,
        reading=reading,
        n=positions.reach,
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
    B, widths, how = width_from_gap(*window_of(np.minimum(*pair), np.maximum(*pair), same))
    share = max(0.0, 1 - float(np.sum(left**2)) / spread) if spread > 0 else 0.0
    least = least_share(2 * n - 2, n * n - 1)  # diagonals, and scores, less their mean
    positional = share >= least
    return PositionalKernel(
        T=T if positional else None,
        B=B if positional else None,
        B_range=widths if positional else None,
        toeplitz_share=share,
        least_share=least,
        residual=float(np.max(np.abs(left))),
        kept=(),
        cosine=np.zeros(0),
        sine=np.zeros(0),
        values=values,
        base=base,
        scheme="table",
        reading=f"f is largest at T; {how}" if positional else "not a positional head",
        n=n,
    )
