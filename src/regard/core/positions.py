"""Positions as vectors: sinusoidal embeddings, and rotary turns of queries and keys.

Both need sin(t ω_i) and cos(t ω_i) with ω_i = base**(-2i/d). The angle is kept in
quarter turns, t · (2/π) ω_i: then the multiple of π/2 to remove is a whole number,
removing it is exact however large t is, and only the remainder is ever multiplied by π/2.
The rest is arithmetic that rounds alike everywhere, so every platform gives the same bits.
"""

from __future__ import annotations

import decimal
import functools
import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.core.double_double import add, quick_two_sum, two_product, two_sum
from regard.errors import ParameterError, ShapeError
from regard.shapes import choice, integer, real, show

__all__ = ["rotary", "sinusoidal"]

Float64 = NDArray[np.float64]

_LAYOUTS = ("interleaved", "halves")

# Beyond it float64 skips whole numbers, so a position could not be told from the next.
_LIMIT = 2**53
# Entries worked on at a time: some ten temporaries of this size fit into a core's cache.
_CHUNK = 8192

_HALF_PI_HI = np.array(1.5707963267948966)
_HALF_PI_LO = np.array(6.123233995736766e-17)
# Taylor terms after x - x³/6 and 1 - x²/2. At |x| ≤ π/4 the first one left out is below 2**-62.
_SIN_TERMS = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8, 1, -1)]
_COS_TERMS = [(-1) ** k / math.factorial(2 * k) for k in range(9, 1, -1)]


def sinusoidal(n: int, d_model: int, base: float = 10000.0, *, start: int = 0) -> Float64:
    """Embed the positions t = start, ..., start + n - 1 as sines and cosines.

    Column 2i holds sin(t ω_i), column 2i + 1 holds cos(t ω_i), ω_i = base**(-2i/d_model).
    Every entry is within 1 ulp of the exact value for |t| ≤ 10**6 and 1e-300 ≤ base ≤ 1e300.

    Args:
        n: how many positions, at least 0.
        d_model: width of an embedding, even.
        base: positive; taken as the exact value of the float64.
        start: the first position, may be negative.

    Returns:
        float64 array (n, d_model).

    >>> sinusoidal(2, 4).round(3)       # ω = 1 and 0.01
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """
    name = "sinusoidal"
    n = integer(name, "n", n, minimum=0)
    d_model = integer(name, "d_model", d_model, minimum=2)
    if d_model % 2:
        raise ParameterError(
            f"{name}: d_model must be even, because sines and cosines come in pairs. "
            f"Got {d_model}. Try {d_model + 1}."
        )
    base = real(name, "base", base, positive=True)
    start = integer(name, "start", start)
    if abs(start) + n > _LIMIT:
        raise ParameterError(
            f"{name}: start must satisfy |start| + n ≤ 2**53, beyond which float64 skips "
            f"whole numbers. Got start {start}, n {n}."
        )
    t = np.arange(start, start + n).astype(np.float64)
    embedding = np.empty((n, d_model))
    _fill(t, _frequencies(d_model, base, True), embedding[:, 0::2], embedding[:, 1::2])
    return embedding


def rotary(
    x: ArrayLike, positions: ArrayLike, base: float = 10000.0, *, layout: str = "interleaved"
) -> NDArray[Any]:
    """Turn each pair of entries of x by an angle that grows with its position.

    Pair i at position t is turned by t ω_i, ω_i = base**(-2i/d): (a, b) becomes
    (a cos - b sin, a sin + b cos). Hence rotary(q, s) · rotary(k, t) depends on s and t
    only through s - t. Sines and cosines are within 1 ulp in float64 before they are
    rounded to the dtype of x.

    Args:
        x: queries or keys (..., n, d), d even. float16 is computed in float32; whole
            numbers become float64.
        positions: (n,) or anything that broadcasts to (..., n), also a single number;
            whole or not, of either sign, at most 2**53.
        base: positive.
        layout: which entries make pair i: "interleaved" (2i, 2i + 1), or "halves"
            (i, i + d/2) as in Llama-style checkpoints.

    Returns:
        Array of the shape and dtype of x.

    >>> import math
    >>> rotary([[3.0, 4.0]], math.pi / 2).round(9)      # ω_0 = 1: a quarter turn
    array([[-4.,  3.]])
    """
    name = "rotary"
    x = np.asarray(x)
    if x.dtype.kind in "iu":
        x = x.astype(np.float64)
    if x.dtype.char not in "efd":
        raise ParameterError(
            f"{name}: x must hold float16, float32, float64 or whole numbers. Got {x.dtype}."
        )
    if x.ndim == 0 or x.shape[-1] == 0 or x.shape[-1] % 2:
        raise ShapeError(
            f"{name}: x must have an even number d ≥ 2 of entries on its last axis, because "
            f"they are turned in pairs. Need x (..., n, d). Got x {show(x.shape)}."
        )
    base = real(name, "base", base, positive=True)
    layout = choice(name, "layout", layout, _LAYOUTS)
    t = _positions(name, np.asarray(positions), x.shape, base)
    dtype = x.dtype
    x = x.astype(np.result_type(dtype, np.float32), copy=False)
    return _rotate(x, t, base, layout).astype(dtype, copy=False)


