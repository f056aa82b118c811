import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(query, key, value):
    d_k = query.shape[-1]
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) / np.sqrt(d_k)
    return np.matmul(softmax(scores), value)


def masked_attention(query, key, value, mask):
    d_k = query.shape[-1]
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) / np.sqrt(d_k)
    scores = np.where(mask, scores, -1e30)
    weights = softmax(scores) * mask  # rows with nothing allowed become zero
    return np.matmul(weights, value)


def causal_attention(query, key, value):
    n = query.shape[-2]
    mask = np.tril(np.ones((n, n), dtype=bool))
    return masked_attention(query, key, value, mask)


def self_attention(x, W_Q, W_K, W_V):
    return attention(x @ W_Q, x @ W_K, x @ W_V)


def multi_head_attention(x, W_Q, W_K, W_V, W_O):
    heads = []
    for h in range(W_Q.shape[0]):
        heads.append(self_attention(x, W_Q[h], W_K[h], W_V[h]))
    return np.concatenate(heads, axis=-1) @ W_O


def sinusoidal_positions(n, d_model):
    pe = np.zeros((n, d_model))
    pos = np.arange(n)[:, None]
    div = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)
    return pe


def copy_query(key, index):
    return 1000 * key[index]
