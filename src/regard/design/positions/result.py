"""A head that sees positions only: its kernel, its matrices, what is proved, a summary."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.arrays import common_dtype, give, numbers
from regard.certify import Certificate
from regard.core.angles import fill, frequencies
from regard.core.heads import Head
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError
from regard.language.bounds import lower_bound
from regard.report import Facts, Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import at_least, integer, real

__all__ = [
    "Array",
    "Kernel",
    "PositionalDesign",
    "factors",
    "matrix",
    "read_positions",
    "turned",
]

Array = NDArray[np.float64]

MOST_ENTRIES = 2**24  # positions times d_model: beyond it a certificate takes minutes to check
MOST_BLOCKS = 8  # of a table; the arrays themselves are attributes
CHUNK = 4096  # shifts whose sines and cosines are held at a time


@dataclass(frozen=True, eq=False)
class Kernel:
    """f(δ) = Σ a_i cos ω_i δ + b_i sin ω_i δ, ω_i = base^(-2i/d_model): the score at δ = t − τ.

    Attributes:
        a: (d_model/2,).
        b: (d_model/2,).
        base: of the frequencies.
    """

    a: Array
    b: Array
    base: float = 10000.0

    def __call__(self, delta: ArrayLike) -> Array:
        """Return f at whole shifts delta (...); within a few units of rounding of Σ |a_i| + |b_i|.

        Example:
            >>> import numpy as np
            >>> Kernel(np.array([0.0]), np.array([2.0]))([0, 1]).round(3)  # 2 sin δ
            array([0.   , 1.683])
        """
        shifts = numbers("Kernel", "delta", delta).array.astype(np.float64)
        if not (shifts == np.rint(shifts)).all() or (np.abs(shifts) > 2**53).any():
            raise ParameterError(
                f"Kernel: delta must be whole numbers of at most 2**53 in size. "
                f"Got {reprlib.repr(delta)}."
            )
        kept = np.flatnonzero((self.a != 0) | (self.b != 0))
        turns = frequencies(2 * len(self.a), self.base, True)[:, kept]
        flat = shifts.ravel()
        out = np.empty(flat.shape)
        for start in range(0, len(flat), CHUNK):
            some = flat[start : start + CHUNK]
            table = np.empty((2, len(some), len(kept)))
            fill(some, turns, table[0], table[1])
            # einsum and not BLAS: the same bits at any number of threads
            out[start : start + CHUNK] = np.einsum("ti,i->t", table[1], self.a[kept]) + np.einsum(
                "ti,i->t", table[0], self.b[kept]
            )
        return out.reshape(shifts.shape)

    def up_to(self, n: int) -> tuple[Array, float]:
        """Return f at 1 − n, …, n − 1, which may not be written to, and what it may be off by."""
        return _up_to(self.a.tobytes(), self.b.tobytes(), self.base, n)


@lru_cache(maxsize=4)  # a head is applied to one batch after the other
def _up_to(a_bytes: bytes, b_bytes: bytes, base: float, n: int) -> tuple[Array, float]:
    """Compute f at 1 − n, …, n − 1 by the addition theorems.

    With δ = start + m p + r, f is a product of two tables of m ≈ √(2n) rows: hundreds of
    times fewer sines than one for each shift.
    """
    a, b = np.frombuffer(a_bytes), np.frombuffer(b_bytes)
    kept = np.flatnonzero((a != 0) | (b != 0))
    turns = frequencies(2 * len(a), base, True)[:, kept]
    a, b = a[kept], b[kept]
    m = math.ceil(math.sqrt(2 * n - 1))
    steps, table = np.arange(m, dtype=np.float64), np.empty((2, 2 * m, len(kept)))
    fill(np.append(steps * m + (1 - n), steps), turns, table[0], table[1])
    sin, cos = table[:, :m]
    coarse = np.hstack([a * cos + b * sin, b * cos - a * sin])
    fine = np.hstack([table[1, m:], table[0, m:]])
    with one_blas_thread():  # the same bits at any number of threads
        found = (coarse @ fine.T).ravel()[: 2 * n - 1]
    found.flags.writeable = False
    # Sines are off by 2 u, coarse by 4 u (|a| + |b|), and a sum of so many terms by as many u.
    off = (2 * len(kept) + 16) * 2.0**-53 * float(np.sum(np.abs(a) + np.abs(b)))
    return found, off


def turned(weights: Array, T: int, base: float) -> Kernel:
    """The kernel Σ w_i cos ω_i (δ − T): block i is w_i times the rotation by ω_i T."""
    turns = frequencies(2 * len(weights), base, True)
    table = np.empty((2, 1, len(weights)))
    fill(np.array([float(T)]), turns, table[0], table[1])
    return Kernel(weights * table[1, 0], weights * table[0, 0], base)


def matrix(kernel: Kernel) -> Array:
    """A, with the blocks [[a_i, −b_i], [b_i, a_i]] on its diagonal.

    With s = sin, c = cos of ω_i τ (key, left) and S, C of ω_i t (query, right) a block gives
    a (s S + c C) + b (c S − s C) = a cos ω_i (t − τ) + b sin ω_i (t − τ).
    """
    d = 2 * len(kernel.a)
    A = np.zeros((d, d))
    even = np.arange(0, d, 2)
    A[even, even] = A[even + 1, even + 1] = kernel.a
    A[even + 1, even] = kernel.b
    A[even, even + 1] = 0.0 - kernel.b  # no −0
    return A


def factors(A: Array, kept: Iterable[int], d_k: int) -> tuple[Array, Array]:
    """W_Q, W_K (d_model, d_k) with W_K @ W_Q.T = A exactly, for A with the blocks `kept`.

    Column pair j belongs to kept block i: W_K holds 2^m times the unit matrix there and W_Q the
    transposed block divided by 2^m, which rounds nothing; m makes the two about equally large.
    """
    W_Q, W_K = np.zeros((len(A), d_k)), np.zeros((len(A), d_k))
    for j, i in enumerate(kept):
        rows, columns = slice(2 * i, 2 * i + 2), slice(2 * j, 2 * j + 2)
        block = A[rows, rows]
        half = round(math.log2(max(float(np.hypot(block[0, 0], block[1, 0])), 1e-200)) / 2)
        W_K[rows, columns] = np.ldexp(np.eye(2), half)
        W_Q[rows, columns] = np.ldexp(block.T, -half)
    return W_Q, W_K


@dataclass(frozen=True, eq=False, repr=False)
class PositionalDesign(Reported):
    """A head that looks T steps back, or T ± B/2, and what is proved of it.

    Attributes:
        A: (d_model, d_model), key left and query right: query t scores key τ with
            scale · e_τ A e_t = scale · kernel(t − τ), e = sinusoidal(n, d_model, base).
        W_Q: (d_model, d_k).
        W_K: (d_model, d_k); W_K @ W_Q.T is A.
        kernel: f as a function of whole shifts t − τ, and its coefficients.
        kept: the blocks of A that are not 0, by index.
        gap: how far the lowest score wanted is above the highest other one, before `scale`: proved.
        scale: what scores are multiplied by.
        certificate: the claims, with witnesses.
        T: query position minus key position.
        n: the length it was designed for.
        rival: the shift t − τ with the highest score of those not wanted; None if there is none.
        missed: `rival`, if it scores as high as some shift of the window: the design misses its
            goal. None otherwise.
        B: the width of the window; 0 for a single shift.
        mass: the least weight on the shift T: proved. NaN for a band.
        how: how the blocks were chosen, in words.
    """

    A: Array
    W_Q: Array
    W_K: Array
    kernel: Kernel
    kept: tuple[int, ...]
    gap: float
    scale: float
    certificate: Certificate
    T: int
    n: int
    rival: int | None
    missed: int | None = None
    B: float = 0.0
    mass: float = math.nan
    how: str = ""

    def head(self) -> Head:
        """The head itself, at the scale of the design, with values as they come.

        Use it as `design.head()(x, positions=regard.sinusoidal(n, d_model))`.
        """
        return Head(self.W_Q, self.W_K, np.eye(len(self.A)), scale=self.scale)

    def apply(self, values: ArrayLike) -> Any:
        """Attend over values (..., n, d_v) by position alone, in far less than n² steps.

        Returns:
            (..., n, d_v), of the dtype and library of the values: row t is
            Σ_τ softmax_τ(scale · kernel(t − τ)) values_τ.
        """
        return self.apply_with_bound(values)[0]

    def apply_with_bound(
        self, values: ArrayLike, *, precision: float | None = None
    ) -> tuple[Any, Any]:
        """As `apply`, with what `regard.core.convolution` proves of the error."""
        from regard.core.convolution import positional_attention  # only this needs it

        taken = numbers("apply", "values", values)
        at_least("apply", "values", taken.array, "(..., n, d_v)", width=1)
        n = taken.array.shape[-2]
        if n == 0:
            nothing = np.zeros(taken.array.shape)
            return give(nothing, taken.library, common_dtype(taken.dtype)), nothing.sum(axis=-1)
        scores, off = self.kernel.up_to(n)
        scores = self.scale * scores
        off = self.scale * off + 2.0**-53 * float(np.max(np.abs(scores), initial=0))
        found: tuple[Any, Any] = positional_attention(
            scores, values, precision=precision, score_error=off, function="apply"
        )
        return found

    def report(self) -> Report:
        """The design as a report: what it looks at, what is proved, its blocks."""
        window = f"T = {self.T}" + (f", B = {number(self.B)}" if self.B else "")
        facts = [("looks at t − τ", window), ("length n", str(self.n))]
        if not math.isnan(self.mass):
            facts.append(("least weight there", f"at least {lower_bound(self.mass)}"))
        facts += [
            ("scale", number(self.scale)),
            ("gap", "no other shifts" if self.rival is None else number(self.gap)),
            ("strongest rival", "none" if self.rival is None else f"shift {self.rival}"),
            ("blocks kept", f"{len(self.kept)} of {len(self.kernel.a)}: {self.how}"),
            ("d_k", str(self.W_Q.shape[1])),
            ("claims", str(len(self.certificate.claims))),
        ]
        shown = self.kept[:MOST_BLOCKS]
        omega = [self.kernel.base ** (-i / len(self.kernel.a)) for i in shown]
        rows = tuple(
            (str(i), number(w), number(float(self.kernel.a[i])), number(float(self.kernel.b[i])))
            for i, w in zip(shown, omega, strict=True)
        )
        more = len(self.kept) - len(shown)
        caption = "blocks [[a, −b], [b, a]]" + (f"; {more} more" if more else "")
        blocks: list[Any] = [Facts(tuple(facts)), Table(("i", "ω_i", "a", "b"), rows, caption)]
        if self.missed is not None:
            blocks.insert(
                0,
                Text(
                    f"It misses its goal: shift {self.missed}, outside the window, scores as "
                    f"high as the window does at its lowest or higher."
                ),
            )
        return Report("A positional head", tuple(blocks))

    def plot(self) -> Any:
        """Draw the score against the shift t − τ; return the Matplotlib figure."""
        from regard.design.figures import kernel_figure  # brings Matplotlib

        return kernel_figure(self.kernel, self.T, self.B, self.n)


def read_positions(
    function: str, T: object, d_model: object, n: object, scale: object, base: object
) -> tuple[int, int, int, float, float]:
    """Read what positional designs have in common: T, d_model, n, scale, base."""
    length = integer(function, "n", n, minimum=1)
    offset = integer(function, "T", T)
    if abs(offset) >= length:
        raise ParameterError(
            f"{function}: T must satisfy |T| < n: among n = {length} positions none is "
            f"{abs(offset)} steps from another. Got T = {offset}."
        )
    width = integer(function, "d_model", d_model, minimum=2)
    if width % 2:
        raise ParameterError(
            f"{function}: d_model must be even, because sines and cosines come in pairs. "
            f"Got {width}. Try {width + 1}."
        )
    if length * width > MOST_ENTRIES:
        raise ParameterError(
            f"{function}: n · d_model must be at most 2**24. Got n {length}, d_model {width}."
        )
    factor = real(function, "scale", scale, positive=True)
    return offset, width, length, factor, real(function, "base", base, positive=True)
