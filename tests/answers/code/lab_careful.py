"""My solution. Tested at the bottom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NEGATIVE = np.finfo(np.float64).min


def softmax(x: Array) -> Array:
    x = np.asarray(x, dtype=np.float64)
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


class Attention:
    """Everything in one place."""

    def __init__(self, mask: NDArray[np.bool_] | None = None) -> None:
        self.mask = mask

    def __call__(self, query: Array, key: Array, value: Array) -> Array:
        scores = query @ np.swapaxes(key, -2, -1)
        scores = scores / np.sqrt(key.shape[-1])
        if self.mask is None:
            return softmax(scores) @ value
        weights = softmax(np.where(self.mask, scores, NEGATIVE))
        nothing = ~self.mask.any(axis=-1)
        weights[..., nothing, :] = 0.0
        return weights @ value


def attention(query: Array, key: Array, value: Array) -> Array:
    return Attention()(query, key, value)


def masked_attention(query: Array, key: Array, value: Array, mask: NDArray[np.bool_]) -> Array:
    return Attention(mask)(query, key, value)


def causal_attention(query: Array, key: Array, value: Array) -> Array:
    rows, columns = np.indices((query.shape[-2], key.shape[-2]))
    return Attention(columns <= rows)(query, key, value)


def self_attention(x: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return attention(x @ W_Q, x @ W_K, x @ W_V)


def multi_head_attention(x: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array) -> Array:
    heads = attention(x @ W_Q, x @ W_K, x @ W_V)
    return np.moveaxis(heads, 0, 1).reshape(x.shape[0], -1) @ W_O


def sinusoidal_positions(n: int, d_model: int) -> Array:
    if d_model % 2:
        raise ValueError("d_model must be even")
    powers = np.repeat(np.arange(0, d_model, 2), 2) / d_model
    angles = np.arange(n)[:, np.newaxis] / np.power(10000, powers)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return angles


def copy_query(key: Array, index: int) -> Array:
    return 40 * np.sqrt(key.shape[-1]) * key[index]


assert np.allclose(softmax(np.zeros(4)), 0.25)
assert sinusoidal_positions(2, 2)[0, 1] == 1
