import numpy as np


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def split(a, n_heads):
    n, width = a.shape
    return a.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)


def multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = split(x @ W_Q, n_heads), split(x @ W_K, n_heads), split(x @ W_V, n_heads)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    heads = softmax(scores) @ V
    merged = heads.transpose(1, 0, 2).reshape(x.shape[0], -1)
    return merged @ W_O
