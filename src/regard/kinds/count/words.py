"""Conventions and quantities in words."""

from __future__ import annotations

from regard.kinds.count.spec import CountGiven

THINGS = {
    "product": "a product of two matrices",
    "head": "one head, with its queries, keys and values given",
    "attention": "attention with its projections",
    "feed_forward": "a feed-forward layer",
    "block": "a block of attention and a feed-forward layer",
    "model": "a whole model",
}


def conventions_in_words(given: CountGiven) -> list[str]:
    """Return what is counted and how, in the order of the conventions."""
    said, now = [], given.conventions
    said.append("with biases" if now.biases else "without biases")
    if given.of in ("block", "model"):
        norms = {
            "none": "norm parameters left out",
            "layer": "layer norms of 2 d_model numbers, two per block",
            "rms": "RMS norms of d_model numbers, two per block",
        }
        last = " and one at the end" if given.of == "model" and now.norms != "none" else ""
        said.append(norms[now.norms] + last)
    if given.of == "model":
        said.append(
            "embedding and unembedding are one table"
            if now.tied
            else "embedding and unembedding are two tables"
        )
    if given.of in ("feed_forward", "block", "model"):
        gated = now.feed_forward == "gated"
        said.append(
            "a gated feed-forward layer of three matrices"
            if gated
            else "a feed-forward layer of two matrices"
        )
    if given.of in ("attention", "block", "model"):
        said.append("with W_O" if now.output_projection else "without W_O")
    if given.n is not None:
        pairs = {
            False: "every query attends to every key",
            True: "causal: n (n + 1)/2 pairs of a query and a key",
            "half": "causal, estimated as half of all pairs",
        }
        said.append(
            pairs[now.causal]
            if given.window is None
            else "causal, and a query sees a window of keys: row i has min(i, window) pairs"
        )
        flops = {
            2: "2 FLOPs for each multiplication",
            1: "1 FLOP for each multiplication",
            "exact": "FLOPs are multiplications plus additions",
        }
        said.append(f"{flops[now.flops]}, matrix products only")
        if given.bytes is not None and now.weights_in_memory:
            said.append("the matrix of weights goes through memory four times")
    if given.window is not None:
        kept = "of the window alone" if now.rolling_cache else "of every position"
        said.append(f"a cache keeps the keys and values {kept}")
    if given.tokens is not None:
        term = " and 12 L d_model n per token for attention" if now.training_attention else ""
        said.append(f"training takes 6 FLOPs per parameter and token{term}")
    if given.bytes is not None:
        mega = "2^20" if now.prefixes == "binary" else "10^6"
        said.append(f"MiB = 2^20 bytes and MB = {mega} bytes")
    return said
