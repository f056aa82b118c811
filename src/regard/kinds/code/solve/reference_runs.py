"""Run the functions of a lab on drawn instances, and compare with the reference's loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core import reference

Float64 = NDArray[np.float64]
Arguments = tuple[Any, ...]

RUNS = 20


def draw(behaviour: str, rng: np.random.Generator) -> Arguments:
    """Draw arguments for a function: another size on every axis, numbers of either sign."""
    sizes = rng.permutation([2, 3, 5, 7])
    n_q, n_k, d_k, d_v = (int(size) for size in sizes)
    if behaviour == "softmax":
        return (30 * rng.standard_normal((n_q, n_k)),)
    if behaviour == "sinusoidal_positions":
        return n_q * n_k, 2 * d_k
    if behaviour in ("attention", "masked_attention"):
        arrays = [rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]
        mask = rng.random((n_q, n_k)) < 0.6
        mask[0] = False  # a query that may attend to nothing
        return (*arrays, mask) if behaviour == "masked_attention" else tuple(arrays)
    if behaviour == "causal_attention":
        return tuple(rng.standard_normal((n_k, width)) for width in (d_k, d_k, d_v))
    x = rng.standard_normal((n_q, n_k))
    heads = (3,) if behaviour == "multi_head_attention" else ()
    matrices = [rng.standard_normal((*heads, n_k, width)) for width in (d_k, d_k, d_v)]
    if heads:
        matrices.append(rng.standard_normal((3 * d_v, n_k)))
    return (x, *matrices)


def expected(behaviour: str, arguments: Arguments) -> Float64:
    """Return what a function must return."""
    if behaviour == "softmax":
        (x,) = arguments
        identity = np.eye(x.shape[-1])
        return reference.attention(x, identity, identity, scale=1.0).weights
    if behaviour == "sinusoidal_positions":
        return _positions(*arguments)
    if behaviour == "causal_attention":
        return reference.attention(*arguments, is_causal=True).output
    if behaviour in ("attention", "masked_attention"):
        return reference.attention(*arguments).output
    x, W_Q, W_K, W_V, *rest = arguments
    if not rest:
        return reference.attention(x @ W_Q, x @ W_K, x @ W_V).output
    total = np.zeros((len(x), rest[0].shape[1]))
    d_v = W_V.shape[-1]
    for h in range(len(W_Q)):
        head = reference.attention(x @ W_Q[h], x @ W_K[h], x @ W_V[h]).output
        total += head @ rest[0][h * d_v : (h + 1) * d_v]
    return total


def _positions(n: int, d_model: int) -> Float64:
    rows = []
    for t in range(n):
        row = []
        for i in range(d_model // 2):
            angle = t * math.exp(-2 * i / d_model * math.log(10000.0))
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return np.array(rows)


def difference(found: Any, wanted: Float64) -> float:
    """Return the largest difference; infinity where the shape is another or a number is none."""
    array = np.asarray(found, float)
    if array.shape != wanted.shape or not np.isfinite(array).all():
        return math.inf
    return float(np.abs(array - wanted).max())


def worst(function: Callable[..., Any], behaviour: str, rng: np.random.Generator) -> float:
    """Return the largest difference from the reference on RUNS drawn instances."""
    found = 0.0
    for _ in range(RUNS):
        arguments = draw(behaviour, rng)
        with np.errstate(all="ignore"):
            found = max(found, difference(function(*arguments), expected(behaviour, arguments)))
    return found
