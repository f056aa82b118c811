"""What a person reads when a call cannot work: the whole message, and the fix tried out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import regard
from peers.required import peer
from regard import AttentionState, Head, MultiHead, ParameterError, ShapeError

NUMBERS = "float16, bfloat16, float32, float64 or integers"
RAGGED = (
    "is not an array: setting an array element with a sequence. The requested array has an "
    "inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part."
)


@dataclass(frozen=True)
class Refusal:
    """A call that has to be refused.

    Attributes:
        message: what is said, without the hint.
        hint: the last part of what is said: a change that would work.
        fixes: that change, argument by argument, as code in which they have their names.
    """

    call: Callable[..., Any]
    arguments: dict[str, Any]
    error: type[Exception]
    message: str
    hint: str = ""
    fixes: dict[str, str] = field(default_factory=dict)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def yes(*shape: int) -> np.ndarray:
    return np.ones(shape, dtype=bool)


def attend(error: type[Exception], message: str, *hint: Any, **changes: Any) -> Refusal:
    """Refuse attention of 5 queries to 7 keys, d_k = 3 and d_v = 2, with some arguments changed."""
    arguments = {"query": zeros(5, 3), "key": zeros(7, 3), "value": zeros(7, 2)} | changes
    return Refusal(regard.attention, arguments, error, f"attention: {message}", *hint)


def attend_in_batches(error: type[Exception], message: str, *hint: Any, **changes: Any) -> Refusal:
    """The same with 2 batches of 3 heads."""
    arrays = {"query": zeros(2, 3, 5, 11), "key": zeros(2, 3, 7, 11), "value": zeros(2, 3, 7, 13)}
    return attend(error, message, *hint, **(arrays | changes))


NEED_QUERY_KEY = "Need query (..., n_q, d_k), key (..., n_k, d_k). "
NEED_KEY_VALUE = "Need key (..., n_k, d_k), value (..., n_k, d_v). "
NEED_HEADS = (
    "Need query (..., heads, n_q, d_k), key (..., key_heads, n_k, d_k) "
    "with key_heads dividing heads. "
)
NEED_VALUE_HEADS = (
    "Need query (..., heads, n_q, d_k), value (..., value_heads, n_k, d_v) "
    "with value_heads dividing heads. "
)
NEED_BATCH = (
    "batch axes do not broadcast. Need query (*batch, heads, n_q, d_k), "
    "key (*batch, heads, n_k, d_k), value (*batch, heads, n_k, d_v) with equal batch axes, or 1. "
)

SHAPES = [
    attend(
        ShapeError,
        "query needs at least 2 axes (..., n_q, d_k). Got query (3,).",
        "Add the missing axis: query[None, :].",
        {"query": "query[None, :]"},
        query=zeros(3),
    ),
    attend(
        ShapeError,
        "query needs at least 2 axes (..., n_q, d_k). Got query (5,).",
        "Add the missing axis: query[:, None].",
        {"query": "query[:, None]"},
        query=zeros(5),
        key=zeros(7, 1),
    ),
    attend(
        ShapeError,
        "query needs at least 2 axes (..., n_q, d_k). Got query (5,).",
        query=zeros(5),
    ),
    attend(ShapeError, "query needs at least 2 axes (..., n_q, d_k). Got query ().", query=1.5),
    attend(
        ShapeError,
        "key needs at least 2 axes (..., n_k, d_k). Got key (3,).",
        "Add the missing axis: key[None, :].",
        {"key": "key[None, :]"},
        key=zeros(3),
        value=zeros(1, 2),
    ),
    attend(
        ShapeError,
        "key needs at least 2 axes (..., n_k, d_k). Got key (7,).",
        "Add the missing axis: key[:, None].",
        {"key": "key[:, None]"},
        query=zeros(5, 1),
        key=zeros(7),
    ),
    attend(ShapeError, "key needs at least 2 axes (..., n_k, d_k). Got key (3,).", key=zeros(3)),
    attend(
        ShapeError,
        "value needs at least 2 axes (..., n_k, d_v). Got value (7,).",
        "Add the missing axis: value[:, None].",
        {"value": "value[:, None]"},
        value=zeros(7),
    ),
    attend(
        ShapeError,
        "value needs at least 2 axes (..., n_k, d_v). Got value (2,).",
        "Add the missing axis: value[None, :].",
        {"value": "value[None, :]"},
        key=zeros(1, 3),
        value=zeros(2),
    ),
    attend(
        ShapeError,
        f"key does not match query in d_k (11 vs 3). {NEED_QUERY_KEY}Got query (5, 3), key (7, 11).",
        key=zeros(7, 11),
    ),
    attend(
        ShapeError,
        f"key does not match query in d_k (7 vs 3). {NEED_QUERY_KEY}Got query (5, 3), key (3, 7).",
        "key looks transposed: try key.swapaxes(-1, -2).",
        {"key": "key.swapaxes(-1, -2)"},
        key=zeros(3, 7),
    ),
    attend(
        ShapeError,
        f"key does not match query in d_k (3 vs 5). {NEED_QUERY_KEY}Got query (3, 5), key (7, 3).",
        "query looks transposed: try query.swapaxes(-1, -2).",
        {"query": "query.swapaxes(-1, -2)"},
        query=zeros(3, 5),
    ),
    attend(
        ShapeError,
        f"value does not match key in n_k (11 vs 7). {NEED_KEY_VALUE}"
        "Got key (7, 3), value (11, 2).",
        value=zeros(11, 2),
    ),
    attend(
        ShapeError,
        f"value does not match key in n_k (2 vs 7). {NEED_KEY_VALUE}Got key (7, 3), value (2, 7).",
        "value looks transposed: try value.swapaxes(-1, -2).",
        {"value": "value.swapaxes(-1, -2)"},
        value=zeros(2, 7),
    ),
    attend(
        ShapeError,
        f"query heads are not a multiple of key heads (5 vs 3). {NEED_HEADS}"
        "Got query (5, 2, 11), key (3, 7, 11), value (3, 7, 2).",
        query=zeros(5, 2, 11),
        key=zeros(3, 7, 11),
        value=zeros(3, 7, 2),
    ),
    attend(
        ShapeError,
        f"query heads are not a multiple of value heads (6 vs 4). {NEED_VALUE_HEADS}"
        "Got query (6, 2, 11), key (3, 7, 11), value (4, 7, 2).",
        query=zeros(6, 2, 11),
        key=zeros(3, 7, 11),
        value=zeros(4, 7, 2),
    ),
    attend(
        ShapeError,
        f"key heads are not a multiple of value heads (3 vs 2). {NEED_VALUE_HEADS}"
        "Got query (5, 11), key (3, 7, 11), value (2, 7, 13).",
        query=zeros(5, 11),
        key=zeros(3, 7, 11),
        value=zeros(2, 7, 13),
    ),
    attend(
        ShapeError,
        f"query heads are not a multiple of key heads (2 vs 0). {NEED_HEADS}"
        "Got query (2, 5, 3), key (0, 7, 3), value (0, 7, 11).",
        query=zeros(2, 5, 3),
        key=zeros(0, 7, 3),
        value=zeros(0, 7, 11),
    ),
    attend(
        ShapeError,
        f"query heads are not a multiple of key heads (5 vs 7). {NEED_HEADS}"
        "Got query (2, 5, 3, 11), key (2, 7, 3, 11), value (2, 7, 3, 13).",
        "The head axis comes before the length: if it is the other way round here, "
        "try .swapaxes(-3, -2) on each.",
        {name: f"{name}.swapaxes(-3, -2)" for name in ("query", "key", "value")},
        query=zeros(2, 5, 3, 11),
        key=zeros(2, 7, 3, 11),
        value=zeros(2, 7, 3, 13),
    ),
    attend_in_batches(
        ShapeError,
        f"{NEED_BATCH}Got query (2, 3, 5, 11), key (17, 3, 7, 11), value (2, 3, 7, 13).",
        key=zeros(17, 3, 7, 11),
    ),
    attend_in_batches(
        ShapeError,
        f"{NEED_BATCH}Got query (2, 3, 5, 11), key (2, 3, 7, 11), value (17, 3, 7, 13).",
        value=zeros(17, 3, 7, 13),
    ),
]

NO_FIT = "mask does not broadcast to the scores (..., n_q, n_k) ="
TURNED = ("mask looks transposed: try mask.swapaxes(-1, -2).", {"mask": "mask.swapaxes(-1, -2)"})
PER_BATCH = "For one row of keys per batch, try"
TABLE = ("For one table per batch, try mask[:, None].", {"mask": "mask[:, None]"})
MASK_DTYPE = "Need bool (True = may attend) or float (added to the scores)."
SQUARE = {"query": zeros(2, 3, 5, 11), "key": zeros(2, 3, 5, 11), "value": zeros(2, 3, 5, 13)}
NO_HEADS = {"query": zeros(2, 5, 3), "key": zeros(2, 7, 3), "value": zeros(2, 7, 11)}

MASKS = [
    attend(ShapeError, f"{NO_FIT} (5, 7). Got mask (7, 5).", *TURNED, mask=yes(7, 5)),
    attend(ShapeError, f"{NO_FIT} (5, 7). Got mask (5, 11).", mask=yes(5, 11)),
    attend(ShapeError, f"{NO_FIT} (5, 7). Got mask (5,).", mask=yes(5)),
    attend(
        ShapeError,
        f"{NO_FIT} (5, 1). Got mask (5, 7).",
        key=zeros(1, 3),
        value=zeros(1, 2),
        mask=yes(5, 7),
    ),
    attend_in_batches(
        ShapeError,
        f"{NO_FIT} (2, 3, 5, 7). Got mask (2, 3, 7, 5).",
        *TURNED,
        mask=yes(2, 3, 7, 5),
    ),
    # Turned round it would still not fit, so that is not what to say.
    attend_in_batches(
        ShapeError, f"{NO_FIT} (2, 3, 5, 7). Got mask (11, 7, 5).", mask=yes(11, 7, 5)
    ),
    attend_in_batches(
        ShapeError,
        f"{NO_FIT} (2, 3, 5, 7). Got mask (2, 7).",
        f"{PER_BATCH} mask[:, None, None, :].",
        {"mask": "mask[:, None, None, :]"},
        mask=yes(2, 7),
    ),
    attend_in_batches(
        ShapeError, f"{NO_FIT} (2, 3, 5, 7). Got mask (2, 5, 7).", *TABLE, mask=yes(2, 5, 7)
    ),
    attend_in_batches(
        ShapeError, f"{NO_FIT} (2, 3, 5, 7). Got mask (2, 1, 7).", *TABLE, mask=yes(2, 1, 7)
    ),
    attend(
        ShapeError,
        f"{NO_FIT} (2, 3, 5, 5). Got mask (2, 5, 5).",
        *TABLE,
        **SQUARE,
        mask=yes(2, 5, 5),
    ),
    attend(ShapeError, f"{NO_FIT} (2, 3, 5, 5). Got mask (7, 5, 5).", **SQUARE, mask=yes(7, 5, 5)),
    attend(
        ShapeError,
        f"{NO_FIT} (2, 5, 7). Got mask (2, 7).",
        f"{PER_BATCH} mask[:, None, :].",
        {"mask": "mask[:, None, :]"},
        **NO_HEADS,
        mask=yes(2, 7),
    ),
    attend(
        ParameterError,
        f"mask has dtype int64. {MASK_DTYPE}",
        "For a mask of 0 and 1, pass mask.astype(bool).",
        {"mask": "mask.astype(bool)"},
        mask=np.ones((5, 7), dtype=np.int64),
    ),
    attend(ParameterError, f"mask has dtype object. {MASK_DTYPE}", mask=np.full((5, 7), None)),
    attend(ParameterError, f"mask has dtype <U6. {MASK_DTYPE}", mask="causal"),
    attend(ParameterError, f"mask has dtype complex128. {MASK_DTYPE}", mask=zeros(5, 7) + 0j),
    attend(ParameterError, f"mask {RAGGED}", mask=[[True], [True, False]]),
    attend(
        ParameterError,
        "mask is a numpy.ma.MaskedArray, whose mask would be lost.",
        "Pass mask.filled(...).",
        {"mask": "mask.filled(False)"},
        mask=np.ma.masked_array(yes(5, 7)),
    ),
]

DTYPES = [
    attend(
        ParameterError,
        f"key has dtype complex128. Need {NUMBERS}.",
        "Pass key.real, if the imaginary part is zero.",
        {"key": "key.real"},
        key=zeros(7, 3) + 0j,
    ),
    attend(ParameterError, f"value has dtype object. Need {NUMBERS}.", value=np.full((7, 2), None)),
    attend(ParameterError, f"query has dtype <U5. Need {NUMBERS}.", query="query"),
    attend(
        ParameterError,
        f"query has dtype bool. Need {NUMBERS}.",
        "Pass query.astype(float).",
        {"query": "query.astype(float)"},
        query=yes(5, 3),
    ),
    attend(
        ParameterError,
        f"value has dtype {np.dtype(np.longdouble)}. Need {NUMBERS}.",
        "Pass value.astype(numpy.float64).",
        {"value": "value.astype(numpy.float64)"},
        value=np.zeros((7, 2), dtype=np.longdouble),
    ),
    attend(
        ParameterError,
        f"key has dtype datetime64[s]. Need {NUMBERS}.",
        key=np.zeros((7, 3), dtype="M8[s]"),
    ),
    attend(ParameterError, f"query is None. Need an array of {NUMBERS}.", query=None),
    attend(ParameterError, f"key is None. Need an array of {NUMBERS}.", key=None),
    attend(ParameterError, f"value is None. Need an array of {NUMBERS}.", value=None),
    attend(ParameterError, f"key {RAGGED}", key=[[1, 2, 3], [4, 5]]),
    attend(
        ParameterError,
        "key is a numpy.ma.MaskedArray, whose mask would be lost.",
        "Pass key.filled(...) and say what may be attended to with mask=.",
        {"key": "key.filled(0)"},
        key=np.ma.masked_array(zeros(7, 3)),
    ),
]

WINDOW = (
    "window must be None or a pair (left, right) of whole numbers ≥ 0, "
    "None for a side without limit. Got"
)
WHOLE = "Need whole numbers: one for all, or one per batch in an integer array."
SINGLE = {
    name: np.zeros(shape, np.float32)
    for name, shape in (("query", (5, 3)), ("key", (7, 3)), ("value", (7, 2)))
}
HALF = {name: array.astype(np.float16) for name, array in SINGLE.items()}
DOUBLE = ("Pass float64 arrays.", {name: f"{name}.astype('float64')" for name in SINGLE})
COMPLEX, TEXT = np.complex128(1 + 2j), np.array("1.5")

RULES = [
    *[
        attend(ParameterError, f"scale must be a finite number. Got {shown}.", scale=scale)
        for shown, scale in [
            ("nan", math.nan),
            ("inf", math.inf),
            ("'1'", "1"),
            ("True", True),
            ("[1]", [1]),
            ("array([1.])", np.array([1.0])),
            ("1j", 1j),
            ("np.complex128(1+2j)", COMPLEX),
            ("array('1.5', dtype='<U3')", TEXT),
            ("array(True)", np.array(True)),
            ("bytearray(b'1')", bytearray(b"1")),
            ("masked", np.ma.masked),
        ]
    ],
    attend(
        ParameterError,
        "scale 1e+300 does not fit float32, in which float32 input is computed.",
        *DOUBLE,
        **SINGLE,
        scale=1e300,
    ),
    attend(
        ParameterError,
        "scale 1e+300 does not fit float32, in which float16 input is computed.",
        *DOUBLE,
        **HALF,
        scale=1e300,
    ),
    attend(
        ParameterError,
        "softcap 1e-300 does not fit float32, in which float32 input is computed.",
        *DOUBLE,
        **SINGLE,
        softcap=1e-300,
    ),
    *[
        attend(
            ParameterError, f"softcap must be a positive finite number. Got {shown}.", softcap=cap
        )
        for shown, cap in [("0", 0), ("-2.5", -2.5), ("nan", math.nan), ("'x'", "x")]
    ],
    *[
        attend(ParameterError, f"{WINDOW} {shown}.", window=window)
        for shown, window in [
            ("3", 3),
            ("(1,)", (1,)),
            ("(1, 2, 3)", (1, 2, 3)),
            ("(-1, 2)", (-1, 2)),
            ("(1.0, 2)", (1.0, 2)),
            ("(True, 2)", (True, 2)),
            ("'ab'", "ab"),
        ]
    ],
    *[
        attend(
            ParameterError,
            f"key_lengths must lie between 0 and n_k = 7. Got {shown}.",
            key_lengths=lengths,
        )
        for shown, lengths in [("-1", -1), ("8", 8), ("1180591620717411303424", 2**70)]
    ],
    attend_in_batches(
        ParameterError,
        "key_lengths must lie between 0 and n_k = 7. Got -2 to 5.",
        key_lengths=[5, -2],
    ),
    attend(ParameterError, f"key_lengths has dtype float64. {WHOLE}", key_lengths=7.0),
    attend(ParameterError, f"key_lengths has dtype bool. {WHOLE}", key_lengths=True),
    attend(
        ShapeError,
        "key_lengths must be one number, or one per batch: shape (). Got key_lengths (3,).",
        key_lengths=[1, 2, 3],
    ),
    attend_in_batches(
        ShapeError,
        "key_lengths must be one number, or one per batch: shape (2,). Got key_lengths (3,).",
        key_lengths=[1, 2, 3],
    ),
    attend(ParameterError, f"causal_offset has dtype float64. {WHOLE}", causal_offset=1.0),
    attend(ParameterError, f"causal_offset is None. {WHOLE}", causal_offset=None),
    attend_in_batches(
        ShapeError,
        "causal_offset must be one number, or one per batch: shape (2,). Got causal_offset (2, 1).",
        causal_offset=[[1], [2]],
    ),
    *[
        attend(ParameterError, f"is_causal must be True or False. Got {shown}.", is_causal=causal)
        for shown, causal in [("1", 1), ("None", None), ("'yes'", "yes")]
    ],
]

# The three other functions share the checks of `attention`, under their own names.
OTHER_NAMES = [
    Refusal(
        call,
        {"query": zeros(5, 3), "key": zeros(3, 7), "value": zeros(7, 2)},
        ShapeError,
        f"{name}: key does not match query in d_k (7 vs 3). {NEED_QUERY_KEY}"
        "Got query (5, 3), key (3, 7).",
        "key looks transposed: try key.swapaxes(-1, -2).",
        {"key": "key.swapaxes(-1, -2)"},
    )
    for name, call in [
        ("attention_with_weights", regard.attention_with_weights),
        ("attention_with_lse", regard.attention_with_lse),
        ("AttentionState.update", AttentionState.empty().update),
        ("attention_scores", lambda value, **rest: regard.attention_scores(**rest)),
    ]
] + [
    Refusal(
        regard.attention_scores,
        {"query": zeros(5, 3), "key": zeros(7, 3), "stage": stage},
        ParameterError,
        f"attention_scores: stage must be one of 'raw', 'softcapped', 'masked'. Got {stage!r}.",
    )
    for stage in ("weights", None)
]


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

HEAD = Head(zeros(5, 3), zeros(5, 3), zeros(5, 2))
READER = Head(zeros(5, 3), zeros(11, 3), zeros(11, 2))
SIX = MultiHead(zeros(6, 5, 3), zeros(6, 5, 3), zeros(6, 5, 2), zeros(6, 2, 7))
ONE = MultiHead(zeros(1, 5, 3), zeros(1, 5, 3), zeros(1, 5, 2), zeros(1, 2, 7))
STEEP = Head(*(np.zeros(s, np.float32) for s in ((5, 3), (5, 3), (5, 2))), scale=1e300)

TOKENS = [
    Refusal(
        HEAD,
        {"x": zeros(5)},
        ShapeError,
        "Head: x needs at least 2 axes (..., n, d_model). Got x (5,).",
        "Add the missing axis: x[None, :].",
        {"x": "x[None, :]"},
    ),
    Refusal(
        HEAD,
        {"x": zeros(3)},
        ShapeError,
        "Head: x needs at least 2 axes (..., n, d_model). Got x (3,).",
    ),
    Refusal(
        HEAD,
        {"x": zeros(13, 7)},
        ShapeError,
        "Head: x does not match W_Q in d_model (7 vs 5). Need x (..., n, d_model). Got x (13, 7).",
    ),
    Refusal(
        HEAD,
        {"x": zeros(5, 13)},
        ShapeError,
        "Head: x does not match W_Q in d_model (13 vs 5). Need x (..., n, d_model). Got x (5, 13).",
        "x looks transposed: try x.swapaxes(-1, -2).",
        {"x": "x.swapaxes(-1, -2)"},
    ),
    Refusal(HEAD, {"x": None}, ParameterError, f"Head: x is None. Need an array of {NUMBERS}."),
    Refusal(
        READER,
        {"x": zeros(13, 5), "context": None},
        ShapeError,
        "Head: x does not match W_K and W_V in d_context (5 vs 11). "
        "Need x (..., n, d_context). Got x (13, 5).",
        "Pass the tokens to attend to as context=.",
        {"context": "numpy.zeros((17, 11))"},
    ),
    Refusal(
        READER,
        {"x": zeros(13, 5), "context": zeros(17, 5)},
        ShapeError,
        "Head: context does not match W_K and W_V in d_context (5 vs 11). "
        "Need context (..., n, d_context). Got context (17, 5).",
    ),
    Refusal(
        SIX,
        {"x": zeros(13, 7)},
        ShapeError,
        "MultiHead: x does not match W_Q in d_model (7 vs 5). Need x (..., n, d_model). "
        "Got x (13, 7).",
    ),
    *[
        Refusal(
            call,
            {"x": zeros(2, 13, 5), "context": zeros(3, 17, 5)},
            ShapeError,
            f"{name}: batch axes do not broadcast. Need x (*batch, n, d_model), "
            "context (*batch, n_context, d_context) with equal batch axes, or 1. "
            "Got x (2, 13, 5), context (3, 17, 5).",
        )
        for name, call in [("Head", HEAD), ("MultiHead", SIX)]
    ],
    *[
        Refusal(
            HEAD,
            {"x": zeros(13, 5), "context": context, "positions": zeros(*shape)},
            ShapeError,
            f"Head: positions must have a row for each token: (..., {rows} or more, 5). "
            f"Got positions {shape}.",
        )
        for shape, context, rows in [
            ((11, 5), None, 13),
            ((13, 7), None, 13),
            ((13,), None, 13),
            ((13, 5), zeros(17, 5), 17),
        ]
    ],
    Refusal(
        READER,
        {"x": zeros(13, 5), "context": zeros(17, 11), "positions": zeros(17, 5)},
        ShapeError,
        "Head: positions are added to x and to context, and need both to have one width "
        "(5 vs 11). Got x (13, 5), context (17, 11), positions (17, 5).",
    ),
    Refusal(
        HEAD,
        {"x": zeros(2, 13, 5), "positions": zeros(3, 13, 5)},
        ShapeError,
        "Head: the batch axes of positions do not broadcast. "
        "Got tokens (2, 13, 5), positions (3, 13, 5).",
    ),
    Refusal(
        HEAD,
        {"x": zeros(13, 5), "context": zeros(17, 5), "mask": yes(17, 13)},
        ShapeError,
        f"Head: {NO_FIT} (13, 17). Got mask (17, 13).",
        *TURNED,
    ),
    Refusal(
        HEAD,
        {"x": zeros(2, 13, 5), "mask": yes(2, 13)},
        ShapeError,
        f"Head: {NO_FIT} (2, 13, 13). Got mask (2, 13).",
        f"{PER_BATCH} mask[:, None, :].",
        {"mask": "mask[:, None, :]"},
    ),
    Refusal(
        HEAD,
        {"x": zeros(2, 13, 5), "mask": yes(3, 13, 13)},
        ShapeError,
        f"Head: {NO_FIT} (2, 13, 13). Got mask (3, 13, 13).",
    ),
    Refusal(
        SIX,
        {"x": zeros(2, 13, 5), "mask": yes(2, 13)},
        ShapeError,
        f"MultiHead: {NO_FIT} (2, 6, 13, 13). Got mask (2, 13).",
        f"{PER_BATCH} mask[:, None, None, :].",
        {"mask": "mask[:, None, None, :]"},
    ),
    Refusal(
        SIX,
        {"x": zeros(2, 13, 5), "mask": yes(2, 13, 13)},
        ShapeError,
        f"MultiHead: {NO_FIT} (2, 6, 13, 13). Got mask (2, 13, 13).",
        *TABLE,
    ),
    # The number of heads is that of the matrices, also where it is 1: no mask may add to it.
    Refusal(
        ONE,
        {"x": zeros(2, 13, 5), "mask": yes(2, 13, 13)},
        ShapeError,
        f"MultiHead: {NO_FIT} (2, 1, 13, 13). Got mask (2, 13, 13).",
        *TABLE,
    ),
    Refusal(
        SIX,
        {"x": zeros(13, 5), "mask": np.ones((13, 13), dtype=np.int64)},
        ParameterError,
        f"MultiHead: mask has dtype int64. {MASK_DTYPE}",
        "For a mask of 0 and 1, pass mask.astype(bool).",
        {"mask": "mask.astype(bool)"},
    ),
    Refusal(
        HEAD,
        {"x": zeros(13, 5), "is_causal": 1},
        ParameterError,
        "Head: is_causal must be True or False. Got 1.",
    ),
    Refusal(
        STEEP,
        {"x": np.zeros((13, 5), np.float32)},
        ParameterError,
        "Head: scale 1e+300 does not fit float32, in which float32 input is computed.",
        "Pass float64 arrays.",
        {"x": "x.astype('float64')"},
    ),
]


def turned(error: type[Exception], message: str, *hint: Any, **changes: Any) -> Refusal:
    arguments = {"x": zeros(2, 3, 5, 4), "positions": np.arange(5)} | changes
    return Refusal(regard.rotary, arguments, error, f"rotary: {message}", *hint)


PAIRS = (
    "x must have an even number d ≥ 2 of entries on its last axis, because they are turned in "
    "pairs. Need x (..., n, d). Got x"
)
FIT = "Need x (..., n, d), positions (n,) or (..., n). Got x (2, 3, 5, 4), positions"
FAR = "positions must be finite and at most 2**53 in size. Got"

POSITIONS = [
    *[
        Refusal(
            regard.sinusoidal,
            {"n": 3, "d_model": 4, name: value},
            ParameterError,
            f"sinusoidal: {name} must be {rule}. Got {shown}.",
        )
        for name, value, rule, shown in [
            ("n", -1, "a whole number ≥ 0", "-1"),
            ("n", 2.0, "a whole number ≥ 0", "2.0"),
            ("n", True, "a whole number ≥ 0", "True"),
            ("d_model", 0, "a whole number ≥ 2", "0"),
            ("d_model", "4", "a whole number ≥ 2", "'4'"),
            ("base", 0, "a positive finite number", "0"),
            ("base", -1.5, "a positive finite number", "-1.5"),
            ("base", math.nan, "a positive finite number", "nan"),
            ("base", None, "a positive finite number", "None"),
            ("start", 0.5, "a whole number", "0.5"),
        ]
    ],
    Refusal(
        regard.sinusoidal,
        {"n": 3, "d_model": 5},
        ParameterError,
        "sinusoidal: d_model must be even, because sines and cosines come in pairs. Got 5.",
        "Try 6.",
        {"d_model": "6"},
    ),
    turned(ShapeError, f"{PAIRS} (5, 3).", x=zeros(5, 3)),
    turned(ShapeError, f"{PAIRS} ().", x=1.5),
    turned(ParameterError, f"x is None. Need an array of {NUMBERS}.", x=None),
    turned(ParameterError, f"x {RAGGED}", x=[[1.0, 2.0], [3.0]]),
    turned(
        ParameterError,
        f"x has dtype complex128. Need {NUMBERS}.",
        "Pass x.real, if the imaginary part is zero.",
        {"x": "x.real"},
        x=zeros(5, 4) + 0j,
    ),
    turned(
        ParameterError,
        "x is a numpy.ma.MaskedArray, whose mask would be lost.",
        "Pass x.filled(...).",
        {"x": "x.filled(0)"},
        x=np.ma.masked_array(zeros(5, 4)),
    ),
    turned(ParameterError, f"positions {RAGGED}", positions=[[1], [2, 3]]),
    turned(ParameterError, f"{FAR} nan.", positions=[0, 1, 2, 3, math.nan]),
    turned(ParameterError, f"{FAR} 9007199254740993.", positions=2**53 + 1),
    turned(ParameterError, f"{FAR} 1180591620717411303424.", positions=2**70),
    turned(
        ShapeError,
        f"positions do not match x in n (7 vs 5). {FIT} (7,).",
        positions=np.arange(7),
    ),
    turned(
        ShapeError,
        f"positions do not broadcast to (..., n) of x. {FIT} (2, 5).",
        "An axis is missing: try positions[..., None, :].",
        {"positions": "positions[..., None, :]"},
        positions=zeros(2, 5),
    ),
    turned(ParameterError, "base must be a positive finite number. Got nan.", base=math.nan),
    turned(
        ParameterError,
        "layout must be one of 'interleaved', 'halves'. Got 'split'.",
        layout="split",
    ),
]

ROWS = "AttentionState.empty: rows must be None or a tuple (..., n_q) of whole numbers ≥ 0. Got"
STATE = AttentionState.empty((5,), 2)
NEED_LSE = "Need output (..., n_q, d_v), lse (..., n_q). "

STATES = [
    *[
        Refusal(AttentionState.empty, {"rows": rows}, ParameterError, f"{ROWS} {shown}.")
        for shown, rows in [
            ("3", 3),
            ("(-1,)", (-1,)),
            ("(2, 3.0)", (2, 3.0)),
            ("()", ()),
            ("'ab'", "ab"),
        ]
    ],
    *[
        Refusal(
            AttentionState.empty,
            {"rows": (5,), "d_v": d_v},
            ParameterError,
            f"AttentionState.empty: d_v must be a whole number ≥ 0. Got {d_v}.",
        )
        for d_v in (-1, 2.0, None)
    ],
    Refusal(
        STATE.merge,
        {"other": AttentionState.empty((3, 5), 2)},
        ShapeError,
        "AttentionState.merge: the states are of different queries or values. "
        "Got output (5, 2) and (3, 5, 2).",
    ),
    Refusal(
        STATE.update,
        {"query": zeros(11, 3), "key": zeros(7, 3), "value": zeros(7, 2)},
        ShapeError,
        "AttentionState.update: the states are of different queries or values. "
        "Got output (5, 2) and (11, 2).",
    ),
    *[
        Refusal(
            state.merge,
            {"other": other},
            ParameterError,
            f"AttentionState.merge: other must be an AttentionState. Got {other!r}.",
        )
        for state in (STATE, AttentionState.empty())
        for other in (None, "state")
    ],
    Refusal(
        AttentionState.from_lse,
        {"output": zeros(5, 2), "lse": zeros(3)},
        ShapeError,
        f"AttentionState.from_lse: output does not match lse. {NEED_LSE}"
        "Got output (5, 2), lse (3,).",
    ),
    *[
        Refusal(
            AttentionState.from_lse,
            {"output": zeros(*shape), "lse": 0.0},
            ShapeError,
            "AttentionState.from_lse: output needs at least 2 axes (..., n_q, d_v). "
            f"Got output {shape}.",
        )
        for shape in ((), (3,))
    ],
    Refusal(
        AttentionState.from_lse,
        {"output": zeros(5, 2), "lse": None},
        ParameterError,
        f"AttentionState.from_lse: lse is None. Need an array of {NUMBERS}.",
    ),
]

REFUSALS = [
    *SHAPES, *MASKS, *DTYPES, *RULES, *OTHER_NAMES, *MATRICES, *TOKENS, *POSITIONS, *STATES,
]  # fmt: skip
WITH_HINT = [refusal for refusal in REFUSALS if refusal.hint]


def in_few_words(refusal: Refusal) -> str:
    return re.sub(r"[^\w.]+", "-", refusal.message)[:60]


@pytest.mark.parametrize("refusal", REFUSALS, ids=in_few_words)
def test_a_call_that_cannot_work_says_why(refusal: Refusal) -> None:
    with pytest.raises(refusal.error) as caught:
        refusal.call(**refusal.arguments)
    assert type(caught.value) is refusal.error
    np.testing.assert_equal(
        str(caught.value), f"{refusal.message} {refusal.hint}" if refusal.hint else refusal.message
    )


@pytest.mark.parametrize("refusal", WITH_HINT, ids=in_few_words)
def test_what_a_message_suggests_works(refusal: Refusal) -> None:
    names = {"numpy": np, **refusal.arguments}
    changed = {name: eval(code, names) for name, code in refusal.fixes.items()}
    refusal.call(**refusal.arguments | changed)


def test_no_suggestion_goes_untried() -> None:
    suggestion = re.compile(r"\b(try|pass|add|use)\b", re.IGNORECASE)
    for refusal in REFUSALS:
        np.testing.assert_equal(bool(refusal.hint), bool(refusal.fixes), refusal.message)
        np.testing.assert_equal(suggestion.search(refusal.message), None)


@pytest.mark.parametrize("error", [ShapeError, ParameterError])
def test_errors_are_value_errors_and_errors_of_regard(error: type[Exception]) -> None:
    assert issubclass(error, ValueError)
    assert issubclass(error, regard.RegardError)


def test_a_number_of_threads_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for wanted in ("0", "two"):
        monkeypatch.setenv("REGARD_THREADS", wanted)
        with pytest.raises(ParameterError) as caught:
            regard.attention(zeros(5, 3), zeros(7, 3), zeros(7, 2))
        np.testing.assert_equal(
            str(caught.value),
            "regard: the environment variable REGARD_THREADS must be a whole number ≥ 1. "
            f"Got {wanted!r}.",
        )


def test_a_tensor_that_requires_grad_is_refused_by_name() -> None:
    torch = peer("torch")
    tensor = torch.zeros(7, 3, requires_grad=True)
    with pytest.raises(ParameterError) as caught:
        regard.attention(torch.zeros(5, 3), tensor, torch.zeros(7, 2))
    np.testing.assert_equal(
        str(caught.value),
        "attention: key requires grad, and regard computes no gradients. Pass key.detach().",
    )
    regard.attention(torch.zeros(5, 3), tensor.detach(), torch.zeros(7, 2))


def test_a_scale_that_requires_grad_is_refused() -> None:
    torch = peer("torch")
    with pytest.raises(ParameterError) as caught:
        regard.attention(
            zeros(5, 3), zeros(7, 3), zeros(7, 2), scale=torch.tensor(0.5, requires_grad=True)
        )
    np.testing.assert_equal(
        str(caught.value),
        "attention: scale requires grad, and regard computes no gradients. Pass scale.detach().",
    )


@pytest.mark.parametrize("name", ["key", "mask"])
def test_what_is_suggested_for_a_dtype_works_for_a_tensor(name: str) -> None:
    torch = peer("torch")
    wrong = {"key": torch.ones(7, 3, dtype=bool), "mask": torch.ones(5, 7, dtype=torch.int64)}
    arguments = {"query": torch.zeros(5, 3), "key": torch.zeros(7, 3), "value": torch.zeros(7, 2)}
    arguments[name] = wrong[name]
    with pytest.raises(ParameterError) as caught:
        regard.attention(**arguments)
    suggestion = re.search(r"[Pp]ass (.+)\.$", str(caught.value))
    assert suggestion is not None
    arguments[name] = eval(suggestion[1], {"numpy": np, "torch": torch, **arguments})
    np.testing.assert_equal(tuple(regard.attention(**arguments).shape), (5, 2))


def test_a_traced_array_of_jax_is_refused() -> None:
    jax = peer("jax")
    with pytest.raises(ParameterError) as caught:
        jax.jit(lambda query: regard.attention(query, zeros(7, 3), zeros(7, 2)))(zeros(5, 3))
    np.testing.assert_equal(
        str(caught.value),
        "attention: query is a traced JAX array, which has no numbers yet. "
        "Call attention outside jit, grad and vmap.",
    )
