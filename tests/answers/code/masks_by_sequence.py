import numpy as np


def one(q, k, v, keep):
    out = np.zeros((len(q), v.shape[-1]))
    for i in range(len(q)):
        js = np.flatnonzero(keep[i])
        if len(js):
            s = k[js] @ q[i] / np.sqrt(len(q[i]))
            w = np.exp(s - s.max())
            out[i] = w @ v[js] / w.sum()
    return out


def padding_attention(query, key, value, lengths):
    n = key.shape[1]
    rows = [np.tile(np.arange(n) < m, (n, 1)) for m in lengths]
    return np.array([one(q, k, v, r) for q, k, v, r in zip(query, key, value, rows)])


def causal_attention(query, key, value):
    if query.ndim > 2:
        return np.array([causal_attention(*args) for args in zip(query, key, value)])
    return one(query, key, value, np.tri(len(query)) > 0)


def causal_padding_attention(query, key, value, lengths):
    out = np.zeros(value.shape)
    for b, m in enumerate(lengths):
        n = key.shape[1]
        keep = np.tri(n) > 0
        keep[:, m:] = False
        out[b] = one(query[b], key[b], value[b], keep)
    return out
