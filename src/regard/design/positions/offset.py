"""Look exactly T steps back: a rotation block for each frequency kept, as large as needed.

With all blocks g times the rotation by ω_i T the score is f(T + u) = g Σ cos ω_i u, so that
shift T is above shift T + u by g D(u), D(u) = Σ 2 sin²(ω_i u / 2), and of keys 0..n−1 key t − T
gets 1 / (1 + leak_c), c = t − T,

    leak_c = Σ_{u=1..c} exp(−C D(u)) + Σ_{u=1..n−1−c} exp(−C D(u)),    C = scale · g.

No block larger than g in norm adds more to any D(u), and none adds less than 0: for blocks of
norm at most g, equal ones are the best, and as many of them as d_k allows. Which ones is chosen
by the gap min_u D(u).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regard.analysis.root_finding import crossing
from regard.certify import Certificate, Claim
from regard.core.angles import fill, frequencies
from regard.design.positions.block_choice import choose
from regard.design.positions.reasons import ShiftsAlike
from regard.design.positions.result import (
    Array,
    Kernel,
    PositionalDesign,
    factors,
    matrix,
    read_positions,
    turned,
)
from regard.design.reasons import undecided
from regard.errors import ParameterError
from regard.report import number
from regard.shapes import integer, real

__all__ = ["leak", "offset"]

FUNCTION = "design.offset"
SMALLEST = 1e-12  # tolerance: 1 − weight is known to fewer than five digits below it
TABLE_ERROR = 1e-12  # float64 sinusoids and products of up to thousands of terms stay below it
SLACK = 1e-9  # how far the leak, relative to itself, is kept below the tolerance
UNIT = 2.0**-52
LARGEST = 1e150  # block, whose squares are still numbers
CHUNK = 4096  # shifts whose sines are held at a time

Indices = NDArray[np.intp]


def offset(
    T: int,
    d_model: int,
    *,
    n: int,
    tolerance: float = 1e-2,
    d_k: int | None = None,
    scale: float = 1.0,
    base: float = 10000.0,
) -> PositionalDesign:
    """Design a head whose query at t attends to the key at t − T, by sinusoidal positions alone.

    A = W_K W_Qᵀ has the blocks g · [[cos ω_i T, −sin ω_i T], [sin ω_i T, cos ω_i T]].

    Args:
        T: steps back, |T| < n; negative: ahead.
        d_model: width of the positions, even.
        n: number of keys, at positions 0..n−1.
        tolerance: every query t with 0 ≤ t − T < n gives key t − T at least 1 − tolerance;
            g is the smallest that does. From 1e-12 up to what n equal weights miss by.
        d_k: the width of W_Q and W_K, at least 2; None is d_model. With ⌊d_k/2⌋ blocks fewer than
            d_model/2, those are kept that give the largest gap on these n positions: of few
            choices the best, else one that no exchange of two blocks improves.
        scale: multiplies the scores; g is fitted to it.
        base: of the frequencies ω_i = base^(−2i/d_model).

    Returns:
        The design. `.mass` and `.gap` are proved, `.mass` also for positions that are off by
        1e-12 in each entry.

    Raises:
        UndecidedDesign: two shifts look so nearly alike that float64 positions cannot part them.

    Example:
        >>> import regard
        >>> design = regard.design.offset(3, 8, n=20)
        >>> weights = regard.sinusoidal(20, 8) @ design.A @ regard.sinusoidal(20, 8).T
        >>> weights[:, 10].argmax(), design.kept
        (np.int64(7), (0, 1, 2, 3))
    """
    T, d_model, n, scale, base = read_positions(FUNCTION, T, d_model, n, scale, base)
    width = d_model if d_k is None else integer(FUNCTION, "d_k", d_k)
    if width < 2:
        raise ParameterError(
            f"{FUNCTION}: d_k must be at least 2, because each frequency needs a sine and a "
            f"cosine. Got {width}."
        )
    tolerance = _tolerance(tolerance, n)
    turns = frequencies(d_model, base, True)
    kept, how = _choice(turns, min(width, d_model) // 2, n)
    weights, gain = np.zeros(d_model // 2), 1.0
    if n > 1:
        rises, spans = _rises(turns[:, kept], n)
        weights[kept] = 1.0
        fitted = _fitted(rises, _disturbance(turned(weights, T, base)), T, n, tolerance)
        if fitted > scale * LARGEST:
            raise ParameterError(
                f"{FUNCTION}: scale must not be so small: the blocks would have to be larger than "
                f"{LARGEST:g}. Got {scale:g}."
            )
        gain = fitted / scale
    weights[kept] = gain
    kernel = turned(weights, T, base)
    A = matrix(kernel)
    W_Q, W_K = factors(A, kept.tolist(), width)
    about = {"T": T, "n": n, "base": base}
    gap, mass, rival, claims = math.inf, 1.0, None, []
    if n > 1:
        others = leak(rises, scale * gain) * math.exp(scale * _disturbance(kernel))
        mass = 1 / (1 + others * (1 + SLACK / 4)) - UNIT
        nearest = int(np.argmin(rises))
        rival = T + 1 + nearest
        # The blocks of A are rounded: by 4 units in size, and in phase, which moves f by spans.
        low = rises * (1 - (len(kept) + 8) * UNIT) - 8 * UNIT * spans
        gap = float(np.min(low)) * gain * (1 - 2 * UNIT)
        within = float(rises[nearest] - np.min(low) + 8 * UNIT * spans[nearest]) * gain * 2
        fields = {**about, "rival": rival, "bound": gap, "within": within}
        claims.append(Claim("strongest_rival", fields, {"A": A}))
    fields = {**about, "table_error": TABLE_ERROR, "bound": mass}
    claims.insert(0, Claim("offset_mass", fields, {"A": A}))
    return PositionalDesign(
        A=A,
        W_Q=W_Q,
        W_K=W_K,
        kernel=kernel,
        kept=tuple(kept.tolist()),
        gap=gap,
        scale=scale,
        certificate=Certificate({}, tuple(claims), scale),
        T=T,
        n=n,
        rival=rival,
        mass=mass,
        how=how,
    )


def _tolerance(tolerance: float, n: int) -> float:
    tolerance = real(FUNCTION, "tolerance", tolerance, positive=True)
    if tolerance < SMALLEST:
        raise ParameterError(
            f"{FUNCTION}: tolerance must be at least {SMALLEST:g}, near where float64 cannot tell "
            f"a weight from 1. Got {tolerance:g}."
        )
    if n > 1 and tolerance >= 1 - 1 / n:
        raise ParameterError(
            f"{FUNCTION}: tolerance must be below 1 − 1/n = {number(1 - 1 / n)}, which a head "
            f"that looks at nothing misses by. Got {tolerance:g}."
        )
    return tolerance


def _parts(turns: Array, u: Array) -> tuple[Array, Array]:
    """2 sin²(ω_i u / 2) and |sin ω_i u|, (len(u), len(ω)), each accurate relative to itself.

    Whole turns were taken off ω_i, which changes ω_i u / 2 by multiples of π: squares stay.
    """
    table = np.empty((2, len(u), turns.shape[1]))
    fill(u / 2, np.ascontiguousarray(turns), table[0], table[1])
    return 2 * table[0] ** 2, 2 * np.abs(table[0] * table[1])


def _rises(turns: Array, n: int) -> tuple[Array, Array]:
    """D(u) and Σ |sin ω_i u| for u = 1..n−1."""
    rises, spans = np.empty(n - 1), np.empty(n - 1)
    for start in range(0, n - 1, CHUNK):
        some = slice(start, min(start + CHUNK, n - 1))
        squares, sines = _parts(turns, np.arange(some.start + 1.0, some.stop + 1.0))
        rises[some], spans[some] = squares.sum(axis=1), sines.sum(axis=1)
    return rises, spans


def leak(rises: Array, size: float) -> float:
    """Return max_c leak_c: what all other keys weigh, key T back weighing 1, at its largest."""
    sums = np.concatenate([[0.0], np.cumsum(np.exp(-size * rises))])
    return float(np.max(sums + sums[::-1]))


def _disturbance(kernel: Kernel) -> float:
    """2 (2η + η²) Σ |A_jk|: by how much differences of f change if positions are off by η.

    |(e + x) A (e' + y) − e A e'| ≤ |x| |A| |e'| + |e| |A| |y| + |x| |A| |y| for entries
    |e|, |e'| ≤ 1 and |x|, |y| ≤ η; a difference of two scores changes by at most twice that.
    """
    entries = 2 * float(np.sum(np.abs(kernel.a)) + np.sum(np.abs(kernel.b)))
    return 2 * (2 * TABLE_ERROR + TABLE_ERROR**2) * entries * (1 + 1e-9)


def _fitted(rises: Array, loss: float, T: int, n: int, tolerance: float) -> float:
    """The smallest C = scale · g with leak / (1 + leak) ≤ tolerance, positions being off.

    `loss` is the disturbance for g = 1. ln leak is convex in C and falls by the gap at least, so
    ln leak + C · loss falls if loss < gap: its only root is between 0 and where
    (n − 1) exp(−C (gap − loss)) is small enough.
    """
    gap = float(np.min(rises))
    if gap <= 2 * loss:
        rival = T + 1 + int(np.argmin(rises))
        raise undecided(ShiftsAlike(T, rival, gap, loss), None, None)
    # Less than what rounds the mass itself would leave it below 1 − tolerance.
    wanted = math.log(tolerance / (1 - tolerance)) - max(SLACK, 4 * UNIT / tolerance)

    def excess(size: float) -> float:
        return math.log(max(leak(rises, size), 1e-300)) + size * loss - wanted

    high = (math.log(n - 1) - wanted) / (gap - loss) * (1 + 1e-9)
    size = crossing(excess, 0.0, high)
    while excess(size) > 0:  # the root may be a few units of rounding to the left
        size *= 1 + 4 * UNIT
    return size


def _choice(turns: Array, count: int, n: int) -> tuple[Indices, str]:
    """The blocks to keep, and how they were chosen."""
    m = turns.shape[1]
    if count == m or n == 1:
        return np.arange(count), "all" if count == m else "the fastest, as there is one position"
    squares = np.empty((m, n - 1))  # a row for each block, a column for each shift 1..n−1
    for start in range(0, n - 1, CHUNK):
        stop = min(start + CHUNK, n - 1)
        squares[:, start:stop] = _parts(turns, np.arange(start + 1.0, stop + 1.0))[0].T
    return choose(squares, count)
