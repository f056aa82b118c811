"""Matrices of a head that do not fit each other."""

from __future__ import annotations

import math
from typing import Any

from refusals.base import NUMBERS, RAGGED, Refusal, zeros
from regard import Head, MultiHead, ParameterError, ShapeError


def head(error: type[Exception], message: str, **changes: Any) -> Refusal:
    """Refuse a head with d_model = 5, d_k = 3, d_v = 2, d_out = 7, with some arguments changed."""
    arguments = {"W_Q": zeros(5, 3), "W_K": zeros(5, 3), "W_V": zeros(5, 2), "W_O": zeros(2, 7)}
    return Refusal(Head, arguments | changes, error, f"Head: {message}")


def heads(error: type[Exception], message: str, **changes: Any) -> Refusal:
    """Refuse 6 such heads."""
    arguments = {
        "W_Q": zeros(6, 5, 3),
        "W_K": zeros(6, 5, 3),
        "W_V": zeros(6, 5, 2),
        "W_O": zeros(6, 2, 7),
    }
    return Refusal(MultiHead, arguments | changes, error, f"MultiHead: {message}")


W_Q, W_K = "W_Q (d_model, d_k)", "W_K (d_context, d_k)"
W_V, W_O = "W_V (d_context, d_v)", "W_O (d_v, d_out)"
W_QS, W_KS = "W_Q (n_heads, d_model, d_k)", "W_K (n_kv_heads, d_context, d_k)"
W_VS, W_OS = "W_V (n_kv_heads, d_context, d_v)", "W_O (n_heads, d_v, d_out)"

MATRICES = [
    head(
        ShapeError,
        f"W_K does not match W_Q in d_k (11 vs 3). Need {W_Q}, {W_K}. Got W_Q (5, 3), W_K (5, 11).",
        W_K=zeros(5, 11),
    ),
    head(
        ShapeError,
        f"W_V does not match W_K in d_context (11 vs 5). Need {W_K}, {W_V}. "
        "Got W_K (5, 3), W_V (11, 2).",
        W_V=zeros(11, 2),
    ),
    head(
        ShapeError,
        f"W_O does not match W_V in d_v (11 vs 2). Need {W_V}, {W_O}. Got W_V (5, 2), W_O (11, 7).",
        W_O=zeros(11, 7),
    ),
    head(
        ShapeError,
        f"b_K does not match W_Q in d_k (5 vs 3). Need {W_Q}, b_K (d_k,). Got W_Q (5, 3), b_K (5,).",
        b_K=zeros(5),
    ),
    head(
        ShapeError,
        f"b_O does not match W_O in d_out (5 vs 7). Need {W_O}, b_O (d_out,). "
        "Got W_O (2, 7), b_O (5,).",
        b_O=zeros(5),
    ),
    head(
        ShapeError,
        f"b_O does not match W_V in d_v (7 vs 2). Need {W_V}, b_O (d_v,) without W_O. "
        "Got W_V (5, 2), b_O (7,).",
        W_O=None,
        b_O=zeros(7),
    ),
    head(ShapeError, "W_Q needs 2 axes (d_model, d_k). Got W_Q (5,).", W_Q=zeros(5)),
    head(ShapeError, "W_V needs 2 axes (d_context, d_v). Got W_V (6, 5, 2).", W_V=zeros(6, 5, 2)),
    head(ShapeError, "b_Q needs 1 axis (d_k,). Got b_Q (1, 3).", b_Q=zeros(1, 3)),
    head(ParameterError, f"W_Q is None. Need an array of {NUMBERS}.", W_Q=None),
    head(ParameterError, f"W_K {RAGGED}", W_K=[[1.0], [2.0, 3.0]]),
    head(ParameterError, "scale must be a finite number. Got nan.", scale=math.nan),
    heads(ParameterError, "combine must be one of 'concat', 'mean'. Got 'sum'.", combine="sum"),
    heads(ShapeError, "W_Q needs 3 axes (n_heads, d_model, d_k). Got W_Q (5, 3).", W_Q=zeros(5, 3)),
    heads(ShapeError, "b_Q needs 2 axes (n_heads, d_k). Got b_Q (18,).", b_Q=zeros(18)),
    heads(
        ShapeError,
        f"heads of W_Q are not a multiple of heads of W_K (6 vs 4). Need {W_QS}, {W_KS} "
        "with n_kv_heads dividing n_heads. Got W_Q (6, 5, 3), W_K (4, 5, 3).",
        W_K=zeros(4, 5, 3),
        W_V=zeros(4, 5, 2),
    ),
    heads(
        ShapeError,
        f"W_V does not match W_K in n_kv_heads (3 vs 6). Need {W_KS}, {W_VS}. "
        "Got W_K (6, 5, 3), W_V (3, 5, 2).",
        W_V=zeros(3, 5, 2),
    ),
    heads(
        ShapeError,
        f"W_O does not match W_V in n_heads*d_v (2 vs 12). Need {W_VS}, W_O (n_heads*d_v, d_out). "
        "Got W_V (6, 5, 2), W_O (2, 7).",
        W_O=zeros(2, 7),
    ),
    heads(
        ShapeError,
        f"W_O does not match W_V in d_v (12 vs 2). Need {W_VS}, W_O (d_v, d_out). "
        "Got W_V (6, 5, 2), W_O (12, 7).",
        W_O=zeros(12, 7),
        combine="mean",
    ),
    heads(
        ShapeError,
        f"W_O does not match W_Q in n_heads (4 vs 6). Need {W_QS}, {W_OS}. "
        "Got W_Q (6, 5, 3), W_O (4, 2, 7).",
        W_O=zeros(4, 2, 7),
    ),
    heads(
        ShapeError,
        f"b_O does not match W_V in n_heads*d_v (7 vs 12). Need {W_VS}, b_O (n_heads*d_v,) "
        "without W_O. Got W_V (6, 5, 2), b_O (7,).",
        W_O=None,
        b_O=zeros(7),
    ),
    heads(
        ShapeError,
        f"b_O does not match W_V in d_v (7 vs 2). Need {W_VS}, b_O (d_v,) without W_O. "
        "Got W_V (6, 5, 2), b_O (7,).",
        W_O=None,
        b_O=zeros(7),
        combine="mean",
    ),
    heads(
        ShapeError,
        f"W_Q needs at least 1 head. Need {W_QS}. Got W_Q (0, 5, 3).",
        W_Q=zeros(0, 5, 3),
        W_K=zeros(0, 5, 3),
        W_V=zeros(0, 5, 2),
        W_O=None,
    ),
]
