r"""What each function of the catalogue computes, and how it works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What is told of one function.

    Attributes:
        title: what it is.
        formula: what it computes, as LaTeX.
        why: how it works, in a sentence or two with $math$.
        more: further steps of the way there: sentences, each with a formula.
    """

    title: str
    formula: str
    why: str
    more: tuple[tuple[str, str], ...] = ()


WORDS: dict[str, Words] = {
    "softmax": Words(
        "Softmax",
        r"\operatorname{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}"
        r" = \frac{e^{x_i - \max x}}{\sum_j e^{x_j - \max x}}",
        "The same number may be taken from every entry, because it cancels. With the largest one "
        "taken away, no power is above 1 and none overflows.",
    ),
    "attention": Words(
        "Attention",
        r"C = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
        "Entry $i, j$ of $Q K^\\top$ is the score $q_i^\\top k_j$. The softmax of a row makes the "
        "scores weights, and the product with $V$ averages the values with them.",
    ),
    "masked_attention": Words(
        "Masked attention",
        r"a_{i,j} = \frac{m_{i,j}\, e^{s_{i,j}}}{\sum_l m_{i,l}\, e^{s_{i,l}}},\quad"
        r" s_{i,j} = \frac{q_i^\top k_j}{\sqrt{d_k}}",
        "A score of $-\\infty$ has the power 0: the key gets no weight, and the other weights are "
        "those of attention without it. A row of which nothing is left has the sum 0; it is "
        "divided by 1 instead, so that its output is 0 and not 0/0.",
    ),
    "causal_attention": Words(
        "Causal attention",
        r"m_{i,j} = 1 \text{ if } j \le i,\quad m_{i,j} = 0 \text{ if } j > i",
        "Position $i$ sees itself and what came before it: a mask that is True on and below the "
        "diagonal.",
    ),
    "self_attention": Words(
        "Self-attention",
        r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V",
        "Tokens are rows, so the matrices stand on the right: each token makes its own query, key "
        "and value.",
    ),
    "multi_head_attention": Words(
        "Several heads",
        r"\begin{bmatrix} C_1 & C_2 & \cdots & C_h \end{bmatrix} W_O",
        "Each head attends on its own, with its own matrices. Their outputs stand side by side, "
        "$h \\cdot d_v$ numbers for each token, and $W_O$ mixes them.",
    ),
    "sinusoidal_positions": Words(
        "Sinusoidal positions",
        r"e_{t,2i} = \sin(w_i t),\quad e_{t,2i+1} = \cos(w_i t),\quad w_i = 10000^{-2i/d_{model}}",
        "Every second column is a sine and the column after it a cosine of the same frequency. "
        "Frequencies fall from 1 to nearly 1/10000.",
    ),
    "cross_attention": Words(
        "Cross-attention",
        r"Q = X W_Q,\quad K = Y W_K,\quad V = Y W_V",
        "The tokens of one sequence ask, and those of another, the context $Y$, are asked: only "
        "the queries are made of $X$.",
    ),
    "padding_attention": Words(
        "Attention with padding",
        r"m_{b,j} = 1 \text{ if } j < l_b,\quad m_{b,j} = 0 \text{ if } j \ge l_b",
        "The keys of sequence $b$ from place $l_b$ on are padding: no query may attend to them. "
        "The mask has one row for each sequence, which holds for all of its queries.",
    ),
    "causal_padding_attention": Words(
        "Causal attention with padding",
        r"m_{b,i,j} = 1 \text{ if } j \le i \text{ and } j < l_b,\quad 0 \text{ otherwise}",
        "Both rules have to hold, so the masks are joined by *and*.",
    ),
    "split_head_attention": Words(
        "Several heads out of one matrix",
        r"X W_Q = \begin{bmatrix} Q_1 & Q_2 & \cdots & Q_h \end{bmatrix}",
        "The columns are cut into heads: reshape to (n, heads, width), and only then bring the "
        "axis of heads to the front. Back the same way, and $W_O$ mixes.",
    ),
    "rotary": Words(
        "Rotary positions",
        r"(a, b) \mapsto (a \cos(w_i t) - b \sin(w_i t),\quad a \sin(w_i t) + b \cos(w_i t)),"
        r"\quad w_i = 10000^{-2i/d}",
        "Each pair of neighbouring entries is a point in a plane, turned by an angle that grows "
        "with the position. Scores of turned queries and keys depend on the distance alone.",
        (
            (
                "**Complex numbers.** A turn is a product with a complex number of length 1.",
                r"a + i b \mapsto e^{i w t} (a + i b)",
            ),
            (
                "**Scores.** In a score the turns of query and key leave their difference: only "
                "the distance between the positions matters.",
                r"e^{i w s} e^{-i w t} = e^{i w (s - t)}",
            ),
        ),
    ),
    "copy_query": Words(
        "A query that copies",
        r"q = C \sqrt{d_k}\, k_i,\quad s_i = C,\quad s_j = 0",
        "Keys of length 1 at right angles score 0 for each other. With $C = 60$ the other weights "
        "are $e^{-60}$ of that of key $i$.",
    ),
}
