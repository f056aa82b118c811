import numpy as np


def _softmax(s):
    s = np.exp(s - s.max(axis=-1, keepdims=True))
    return s / s.sum(axis=-1, keepdims=True)


def _attend(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    weights = _softmax(np.where(mask, scores, -1e30))
    return np.where(mask, weights, 0) @ value


def padding_attention(query, key, value, lengths):
    batch, n, _ = key.shape
    mask = np.arange(n)[None, None, :] < lengths[:, None, None]
    return _attend(query, key, value, np.broadcast_to(mask, (batch, n, n)))


def causal_attention(query, key, value):
    n = query.shape[-2]
    return _attend(query, key, value, np.tri(n, dtype=bool))


def causal_padding_attention(query, key, value, lengths):
    batch, n, _ = key.shape
    mask = np.arange(n)[None, None, :] < lengths[:, None, None]
    return _attend(query, key, value, mask & np.tri(n, dtype=bool))
