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
        title: what it is.
        formula: what it computes, as LaTeX.
        why: how it works, in a sentence or two with $math$.
        body: the lines of the function, not indented.
        calls: the behaviours that the body calls.
        more: further steps of the way there: sentences, each with a formula.
    """

    title: str
    formula: str
    why: str
    body: str
    calls: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()


CATALOGUE: dict[str, Entry] = {
    "softmax": Entry(
        "Softmax",
        r"\operatorname{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}"
        r" = \frac{e^{x_i - \max x}}{\sum_j e^{x_j - \max x}}",
        "The same number may be taken from every entry, because it cancels. With the largest one "
        "taken away, no power is above 1 and none overflows.",
        """\
powers = np.exp(x - x.max(axis=-1, keepdims=True))  # at most 1
return powers / powers.sum(axis=-1, keepdims=True)  # rows sum to 1
""",
    ),
    "attention": Entry(
        "Attention",
        r"C = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
        "Entry $i, j$ of $Q K^\\top$ is the score $q_i^\\top k_j$. The softmax of a row makes the "
        "scores weights, and the product with $V$ averages the values with them.",
        """\
# (..., n_q, n_k)
scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
weights = softmax(scores)  # rows sum to 1
return weights @ value  # (..., n_q, d_v)
""",
        ("softmax",),
    ),
    "masked_attention": Entry(
        "Masked attention",
        r"a_{i,j} = \frac{m_{i,j}\, e^{s_{i,j}}}{\sum_l m_{i,l}\, e^{s_{i,l}}},\quad"
        r" s_{i,j} = \frac{q_i^\top k_j}{\sqrt{d_k}}",
        "A score of $-\\infty$ has the power 0: the key gets no weight, and the other weights are "
        "those of attention without it. A row of which nothing is left has the sum 0; it is "
        "divided by 1 instead, so that its output is 0 and not 0/0.",
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
        "Causal attention",
        r"m_{i,j} = 1 \text{ if } j \le i,\quad m_{i,j} = 0 \text{ if } j > i",
        "Position $i$ sees itself and what came before it: a mask that is True on and below the "
        "diagonal.",
        """\
# True where j <= i
mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
return masked_attention(query, key, value, mask)
""",
        ("masked_attention",),
    ),
    "self_attention": Entry(
        "Self-attention",
        r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V",
        "Tokens are rows, so the matrices stand on the right: each token makes its own query, key "
        "and value.",
        """\
return attention(x @ W_Q, x @ W_K, x @ W_V)  # (n, d_v)
""",
        ("attention",),
    ),
    "multi_head_attention": Entry(
        "Several heads",
        r"\begin{bmatrix} C_1 & C_2 & \cdots & C_h \end{bmatrix} W_O",
        "Each head attends on its own, with its own matrices. Their outputs stand side by side, "
        "$h \\cdot d_v$ numbers for each token, and $W_O$ mixes them.",
        """\
# each (n, d_v)
heads = [self_attention(x, *one) for one in zip(W_Q, W_K, W_V)]
# (n, n_heads * d_v) times (n_heads * d_v, d_model)
return np.concatenate(heads, axis=-1) @ W_O
""",
        ("self_attention",),
    ),
    "sinusoidal_positions": Entry(
        "Sinusoidal positions",
        r"e_{t,2i} = \sin(w_i t),\quad e_{t,2i+1} = \cos(w_i t),\quad w_i = 10000^{-2i/d_{model}}",
        "Every second column is a sine and the column after it a cosine of the same frequency. "
        "Frequencies fall from 1 to nearly 1/10000.",
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
        "Cross-attention",
        r"Q = X W_Q,\quad K = Y W_K,\quad V = Y W_V",
        "The tokens of one sequence ask, and those of another, the context $Y$, are asked: only "
        "the queries are made of $X$.",
        """\
return attention(x @ W_Q, context @ W_K, context @ W_V)  # (n_q, d_v)
""",
        ("attention",),
    ),
    "padding_attention": Entry(
        "Attention with padding",
        r"m_{b,j} = 1 \text{ if } j < l_b,\quad m_{b,j} = 0 \text{ if } j \ge l_b",
        "The keys of sequence $b$ from place $l_b$ on are padding: no query may attend to them. "
        "The mask has one row for each sequence, which holds for all of its queries.",
        """\
real = np.arange(key.shape[-2]) < lengths[:, np.newaxis]  # (batch, n)
return masked_attention(query, key, value, real[:, np.newaxis, :])
""",
        ("masked_attention",),
    ),
    "causal_padding_attention": Entry(
        "Causal attention with padding",
        r"m_{b,i,j} = 1 \text{ if } j \le i \text{ and } j < l_b,\quad 0 \text{ otherwise}",
        "Both rules have to hold, so the masks are joined by *and*.",
        """\
real = np.arange(key.shape[-2]) < lengths[:, np.newaxis]  # (batch, n)
past = np.tri(query.shape[-2], key.shape[-2], dtype=bool)  # (n, n)
mask = real[:, np.newaxis, :] & past
return masked_attention(query, key, value, mask)
""",
        ("masked_attention",),
    ),
    "split_head_attention": Entry(
        "Several heads out of one matrix",
        r"X W_Q = \begin{bmatrix} Q_1 & Q_2 & \cdots & Q_h \end{bmatrix}",
        "The columns are cut into heads: reshape to (n, heads, width), and only then bring the "
        "axis of heads to the front. Back the same way, and $W_O$ mixes.",
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
        "Rotary positions",
        r"(a, b) \mapsto (a \cos(w_i t) - b \sin(w_i t),\quad a \sin(w_i t) + b \cos(w_i t)),"
        r"\quad w_i = 10000^{-2i/d}",
        "Each pair of neighbouring entries is a point in a plane, turned by an angle that grows "
        "with the position. Scores of turned queries and keys depend on the distance alone.",
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
        more=(
            (
                "As complex numbers, a turn is a product with a number of length 1.",
                r"a + i b \mapsto e^{i w t} (a + i b)",
            ),
            (
                "In a score the turns of query and key leave their difference: only the distance "
                "between the positions matters.",
                r"e^{i w s} e^{-i w t} = e^{i w (s - t)}",
            ),
        ),
    ),
    "copy_query": Entry(
        "A query that copies",
        r"q = C \sqrt{d_k}\, k_i,\quad s_i = C,\quad s_j = 0",
        "Keys of length 1 at right angles score 0 for each other. With $C = 60$ the other weights "
        "are $e^{-60}$ of that of key $i$.",
        """\
return 60 * np.sqrt(key.shape[-1]) * key[index]  # its score is 60
""",
    ),
}
