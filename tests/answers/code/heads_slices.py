import numpy as np


def multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads):
    d_k = W_Q.shape[1] // n_heads
    d_v = W_V.shape[1] // n_heads
    total = 0
    for h in range(n_heads):
        q = x @ W_Q[:, h * d_k : (h + 1) * d_k]
        k = x @ W_K[:, h * d_k : (h + 1) * d_k]
        v = x @ W_V[:, h * d_v : (h + 1) * d_v]
        s = q @ k.T / np.sqrt(d_k)
        w = np.exp(s - s.max(axis=1, keepdims=True))
        w = w / w.sum(axis=1, keepdims=True)
        # each head has its own rows of W_O, so the outputs can be added
        total = total + w @ v @ W_O[h * d_v : (h + 1) * d_v]
    return total
