r"""Short NumPy functions, one for each behaviour that a lab may ask for.

A body is written under the names of `regard.kinds.code.spec.PARAMETERS` and calls other
behaviours by their names; both are renamed to what a lab calls them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One function.

    Attributes:
        body: the lines of the function, not indented.
        calls: the behaviours that the body calls.
    """

    body: str
    calls: tuple[str, ...] = ()


CATALOGUE: dict[str, Entry] = {
    "softmax": Entry(
        """\
powers = np.exp(x - x.max(axis=-1, keepdims=True))  # at most 1
return powers / powers.sum(axis=-1, keepdims=True)  # rows sum to 1
""",
    ),
    "attention": Entry(
        """\
# (..., n_q, n_k)
scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
weights = softmax(scores)  # rows sum to 1
return weights @ value  # (..., n_q, d_v)
""",
        ("softmax",),
    ),
    "masked_attention": Entry(
        """\
# (..., n_q, n_k)
scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
scores = np.where(mask, scores, -np.inf)
largest = scores.max(axis=-1, keepdims=True)
largest = np.where(np.isinf(largest), 0, largest)
powers = np.exp(scores - largest)  # 0 where masked
total = powers.sum(axis=-1, keepdims=True)  # 0 where all is masked
weights = powers / np.where(total == 0, 1, total)
return weights @ value  # (..., n_q, d_v)
""",
    ),
    "causal_attention": Entry(
        """\
# True where j <= i
mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
return masked_attention(query, key, value, mask)
""",
        ("masked_attention",),
    ),
    "self_attention": Entry(
        """\
return attention(x @ W_Q, x @ W_K, x @ W_V)  # (n, d_v)
""",
        ("attention",),
    ),
    "multi_head_attention": Entry(
        """\
# each (n, d_v)
heads = [self_attention(x, *one) for one in zip(W_Q, W_K, W_V)]
# (n, n_heads * d_v) times (n_heads * d_v, d_model)
return np.concatenate(heads, axis=-1) @ W_O
""",
        ("self_attention",),
    ),
    "sinusoidal_positions": Entry(
        """\
# (d_model / 2,)
frequencies = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
angles = np.arange(n)[:, np.newaxis] * frequencies  # (n, d_model / 2)
positions = np.empty((n, d_model))
positions[:, 0::2] = np.sin(angles)
positions[:, 1::2] = np.cos(angles)
return positions
""",
    ),
    "cross_attention": Entry(
        """\
return attention(x @ W_Q, context @ W_K, context @ W_V)  # (n_q, d_v)
""",
        ("attention",),
    ),
    "padding_attention": Entry(
        """\
real = np.arange(key.shape[-2]) < lengths[:, np.newaxis]  # (batch, n)
return masked_attention(query, key, value, real[:, np.newaxis, :])
""",
        ("masked_attention",),
    ),
    "causal_padding_attention": Entry(
        """\
real = np.arange(key.shape[-2]) < lengths[:, np.newaxis]  # (batch, n)
past = np.tri(query.shape[-2], key.shape[-2], dtype=bool)  # (n, n)
mask = real[:, np.newaxis, :] & past
return masked_attention(query, key, value, mask)
""",
        ("masked_attention",),
    ),
    "split_head_attention": Entry(
        """\
# (n, n_heads, width), then (n_heads, n, width)
query = (x @ W_Q).reshape(len(x), n_heads, -1).swapaxes(0, 1)
key = (x @ W_K).reshape(len(x), n_heads, -1).swapaxes(0, 1)
value = (x @ W_V).reshape(len(x), n_heads, -1).swapaxes(0, 1)
heads = attention(query, key, value)  # (n_heads, n, d_v)
return heads.swapaxes(0, 1).reshape(len(x), -1) @ W_O
""",
        ("attention",),
    ),
    "rotary": Entry(
        """\
d = x.shape[-1]
frequencies = 10000.0 ** (-np.arange(0, d, 2) / d)  # (d / 2,)
angles = positions[:, np.newaxis] * frequencies  # (n, d / 2)
a, b = x[..., 0::2], x[..., 1::2]
turned = np.empty(x.shape)
turned[..., 0::2] = a * np.cos(angles) - b * np.sin(angles)
turned[..., 1::2] = a * np.sin(angles) + b * np.cos(angles)
return turned
""",
    ),
    "copy_query": Entry(
        """\
return 60 * np.sqrt(key.shape[-1]) * key[index]  # its score is 60
""",
    ),
}
