"""Attention on small matrices, in exact numbers: every entry, and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regard.analysis.exact_trace.input import (
    float_note,
    read_matrix,
    read_rows,
    read_scale,
)
from regard.analysis.exact_trace.result import Trace
from regard.analysis.exact_trace.steps import compute, exact_array
from regard.analysis.exact_trace.visible import read_visible
from regard.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    pass

__all__ = ["Trace", "trace"]

FUNCTION = "trace"


def trace(
    x: object,
    W_Q: object,
    W_K: object,
    W_V: object,
    *,
    scale: object = 1,
    W_O: object = None,
    is_causal: bool = False,
    mask: object = None,
    window: object = None,
    key_lengths: object = None,
) -> Trace:
    """Compute a head on small matrices in exact numbers.

    queries = x W_Q, keys = x W_K, values = x W_V, scores = scale · queries keysᵀ,
    weights = softmax of each row of the scores, outputs = weights values (W_O).

    Numbers are ints, Fractions, Decimals, strings such as "1/3" or "0.25", or arrays of numbers.
    A float is taken as the exact binary number that it is. Matrices go up to 64 × 64, numbers up
    to 400 digits.

    Args:
        x: (n, d_model), one token per row.
        W_Q: (d_model, d_k).
        W_K: (d_model, d_k).
        W_V: (d_model, d_v).
        scale: a number, or "1/sqrt(d_k)" (also None).
        W_O: (d_v, d_out), if there is one.
        is_causal: query i may attend to keys j ≤ i only.
        mask: (n, n), rows of True or 1 where the query of the row may attend, False or 0 elsewhere.
        window: (left, right), how many keys before and after its own a query may attend to.
        key_lengths: how many of the keys count; those from there on are padding.

    A key must pass all of these; a query that may attend to nothing gets 0.

    Guarantee: everything is exact; a weight or output is a Fraction iff it is rational; decimals
    and floats are correctly rounded.

    Example:
        >>> found = trace([[1], [0]], [[1]], [[1]], [["1/3"]])
        >>> print(found.weights[0, 0], found.weights[1, 0], found.outputs[1, 0])
        e^1/(e^1 + e^0) 1/2 1/6
        >>> found.decimal("weights", 20)[0]
        ('0.73105857863000487925', '0.26894142136999512075')
    """
    floats: dict[str, float] = {}
    tokens = read_matrix(FUNCTION, "x", x, "(n, d_model)", floats)
    width, first = ("d_model", "d_k"), ("x", tokens)
    query_matrix = read_rows(FUNCTION, "W_Q", W_Q, width, first, floats)
    key_matrix = read_rows(FUNCTION, "W_K", W_K, width, first, floats)
    value_matrix = read_rows(FUNCTION, "W_V", W_V, ("d_model", "d_v"), first, floats)
    d_k = len(query_matrix[0])
    if len(key_matrix[0]) != d_k:
        raise ShapeError(
            f"{FUNCTION}: W_K does not match W_Q in d_k ({len(key_matrix[0])} vs {d_k}). "
            f"Need W_Q (d_model, d_k), W_K (d_model, d_k)."
        )
    output_matrix = None
    if W_O is not None:
        before = ("W_V", value_matrix)
        output_matrix = read_rows(FUNCTION, "W_O", W_O, ("d_v", "d_out"), before, floats)
    factor = read_scale(FUNCTION, scale, d_k, floats)
    if not isinstance(is_causal, bool | np.bool_):
        raise ParameterError(f"{FUNCTION}: is_causal must be True or False. Got {is_causal!r}.")

    visible = read_visible(FUNCTION, len(tokens), mask, bool(is_causal), window, key_lengths)
    given = tokens, query_matrix, key_matrix, value_matrix
    steps = compute(*given, output_matrix, factor, visible)
    return Trace(
        x=exact_array(tokens),
        W_Q=exact_array(query_matrix),
        W_K=exact_array(key_matrix),
        W_V=exact_array(value_matrix),
        W_O=None if output_matrix is None else exact_array(output_matrix),
        scale=factor,
        is_causal=bool(is_causal),
        **steps,
        notes=tuple(note for note in [float_note(floats)] if note),
        visible=visible,
    )
