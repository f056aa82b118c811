# slow but safe :)
import numpy as np
import math


def softmax(x):
    x = np.array(x, dtype=float)
    flat = x.reshape(-1, x.shape[-1])
    out = []
    for row in flat:
        m = max(row)
        exps = [math.exp(v - m) for v in row]
        s = sum(exps)
        out.append([e / s for e in exps])
    return np.array(out).reshape(x.shape)


def attention(query, key, value):
    everything = np.ones((query.shape[-2], key.shape[-2]), dtype=bool)
    return masked_attention(query, key, value, everything)


def masked_attention(query, key, value, mask):
    if query.ndim > 2:
        return np.stack([masked_attention(q, k, v, mask) for q, k, v in zip(query, key, value)])
    n_q, d_k = query.shape
    out = np.zeros((n_q, value.shape[1]))
    for i in range(n_q):
        allowed = [j for j in range(len(key)) if mask[i, j]]
        if not allowed:
            continue
        scores = np.array([np.dot(query[i], key[j]) / math.sqrt(d_k) for j in allowed])
        weights = softmax(scores)
        for w, j in zip(weights, allowed):
            out[i] = out[i] + w * value[j]
    return out


def causal_attention(query, key, value):
    n = query.shape[-2]
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            mask[i, j] = True
    return masked_attention(query, key, value, mask)


def self_attention(x, W_Q, W_K, W_V):
    Q = np.dot(x, W_Q)
    K = np.dot(x, W_K)
    V = np.dot(x, W_V)
    return attention(Q, K, V)


def multi_head_attention(x, W_Q, W_K, W_V, W_O):
    result = None
    for h in range(len(W_Q)):
        head = self_attention(x, W_Q[h], W_K[h], W_V[h])
        if result is None:
            result = head
        else:
            result = np.hstack((result, head))
    return np.dot(result, W_O)


def sinusoidal_positions(n, d_model):
    pe = np.zeros((n, d_model))
    for t in range(n):
        for i in range(0, d_model, 2):
            pe[t][i] = math.sin(t / (10000 ** (i / d_model)))
            pe[t][i + 1] = math.cos(t / (10000 ** (i / d_model)))
    return pe


def copy_query(key, index):
    others = sum(key[j] for j in range(len(key)) if j != index)
    return 200.0 * key[index] - 10.0 * others


if __name__ == "__main__":
    print(softmax([1, 2, 3]))
