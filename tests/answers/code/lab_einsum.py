"""Lab 3, with einsum throughout."""

import numpy


def softmax(x):
    shifted = x - x.max(-1)[..., None]
    numpy.exp(shifted, out=shifted)
    return shifted / shifted.sum(-1)[..., None]


def _scores(query, key):
    return numpy.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5


def attention(query, key, value):
    return numpy.einsum("...qk,...kv->...qv", softmax(_scores(query, key)), value)


def masked_attention(query, key, value, mask):
    scores = _scores(query, key)
    scores[..., ~mask] = -numpy.inf
    some = mask.any(axis=-1)
    weights = numpy.zeros(scores.shape)
    weights[..., some, :] = softmax(scores[..., some, :])
    return numpy.einsum("...qk,...kv->...qv", weights, value)


def causal_attention(query, key, value):
    n = key.shape[-2]
    return masked_attention(query, key, value, numpy.arange(n) <= numpy.arange(n)[:, None])


def self_attention(x, W_Q, W_K, W_V):
    q, k, v = (numpy.einsum("nm,md->nd", x, W) for W in (W_Q, W_K, W_V))
    return attention(q, k, v)


def multi_head_attention(x, W_Q, W_K, W_V, W_O):
    q, k, v = (numpy.einsum("nm,hmd->hnd", x, W) for W in (W_Q, W_K, W_V))
    out = attention(q, k, v)  # heads in front
    h, n, d = out.shape
    return numpy.einsum("hnd,hdm->nm", out, W_O.reshape(h, d, -1))


def sinusoidal_positions(n, d_model):
    angles = numpy.outer(numpy.arange(n), 1 / 10000 ** (2 * numpy.arange(d_model // 2) / d_model))
    return numpy.stack([numpy.sin(angles), numpy.cos(angles)], axis=-1).reshape(n, d_model)


def copy_query(key, index):
    one_hot = numpy.zeros(len(key))
    one_hot[index] = 50 * numpy.sqrt(key.shape[1])
    return numpy.linalg.pinv(key) @ one_hot
