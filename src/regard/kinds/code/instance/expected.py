"""What a function of each behaviour must return, by the loops of `core.reference`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core import reference

Float64 = NDArray[np.float64]
Arguments = tuple[Any, ...]
BASE = 10000.0


def expected(behaviour: str, arguments: Arguments) -> Float64:
    """Return what a function must return; of `copy_query`, the weights of its query."""
    if behaviour == "softmax":
        return _softmax(*arguments)
    if behaviour in ("attention", "masked_attention"):
        return reference.attention(*arguments).output
    if behaviour == "causal_attention":
        return reference.attention(*arguments, is_causal=True).output
    if behaviour in ("padding_attention", "causal_padding_attention"):
        return _padded(*arguments, is_causal=behaviour.startswith("causal"))
    if behaviour == "self_attention":
        x, W_Q, W_K, W_V = arguments
        return reference.attention(x @ W_Q, x @ W_K, x @ W_V).output
    if behaviour == "cross_attention":
        x, context, W_Q, W_K, W_V = arguments
        return reference.attention(x @ W_Q, context @ W_K, context @ W_V).output
    if behaviour == "multi_head_attention":
        return _heads(*arguments)
    if behaviour == "split_head_attention":
        x, W_Q, W_K, W_V, W_O, n_heads = arguments
        W_Q, W_K, W_V = (np.stack(np.split(W, n_heads, axis=1)) for W in (W_Q, W_K, W_V))
        return _heads(x, W_Q, W_K, W_V, W_O)
    if behaviour == "sinusoidal_positions":
        return _positions(*arguments)
    if behaviour == "rotary":
        return _rotary(*arguments)
    key, index = arguments
    return np.eye(len(key))[index]


def compared(behaviour: str, arguments: Arguments, value: Any) -> Any:
    """Return what is compared with `expected`: what a function returned, or what that does."""
    if behaviour != "copy_query":
        return value
    key = arguments[0]
    if not isinstance(value, np.ndarray) or value.shape != key.shape[1:]:
        return None  # no query, whatever its numbers are
    if not np.isfinite(value).all():
        return np.full(len(key), np.nan)
    return reference.attention(value[np.newaxis], key, np.eye(len(key))).weights[0]


def shape_of(behaviour: str, arguments: Arguments, wanted: Float64) -> tuple[int, ...]:
    """Return the shape of what a function must return."""
    return tuple(arguments[0].shape[1:]) if behaviour == "copy_query" else wanted.shape


def _softmax(x: Float64) -> Float64:
    identity = np.eye(x.shape[-1])
    rows = x.reshape(-1, x.shape[-1])
    return reference.attention(rows, identity, identity, scale=1.0).weights.reshape(x.shape)


def _padded(
    query: Float64, key: Float64, value: Float64, lengths: Any, *, is_causal: bool
) -> Float64:
    rows = [
        reference.attention(q, k, v, is_causal=is_causal, key_lengths=int(length)).output
        for q, k, v, length in zip(query, key, value, lengths, strict=True)
    ]
    return np.stack(rows)


def _heads(x: Float64, W_Q: Float64, W_K: Float64, W_V: Float64, W_O: Float64) -> Float64:
    total = np.zeros((len(x), W_O.shape[1]))
    d_v = W_V.shape[-1]
    for h in range(len(W_Q)):
        head = reference.attention(x @ W_Q[h], x @ W_K[h], x @ W_V[h]).output
        total += head @ W_O[h * d_v : (h + 1) * d_v]
    return total


def _angle(t: float, i: int, d: int) -> float:
    return t * math.exp(-2 * i / d * math.log(BASE))


def _positions(n: int, d_model: int) -> Float64:
    table = np.zeros((n, d_model))
    for t in range(n):
        for i in range(d_model // 2):
            angle = _angle(t, i, d_model)
            table[t, 2 * i : 2 * i + 2] = math.sin(angle), math.cos(angle)
    return table


def _rotary(x: Float64, positions: Any) -> Float64:
    turned = np.zeros(x.shape)
    d = x.shape[-1]
    for at in np.ndindex(x.shape[:-1]):
        for i in range(d // 2):
            angle = _angle(float(positions[at[-1]]), i, d)
            a, b = x[*at, 2 * i], x[*at, 2 * i + 1]
            turned[*at, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            turned[*at, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return turned
