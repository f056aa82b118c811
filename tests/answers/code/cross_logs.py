import numpy as np


def attention(query, key, value):
    """Softmax by logs: w = exp(s - log sum exp s)."""
    s = np.einsum("...ik,...jk->...ij", query, key) / np.sqrt(query.shape[-1])
    m = s.max(-1, keepdims=True)
    lse = m + np.log(np.exp(s - m).sum(-1, keepdims=True))
    return np.exp(s - lse) @ value


def cross_attention(x, context, W_Q, W_K, W_V):
    # (x W_Q)(c W_K)^T = x (W_Q W_K^T) c^T, the scale still wants d_k
    q = x @ (W_Q @ W_K.T) * np.sqrt(context.shape[-1]) / np.sqrt(W_K.shape[-1])
    return attention(q, context, context) @ W_V
