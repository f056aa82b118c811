import numpy as np

softmax = lambda x: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(x - x.max(-1, keepdims=True)))
attention = lambda query, key, value: (
    softmax(query @ np.moveaxis(key, -1, -2) / key.shape[-1] ** 0.5) @ value
)


def masked_attention(query, key, value, mask):
    s = query @ np.moveaxis(key, -1, -2) / key.shape[-1] ** 0.5
    e = (
        np.exp(s - np.where(mask, s, -np.inf).max(-1, keepdims=True, initial=-1e300))
        if mask.all()
        else None
    )
    if e is None:
        m = np.max(np.where(mask, s, np.finfo(float).min), -1, keepdims=True)
        e = np.exp(np.where(mask, s - m, -np.inf))
    t = e.sum(-1, keepdims=True)
    return np.where(t > 0, e / np.maximum(t, 1e-300), 0) @ value


causal_attention = lambda query, key, value: masked_attention(
    query, key, value, np.tri(query.shape[-2]).astype(bool)
)
self_attention = lambda x, W_Q, W_K, W_V: attention(*(x @ W for W in (W_Q, W_K, W_V)))
multi_head_attention = lambda x, W_Q, W_K, W_V, W_O: (
    np.hstack([*attention(x @ W_Q, x @ W_K, x @ W_V)]) @ W_O
)


def sinusoidal_positions(n, d_model):
    return np.array(
        [
            [(np.sin, np.cos)[j % 2](t / 10000 ** (j // 2 * 2 / d_model)) for j in range(d_model)]
            for t in range(n)
        ]
    )


copy_query = lambda key, index: key[index] * 1e6