def _positions(name: str, t: NDArray[Any], x_shape: tuple[int, ...], base: float) -> Float64:
    """Return positions as float64, or say why they cannot be used with x."""
    if t.dtype.kind not in "iu" and t.dtype.char not in "efd":
        raise ParameterError(f"{name}: positions must be whole or real numbers. Got {t.dtype}.")
    # Compared as they came: a 64-bit integer past the limit would change when it becomes a float.
    outside = ~((t >= -_LIMIT) & (t <= _LIMIT))
    if outside.any():
        raise ParameterError(
            f"{name}: positions must be finite and at most 2**53 in size. Got {t[outside][0]}."
        )
    if not _broadcasts(t.shape, x_shape[:-1]):
        n = x_shape[-2] if len(x_shape) > 1 else 1
        differ = t.shape[-1] not in (1, n)
        what = f"match x in n ({t.shape[-1]} vs {n})" if differ else "broadcast to (..., n) of x"
        fix = ""
        if t.ndim > 1 and _broadcasts((*t.shape[:-1], 1, t.shape[-1]), x_shape[:-1]):
            fix = " An axis is missing: try positions[..., None, :]."
        raise ShapeError(
            f"{name}: positions do not {what}. Need x (..., n, d), positions (n,) or (..., n). "
            f"Got x {show(x_shape)}, positions {show(t.shape)}.{fix}"
        )
    t = t.astype(np.float64)
    if not _whole(t) and base < 1:
        fastest = float(_frequencies(x_shape[-1], base, False)[0].max())
        if max(1.0, float(np.abs(t).max())) * fastest > _LIMIT:
            raise ParameterError(
                f"{name}: positions must be whole numbers when base is this small: the angles "
                f"exceed 2**53 quarter turns. Got base {base!r}."
            )
    return t


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Tell whether an array of this shape broadcasts to exactly the shape `to`."""
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _whole(t: Float64) -> bool:
    return bool((t == np.rint(t)).all())


def _rotate(x: NDArray[Any], positions: Float64, base: float, layout: str) -> NDArray[Any]:
    """Turn the pairs of x (..., n, d), float32 or float64, by positions that broadcast."""
    d = x.shape[-1]
    frequencies = _frequencies(d, base, base >= 1 or _whole(positions))
    table = np.empty((2, positions.size, d // 2))
    _fill(positions.ravel(), frequencies, table[0], table[1])
    sin, cos = table.reshape(2, *positions.shape, d // 2).astype(x.dtype)
    if layout == "interleaved":
        first, second = slice(0, d, 2), slice(1, d, 2)
    else:
        first, second = slice(0, d // 2), slice(d // 2, d)
    a, b = x[..., first], x[..., second]
    turned = np.empty_like(x)
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return turned


@functools.lru_cache(maxsize=64)
def _frequencies(d: int, base: float, reduced: bool) -> Float64:
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


def _fill(t: Float64, frequencies: Float64, sin: Float64, cos: Float64) -> None:
    """Write the sines and cosines of positions t (m,) into sin and cos (m, d/2)."""
    rows = max(1, _CHUNK // frequencies.shape[1])
    # Angles of a huge base are near the smallest float64; what underflows there is below 1 ulp.
    with np.errstate(under="ignore"):
        for r in range(0, len(t), rows):
            chunk = slice(r, r + rows)
            quadrant, x, x_lo = _reduce(t[chunk, None], frequencies)
            s, c = _sin_cos(x, x_lo)
            odd = (quadrant & 1).astype(bool)
            np.multiply(np.where(odd, c, s), 1 - (quadrant & 2), out=sin[chunk])
            np.multiply(np.where(odd, s, c), 1 - (quadrant + 1 & 2), out=cos[chunk])


def _reduce(t: Float64, frequencies: Float64) -> tuple[NDArray[np.int64], Float64, Float64]:
    """Write each angle as quadrant · π/2 + x with |x| ≤ π/4, x a double-double.

    The relative error of x is below 2**-100 wherever |x| > |t| 2**-55.
    """
    hi, middle, lo = frequencies
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
