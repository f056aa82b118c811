"""What is counted, and how."""

from __future__ import annotations

from typing import Literal

from regard.problems.fields import Part


class Conventions(Part):
    """What is counted, and how; every answer prints them.

    Attributes:
        biases: whether projections and feed-forward layers have biases.
        norms: two per block and one at the end of a model: "layer" has 2 d numbers, "rms" d.
        tied: whether the unembedding is the embedding.
        feed_forward: "plain" has two matrices, "gated" (SwiGLU) three.
        output_projection: whether there is a W_O.
        causal: true: a query attends to itself and what is before it, n (n + 1)/2 pairs; "half":
            half of all pairs, as is often estimated.
        flops: for each multiplication in a product of matrices: 2, 1, or "exact" for
            multiplications plus additions.
        weights_in_memory: whether the matrix of weights is written and read (scores written, read,
            weights written, read) where bytes are moved.
        training_attention: whether 6 P T has the term 12 L d n T of attention added.
        rolling_cache: whether the cache keeps the keys of a `window` alone, and not all.
        prefixes: what KB, MB and GB are in answers: "decimal", 10³, or "binary", 2¹⁰ (KiB, MiB and
            GiB are always binary).
    """

    biases: bool = False
    norms: Literal["none", "layer", "rms"] = "none"
    tied: bool = False
    feed_forward: Literal["plain", "gated"] = "plain"
    output_projection: bool = True
    causal: Literal[False, True, "half"] = False
    flops: Literal[2, 1, "exact"] = 2
    weights_in_memory: bool = False
    training_attention: bool = False
    rolling_cache: bool = False
    prefixes: Literal["decimal", "binary"] = "decimal"
