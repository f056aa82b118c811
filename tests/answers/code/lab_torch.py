import torch


def softmax(x):
    return torch.softmax(x, dim=-1)


def attention(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return softmax(scores) @ value


def masked_attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(softmax(scores))
    return weights @ value


def causal_attention(query, key, value):
    n = query.shape[-2]
    return masked_attention(query, key, value, torch.tril(torch.ones(n, n, dtype=torch.bool)))


def self_attention(x, W_Q, W_K, W_V):
    return attention(x @ W_Q, x @ W_K, x @ W_V)


def multi_head_attention(x, W_Q, W_K, W_V, W_O):
    heads = attention(x @ W_Q, x @ W_K, x @ W_V)  # (n_heads, n, d_v)
    return heads.transpose(0, 1).reshape(len(x), -1) @ W_O


def sinusoidal_positions(n, d_model):
    t = torch.arange(n).unsqueeze(1)
    w = torch.exp(torch.arange(0, d_model, 2) * (-torch.log(torch.tensor(10000.0)) / d_model))
    pe = torch.zeros(n, d_model)
    pe[:, 0::2] = torch.sin(t * w)
    pe[:, 1::2] = torch.cos(t * w)
    return pe


def copy_query(key, index):
    return 500.0 * key[index]
