"""Query, key and value that do not fit each other."""

from __future__ import annotations

import regard
from refusals.base import Refusal, attend, attend_in_batches, zeros
from regard import AttentionState, ParameterError, ShapeError

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
