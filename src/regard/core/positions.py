"""Positions as vectors: sinusoidal embeddings, and rotary turns of queries and keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import common_dtype, computing, give, numbers
from regard.core.angles import fill, frequencies
from regard.core.eager import eager
from regard.errors import ParameterError, ShapeError
from regard.shapes import allocatable, choice, integer, real, show

Float64 = NDArray[np.float64]

_LAYOUTS = ("interleaved", "halves")

# Beyond it float64 skips whole numbers, so a position could not be told from the next.
_LIMIT = 2**53


def sinusoidal(n: int, d_model: int, base: float = 10000.0, *, start: int = 0) -> Float64:
    """Embed the positions t = start, ..., start + n - 1 as sines and cosines.

    Column 2i holds sin(t ω_i), column 2i + 1 holds cos(t ω_i), ω_i = base^(-2i/d_model).
    Every entry is within 1 ulp of the exact value for t up to 10⁶ in size and bases from
    1e-300 to 1e300.

    Args:
        n: how many positions, at least 0.
        d_model: width of an embedding, even.
        base: positive; taken as the exact value of the float64.
        start: the first position, may be negative.

    Returns:
        float64 array (n, d_model).

    Example:
        >>> import regard
        >>> regard.sinusoidal(2, 4).round(3)  # ω = 1 and 0.01
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
    allocatable(name, n, d_model)
    base = real(name, "base", base, positive=True)
    start = integer(name, "start", start)
    if abs(start) + n > _LIMIT:
        raise ParameterError(
            f"{name}: start must satisfy |start| + n ≤ 2**53, beyond which float64 skips "
            f"whole numbers. Got start {start}, n {n}."
        )
    t = np.arange(start, start + n).astype(np.float64)
    embedding = np.empty((n, d_model))
    fill(t, frequencies(d_model, base, True), embedding[:, 0::2], embedding[:, 1::2])
    return embedding


@eager
def rotary(x: Any, positions: Any, base: float = 10000.0, *, layout: str = "interleaved") -> Any:
    """Turn each pair of entries of x by an angle that grows with its position.

    Pair i at position t is turned by t ω_i, ω_i = base^(-2i/d): (a, b) becomes
    (a cos - b sin, a sin + b cos). Hence rotary(q, s) · rotary(k, t) depends on s and t
    only through s - t. Sines and cosines are within 1 ulp in float64 before they are
    rounded to the dtype of x.

    Args:
        x: queries or keys (..., n, d), d even. 16-bit numbers are computed in float32;
            whole numbers become float64.
        positions: (n,) or anything that broadcasts to (..., n), also a single number;
            whole or not, of either sign, at most 2^53 in size.
        base: positive.
        layout: which entries make pair i: "interleaved" (2i, 2i + 1), or "halves"
            (i, i + d/2) as in Llama-style checkpoints.

    Returns:
        Array of the shape, dtype and library of x.

    Example:
        >>> import math, regard
        >>> regard.rotary([[3.0, 4.0]], math.pi / 2).round(9)  # ω_0 = 1: a quarter turn
        array([[-4.,  3.]])
    """
    name = "rotary"
    taken = numbers(name, "x", x)
    dtype = common_dtype(taken.dtype)
    x = taken.array.astype(computing(dtype), copy=False)
    if x.ndim == 0 or x.shape[-1] == 0 or x.shape[-1] % 2:
        raise ShapeError(
            f"{name}: x must have an even number d ≥ 2 of entries on its last axis, because "
            f"they are turned in pairs. Need x (..., n, d). Got x {show(x.shape)}."
        )
    base = real(name, "base", base, positive=True)
    layout = choice(name, "layout", layout, _LAYOUTS)
    t = _positions(name, numbers(name, "positions", positions).array, x.shape, base)
    return give(_rotate(x, t, base, layout), taken.library, dtype)


def _positions(name: str, t: NDArray[Any], x_shape: tuple[int, ...], base: float) -> Float64:
    """Return positions as float64, or say why they cannot be used with x."""
    # float16 cannot hold the limit; a 64-bit integer past it would change in becoming a float.
    t = t.astype(np.float64) if t.dtype.kind == "f" else t
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
    if not _all_whole_numbers(t) and base < 1:
        fastest = float(frequencies(x_shape[-1], base, False)[0].max())
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


def _all_whole_numbers(t: Float64) -> bool:
    return bool((t == np.rint(t)).all())


def _rotate(x: NDArray[Any], positions: Float64, base: float, layout: str) -> NDArray[Any]:
    """Turn the pairs of x (..., n, d), float32 or float64, by positions that broadcast."""
    d = x.shape[-1]
    turns = frequencies(d, base, base >= 1 or _all_whole_numbers(positions))
    table = np.empty((2, positions.size, d // 2))
    fill(positions.ravel(), turns, table[0], table[1])
    sin, cos = table.reshape(2, *positions.shape, d // 2).astype(x.dtype)
    if layout == "interleaved":
        first, second = slice(0, d, 2), slice(1, d, 2)
    else:
        first, second = slice(0, d // 2), slice(d // 2, d)
    a, b = x[..., first], x[..., second]
    turned = np.empty_like(x)
    with np.errstate(all="ignore"):  # infinity and NaN in x come out as such
        turned[..., first] = a * cos - b * sin
        turned[..., second] = a * sin + b * cos
    return turned
