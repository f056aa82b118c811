"""Sines and cosines of t ω_i with ω_i = base**(-2i/d), right to the last bit but one.

The angle is kept in quarter turns, t · (2/π) ω_i: then the multiple of π/2 to remove is
a whole number, removing it is exact however large t is, and only the remainder is ever
multiplied by π/2. The rest is arithmetic that rounds alike everywhere, so every platform
gives the same bits.
"""

from __future__ import annotations

import decimal
import functools
import math
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from regard.core.double_double import add, quick_two_sum, two_product, two_sum

Float64 = NDArray[np.float64]

# Entries worked on at a time: some ten temporaries of this size fit into a core's cache.
_CHUNK = 8192

_HALF_PI_HI = np.array(1.5707963267948966)
_HALF_PI_LO = np.array(6.123233995736766e-17)
# Taylor terms after x - x³/6 and 1 - x²/2. At |x| ≤ π/4 the first one left out is below 2**-62.
_SIN_TERMS = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8, 1, -1)]
_COS_TERMS = [(-1) ** k / math.factorial(2 * k) for k in range(9, 1, -1)]


@functools.lru_cache(maxsize=64)
def frequencies(d: int, base: float, reduced: bool) -> Float64:
    """Return (2/π) ω_i, quarter turns per position, as three float64 parts (3, d/2).

    If reduced, whole turns are taken off: for whole t that changes no sine or cosine, and
    it keeps every base usable. base = 1e-300 makes ω_i as large as 1e300.
    """
    # Three parts hold 159 bits, 48 digits; whole turns of a base below 1 use up more in front.
    digits = 64 + max(0, -Decimal(base).adjusted())
    with decimal.localcontext(decimal.Context(prec=digits, traps=[])):
        ratio = Decimal(base) ** (Decimal(-2) / d)
        quarter_turns = 2 / _pi()
        parts = np.empty((3, d // 2))
        for i in range(d // 2):
            rest = quarter_turns.remainder_near(Decimal(4)) if reduced else quarter_turns
            for part in range(3):
                parts[part, i] = float(rest)
                rest -= Decimal(float(parts[part, i]))
            quarter_turns *= ratio
    parts.setflags(write=False)
    return parts


def _pi() -> Decimal:
    """Return π to the precision of the context by Gauss and Legendre's mean."""
    a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), 1
    for _ in range(9):  # each step doubles the digits: 9 give more than 1000
        mean = (a + b) / 2
        b = (a * b).sqrt()
        t -= p * (a - mean) ** 2
        a, p = mean, 2 * p
    return (a + b) ** 2 / (4 * t)


def fill(t: Float64, turns: Float64, sin: Float64, cos: Float64) -> None:
    """Write the sines and cosines of positions t (m,) into sin and cos (m, d/2).

    Args:
        t: at most 2**53 in size.
        turns: what `frequencies` returns.
        sin, cos: are filled.
    """
    rows = max(1, _CHUNK // turns.shape[1])
    # Angles of a huge base are near the smallest float64; what underflows there is below 1 ulp.
    with np.errstate(under="ignore"):
        for r in range(0, len(t), rows):
            chunk = slice(r, r + rows)
            quadrant, x, x_lo = _reduce(t[chunk, None], turns)
            s, c = _sin_cos(x, x_lo)
            odd = (quadrant & 1).astype(bool)
            np.multiply(np.where(odd, c, s), 1 - (quadrant & 2), out=sin[chunk])
            np.multiply(np.where(odd, s, c), 1 - (quadrant + 1 & 2), out=cos[chunk])


def _reduce(t: Float64, turns: Float64) -> tuple[NDArray[np.int64], Float64, Float64]:
    """Write each angle as quadrant · π/2 + x with |x| ≤ π/4, x a double-double.

    The relative error of x is below 2**-100 wherever |x| > |t| 2**-55.
    """
    hi, middle, lo = turns
    p, p_lo = two_product(t, hi)
    q, q_lo = two_product(t, middle)
    q, q_lo = quick_two_sum(q, q_lo + t * lo)
    whole = np.rint(p)
    p, p_lo = add(*two_sum(p - whole, p_lo), q, q_lo)
    # For large t the lower parts of the product are themselves worth a quarter turn or two.
    more = np.rint(p)
    p, p_lo = two_sum(p - more, p_lo)
    quadrant = whole.astype(np.int64) + more.astype(np.int64)
    x, x_lo = two_product(p, _HALF_PI_HI)
    return quadrant, *quick_two_sum(x, x_lo + (p * _HALF_PI_LO + p_lo * _HALF_PI_HI))


def _sin_cos(x: Float64, x_lo: Float64) -> tuple[Float64, Float64]:
    """Return sin and cos of x + x_lo, |x| ≤ π/4, each within 0.7 ulp.

    What decides the rounding, x - x³/6 and 1 - x²/2, is carried with the errors of its
    products; the terms after them are so small that plain float64 does.
    """
    z, z_lo = two_product(x, x)
    cube, cube_lo = two_product(x, z)
    half = z / 2
    small = cube * (z * _polynomial(z, _SIN_TERMS)) - (cube_lo + x * z_lo) / 6
    sin = x - (cube / 6 - (small + (x_lo - x_lo * half)))
    leading = 1 - half
    lost = (1 - leading) - half
    cos = leading + (z * (z * _polynomial(z, _COS_TERMS)) + (lost - (z_lo / 2 + x * x_lo)))
    return sin, cos


def _polynomial(z: Float64, terms: list[float]) -> Float64:
    """Evaluate the polynomial whose coefficients are `terms`, highest power first."""
    value = z * terms[0]
    for term in terms[1:-1]:
        value += term
        value *= z
    value += terms[-1]
    return value
