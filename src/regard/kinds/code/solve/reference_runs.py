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
    if behaviour in ("padding_attention", "causal_padding_attention"):
        arrays = [rng.standard_normal((n_q, n_k, width)) for width in (d_k, d_k, d_v)]
        return (*arrays, rng.integers(0, n_k + 1, n_q))
    if behaviour == "rotary":
        return rng.standard_normal((n_q, 2 * d_k)), rng.integers(0, 20, n_q)
    if behaviour == "copy_query":
        return np.eye(n_q, n_q + d_k), int(rng.integers(n_q))
    x = rng.standard_normal((n_q, n_k))
    if behaviour == "cross_attention":
        matrices = [rng.standard_normal((n_k, width)) for width in (d_k, d_k, d_v)]
        return (x, rng.standard_normal((n_q + 1, n_k)), *matrices)
    if behaviour == "split_head_attention":
        matrices = [rng.standard_normal((n_k, 3 * width)) for width in (d_k, d_k, d_v)]
        return (x, *matrices, rng.standard_normal((3 * d_v, n_k)), 3)
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
    if behaviour in ("padding_attention", "causal_padding_attention"):
        *arrays, lengths = arguments
        is_causal = behaviour.startswith("causal")
        return np.stack(
            [
                reference.attention(*one, key_lengths=int(length), is_causal=is_causal).output
                for *one, length in zip(*arrays, lengths, strict=True)
            ]
        )
    if behaviour == "rotary":
        return _turned(*arguments)
    if behaviour == "copy_query":
        key, index = arguments
        return np.eye(len(key))[index]
    if behaviour == "cross_attention":
        x, context, W_Q, W_K, W_V = arguments
        return reference.attention(x @ W_Q, context @ W_K, context @ W_V).output
    if behaviour == "split_head_attention":
        x, *matrices, W_O, n_heads = arguments
        W_Q, W_K, W_V = (np.stack(np.split(W, n_heads, axis=1)) for W in matrices)
        arguments = x, W_Q, W_K, W_V, W_O
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


def _turned(x: Float64, positions: Any) -> Float64:
    """Turn each pair as a complex number."""
    pairs = x[:, 0::2] + 1j * x[:, 1::2]
    d = x.shape[1]
    for i in range(d // 2):
        speed = math.exp(-2 * i / d * math.log(10000.0))
        pairs[:, i] *= np.exp(1j * speed * np.asarray(positions, float))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def outcome(behaviour: str, arguments: Arguments, returned: Any) -> Any:
    """Return what is compared: of a query, the weights that it has; else what was returned."""
    if behaviour != "copy_query":
        return returned
    key = arguments[0]
    return reference.attention(np.asarray(returned)[np.newaxis], key, np.eye(len(key))).weights[0]


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
            result = outcome(behaviour, arguments, function(*arguments))
        found = max(found, difference(result, expected(behaviour, arguments)))
    return found
