"""Error-free sums and products of float64 arrays, and sums of double-doubles.

A double-double is an unevaluated sum hi + lo of two float64 numbers with
|lo| ≤ ulp(hi)/2: about 106 bits. The functions work entry by entry and broadcast
like NumPy's own operators. They rely on float64 arithmetic that rounds to nearest,
which NumPy gives on every platform; no fused multiply-add is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["DoubleDouble", "add", "quick_two_sum", "two_product", "two_sum"]

Float64 = NDArray[np.float64]
DoubleDouble = tuple[Float64, Float64]

# Multiplying by 2**27 + 1 and subtracting leaves the upper 26 of 53 bits (Veltkamp).
_SPLITTER = 134217729.0


def two_sum(a: Float64, b: Float64) -> DoubleDouble:
    """Return (s, e) with s = a + b rounded and s + e = a + b exactly, if s does not overflow."""
    s = a + b
    b_used = s - a
    return s, (a - (s - b_used)) + (b - b_used)


def quick_two_sum(a: Float64, b: Float64) -> DoubleDouble:
    """Do what two_sum does in half the work; exact where |a| ≥ |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Float64, b: Float64) -> DoubleDouble:
    """Return (p, e) with p = a b rounded and p + e = a b exactly (Dekker).

    Exact where |a|, |b| < 2**996 and a b is zero or 2**-968 ≤ |a b| < 2**1023. Below,
    e is off by at most a few times 2**-1074, because its last bits underflow.
    """
    a_hi, a_lo = _split(a)
    b_hi, b_lo = _split(b)
    p = a * b
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def add(x_hi: Float64, x_lo: Float64, y_hi: Float64, y_lo: Float64) -> DoubleDouble:
    """Return the double-double nearest to x + y up to a relative error of 3.01 · 2**-106.

    The bound also holds where x and y cancel (Joldes, Muller, Popescu 2017, theorem 3.1).
    """
    s, s_error = two_sum(x_hi, y_hi)
    t, t_error = two_sum(x_lo, y_lo)
    v, v_error = quick_two_sum(s, s_error + t)
    return quick_two_sum(v, t_error + v_error)


def _split(a: Float64) -> DoubleDouble:
    """Return hi, lo of at most 26 bits each with hi + lo = a exactly."""
    c = _SPLITTER * a
    hi = c - (c - a)
    return hi, a - hi
