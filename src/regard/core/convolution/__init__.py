"""Heads that look at positions alone: a normalised convolution, with a bound on every row's error.

Scores that depend on δ = t - τ only make the numerator of a softmax a convolution of the
values with w(δ) = exp(score), and its normaliser a sliding sum. Each row is computed in the
cheapest of four ways that reaches the precision asked for:

- a few shifts that hold all the weight that matters, wherever they lie;
- a short window: blocks of rows times one small matrix that all of them share;
- Fourier transforms: their rounding errors are as large as the largest weights anywhere,
  so only for rows whose own normaliser is not much smaller than that;
- directly, each row relative to its own largest score: for the others, such as rows whose
  window lies before the first key. What is too little to matter is left out.

Bounds are of the worst case, to first order in the unit roundoff u = 2⁻⁵³ with a percent
added for the rest. The weights are exp(score - peak): taking the difference and the
exponential gives each a relative error of (x + 4) u, x = peak - score, and the mean of x
under the softmax is at most ln n - ln Z, because its entropy, at most ln n, is that mean
plus ln Z.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np

from regard.arrays import common_dtype, computing, give, numbers
from regard.core.convolution.pieces import cut_rows
from regard.core.convolution.strips import Call, Float64, Task, Values
from regard.core.kernels.threads import available, for_each
from regard.errors import ParameterError, ShapeError
from regard.shapes import at_least, real, show

__all__ = ["positional_attention"]

# What rounding to a dtype moves a number by, relative to it or, if it is tiny, at most.
_ROUNDING = {
    "float64": (0.0, 0.0),  # counted where it happens
    "float32": (2.0**-24, 2.0**-150),
    "float16": (2.0**-11 + 2.0**-24, 2.0**-25),
    "bfloat16": (2.0**-8 + 2.0**-24, 2.0**-134),
}


def positional_attention(
    scores: Any,
    values: Any,
    *,
    precision: float | None = None,
    score_error: float = 0.0,
    function: str = "positional_attention",
) -> tuple[Any, Float64]:
    """Apply a call whose scores depend on t - τ alone, in far fewer than n² steps.

    Row t of the output is Σ_τ softmax_τ(scores[t - τ + n - 1]) values[τ].

    Args:
        scores: (2n - 1,), the scores of δ = t - τ = -(n - 1), ..., n - 1, scaled. -inf is
            never attended to; a row with nothing to attend to gives zero.
        values: (..., n, d_v), finite.
        precision: the error to aim for, relative to the largest |value|. Between 0 and 1;
            what cannot be reached by a fast way is computed directly. None is 1e-9 for
            float64 and 2⁻²⁵, half of what rounding the output costs, for narrower values.
        score_error: what the scores themselves may be off by; the bound has room for it.
        function: the name that messages begin with.

    Returns:
        The output, of the shape, the dtype and the library of the values (float64 for
        integers), and a bound (..., n) that no entry of row t is further from the exact
        output than, rounding to that dtype included.

    Example:
        >>> from regard.core.convolution import positional_attention
        >>> output, bound = positional_attention([0, 0, 40], [[1.0], [3.0]])  # one step back
        >>> output.round(9).tolist(), bool(bound.max() < 1e-8)
        ([[2.0], [1.0]], True)
    """
    s, v, library, dtype = _arguments(function, scores, values)
    if precision is None:
        precision = 1e-9 if dtype == "float64" else 2.0**-25
    precision = real(function, "precision", precision, positive=True)
    if precision >= 1:
        raise ParameterError(f"{function}: precision must lie between 0 and 1. Got {precision}.")
    score_error = real(function, "score_error", score_error)
    if score_error < 0:
        raise ParameterError(f"{function}: score_error must not be negative. Got {score_error}.")
    shape = v.shape
    v = v.reshape(math.prod(shape[:-2]), *shape[-2:])
    if shape[-1] % 2:  # Fourier transforms take columns in pairs
        v = np.pad(v, ((0, 0), (0, 0), (0, 1)))
    call, size = _computed(s, np.ascontiguousarray(v), precision)
    if not np.isfinite(size).all():
        raise ParameterError(f"{function}: values must be finite. Got infinity or NaN.")
    # Sums of huge values overflow and products of tiny ones vanish: bring them near 1.
    power = np.where((size > 1e-100) & (size < 1e100), 0, np.frexp(size)[1])
    scaled = bool(power.any())
    if scaled:
        call, _ = _computed(s, np.ldexp(call.values, -power[:, None, None]), precision)
    with np.errstate(all="ignore"):
        # Scores that are off by ε change a weight by a factor of at most e^2ε, so all of them
        # together by at most e^2ε - 1; and no two averages are further apart than 2.
        weighed = np.where(call.peak > -np.inf, min(np.expm1(2 * score_error), 2.0), 0)
        output = call.output[..., : shape[-1]]
        rounding, tiny = _ROUNDING[dtype]
        bound = 1.01 * (call.error + weighed + rounding) * size[:, None]
        if scaled:  # rounding must not carry an average past the largest float
            limit = np.ldexp(size, -power)[:, None, None]
            output = np.ldexp(np.clip(output, -limit, limit), power[:, None, None])
            tiny += 5e-324
        bound += np.where(size > 0, tiny, 0)[:, None]
    output = np.ascontiguousarray(output).reshape(shape)
    return give(output, library, dtype), bound.reshape(shape[:-1])


def _computed(scores: Float64, values: Values, precision: float) -> tuple[Call, Float64]:
    """Compute a call, and find the largest |value| of each head, or NaN.

    The two do not wait for each other: values that need another way are rare.
    """
    call, step = Call(scores, values, precision), 4096
    found: list[Float64] = [np.zeros(len(values))]

    def look() -> None:
        for first in range(0, call.n if values.shape[2] else 0, step):
            some = values[:, first : first + step]
            found.append(np.maximum(some.max(axis=(1, 2)), -some.min(axis=(1, 2))))

    # One thread can look for the next piece while the others compute the last.
    pieces = (task for piece in cut_rows(call) for task in piece)
    for_each(chain([look], pieces), _run, available())
    return call, np.max(found, axis=0)


@np.errstate(all="ignore")  # each thread has a setting of its own
def _run(task: Task) -> None:
    task()


def _arguments(name: str, scores: Any, values: Any) -> tuple[Float64, Values, str, str]:
    """Return scores as float64, values as what they are computed from, their library and dtype."""
    taken = numbers(name, "values", values)
    at_least(name, "values", taken.array, "(..., n, d_v)", width=1)
    s = numbers(name, "scores", scores).array.astype(np.float64)
    n = taken.array.shape[-2]
    if n == 0 or s.shape != (2 * n - 1,):
        raise ShapeError(
            f"{name}: scores must hold one number per shift, (2n - 1,) for values (..., n, d_v) "
            f"with n ≥ 1. Got scores {show(s.shape)}, values {show(taken.array.shape)}."
        )
    if not (s < np.inf).all():
        raise ParameterError(f"{name}: scores must be finite or -inf. Got infinity or NaN.")
    dtype = common_dtype(taken.dtype)
    return s, taken.array.astype(computing(dtype), copy=False), taken.library, dtype
