import numpy as np


def additive(query, key, value, bias):
    with np.errstate(invalid="ignore"):
        scores = np.einsum("...id,...jd->...ij", query, key) / query.shape[-1] ** 0.5 + bias
        top = scores.max(-1, keepdims=True)
        top[np.isinf(top)] = 0.0
        w = np.exp(scores - top)
        total = w.sum(-1, keepdims=True)
        w = np.divide(w, total, out=np.zeros_like(w), where=total > 0)
    return np.einsum("...ij,...jd->...id", w, value)


def padding_bias(lengths, n):
    bias = np.zeros((len(lengths), 1, n))
    for b, length in enumerate(lengths):
        bias[b, 0, length:] = -np.inf
    return bias


def causal_bias(n):
    return np.triu(np.full((n, n), -np.inf), k=1)


def padding_attention(query, key, value, lengths):
    return additive(query, key, value, padding_bias(lengths, key.shape[1]))


def causal_attention(query, key, value):
    return additive(query, key, value, causal_bias(query.shape[-2]))


def causal_padding_attention(query, key, value, lengths):
    n = key.shape[1]
    return additive(query, key, value, padding_bias(lengths, n) + causal_bias(n))
