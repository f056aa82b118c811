"""Scaled dot-product attention, and the scores, weights and log-sum-exp inside it.

scores  s_ij = scale · query_i · key_j       what may not be attended to: -inf
weights w_ij = exp(s_ij) / Σ_j exp(s_ij)     rows sum to 1
output  o_i  = Σ_j w_ij · value_j
lse     l_i  = log Σ_j exp(s_ij)
"""

from __future__ import annotations

from typing import Any, Never

from regard.core.call import Call, Rules
from regard.core.eager import eager
from regard.core.kernels import native
from regard.shapes import choice
from regard.shapes.other_words import KNOWN, known_words, refuse


@eager
@known_words
def attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    causal_offset: Any = 0,
    window: tuple[int | None, int | None] | None = None,
    key_lengths: Any = None,
    softcap: float | None = None,
    **other: Never,
) -> Any:
    """Average the values, weighted by how well each key matches the query.

    softmax(scale · query · keyᵀ) · value, in memory that does not grow with n_q · n_k.

    Args:
        query: (..., n_q, d_k). Axis -3, where there is one, counts heads; the
            axes before it are batch axes, and broadcast.
        key: (..., n_k, d_k). Its heads may be fewer: they divide those of the query.
        value: (..., n_k, d_v). Likewise.
        mask: broadcasts to the scores (..., n_q, n_k). Boolean: True = may attend.
            Float: added to the scores.
        scale: multiplies the scores. None is 1/sqrt(d_k).
        is_causal: query i may attend to keys j ≤ i + causal_offset only.
        causal_offset: a whole number, or one per batch. n_k - n_q lines up the
            last query with the last key.
        window: (left, right): query i may attend to keys from
            i + causal_offset - left to i + causal_offset + right; None = no limit.
        key_lengths: a whole number, or one per batch: keys from there on are padding.
        softcap: replaces a score s by softcap · tanh(s / softcap), before the mask.

    Returns:
        (..., n_q, d_v), an array of the query's library, in the dtype that came in.
        A query that may attend to nothing gets 0.

    Raises:
        ShapeError: the shapes do not fit.
        ParameterError: any other argument that cannot be used.

    Guarantee: the same bits whatever the batch size and the number of threads.
    float16 and bfloat16 are computed in float32. NaN propagates from what is
    attended to, and from nothing else.

    Example:
        Scores 0 and log 3 give the weights 1/4 and 3/4:

        >>> import numpy as np, regard
        >>> regard.attention([[np.log(3)]], [[0], [1]], [[10], [20]], scale=1).round(12)
        array([[17.5]])
    """
    if other:
        refuse("attention", other, KNOWN)
    if mask is None and softcap is None and native.straight is not None:
        rules = (scale, is_causal, causal_offset, window, key_lengths)
        quick = native.straight(query, key, value, *rules, 0)
        if quick is not None:
            return quick
    call = Call(
        "attention",
        {"query": query, "key": key, "value": value},
        mask,
        Rules(scale, is_causal, causal_offset, window, key_lengths, softcap),
    )
    return call.give(call.attend())


@eager
@known_words
def attention_with_weights(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    causal_offset: Any = 0,
    window: tuple[int | None, int | None] | None = None,
    key_lengths: Any = None,
    softcap: float | None = None,
    **other: Never,
) -> tuple[Any, Any]:
    """Compute attention and return the weights too.

    Arguments are those of :func:`attention`, and the output has the same bits.

    Returns:
        output (..., n_q, d_v) and weights (..., n_q, n_k). Rows of weights sum
        to 1; a query that may attend to nothing has a row of 0.

    Example:
        >>> import numpy as np, regard
        >>> output, weights = regard.attention_with_weights(
        ...     [[np.log(3)]], [[0], [1]], [[10], [20]], scale=1)
        >>> weights.round(12)
        array([[0.25, 0.75]])
    """
    if other:
        refuse("attention_with_weights", other, KNOWN)
    if mask is None and softcap is None and native.straight is not None:
        rules = (scale, is_causal, causal_offset, window, key_lengths)
        quick = native.straight(query, key, value, *rules, 2)
        if quick is not None:
            return quick
    call = Call(
        "attention_with_weights",
        {"query": query, "key": key, "value": value},
        mask,
        Rules(scale, is_causal, causal_offset, window, key_lengths, softcap),
    )
    weights = call.per_pair()
    output = call.attend(weights=weights)
    return call.give(output), call.give(weights)


@eager
@known_words
def attention_with_lse(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    causal_offset: Any = 0,
    window: tuple[int | None, int | None] | None = None,
    key_lengths: Any = None,
    softcap: float | None = None,
    **other: Never,
) -> tuple[Any, Any]:
    """Compute attention and return the log-sum-exp of the scores too.

    Arguments are those of :func:`attention`, and the output has the same bits.

    Returns:
        output (..., n_q, d_v) and lse (..., n_q), natural logarithm, in the dtype
        of the output (float32 where that has 16 bits). A query that may attend to
        nothing has -inf.

    Example:
        >>> import numpy as np, regard
        >>> output, lse = regard.attention_with_lse(
        ...     [[np.log(3)]], [[0], [1]], [[10], [20]], scale=1)
        >>> np.exp(lse).round(12)
        array([4.])
    """
    if other:
        refuse("attention_with_lse", other, KNOWN)
    if mask is None and softcap is None and native.straight is not None:
        rules = (scale, is_causal, causal_offset, window, key_lengths)
        quick = native.straight(query, key, value, *rules, 1)
        if quick is not None:
            return quick
    call = Call(
        "attention_with_lse",
        {"query": query, "key": key, "value": value},
        mask,
        Rules(scale, is_causal, causal_offset, window, key_lengths, softcap),
    )
    lse = call.per_query()
    output = call.attend(lse=lse)
    return call.give(output), call.give(lse, wide=True)


@eager
@known_words
def attention_scores(
    query: Any,
    key: Any,
    mask: Any = None,
    *,
    stage: str = "raw",
    scale: float | None = None,
    is_causal: bool = False,
    causal_offset: Any = 0,
    window: tuple[int | None, int | None] | None = None,
    key_lengths: Any = None,
    softcap: float | None = None,
    **other: Never,
) -> Any:
    """Compute the scores of every pair of query and key.

    Arguments are those of :func:`attention`, and:

    Args:
        stage: "raw" is scale · query · keyᵀ; "softcapped" comes after the softcap;
            "masked" is what the softmax sees: with the mask, the causal order, the
            window and the key lengths applied, -inf where a query may not attend.

    Returns:
        (..., n_q, n_k), an array of the query's library, in the dtype that came in.

    Example:
        >>> import regard
        >>> regard.attention_scores([[1, 2]], [[3, 4], [5, 6]], scale=1)
        array([[11., 17.]])
    """
    if other:
        refuse("attention_scores", other, KNOWN)
    choice("attention_scores", "stage", stage, ("raw", "softcapped", "masked"))
    call = Call(
        "attention_scores",
        {"query": query, "key": key},
        mask,
        Rules(scale, is_causal, causal_offset, window, key_lengths, softcap),
    )
    return call.give(call.scores(stage))
