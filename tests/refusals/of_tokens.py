"""Tokens, positions and masks that do not fit a head."""

from __future__ import annotations

import numpy as np

from refusals.base import NUMBERS, Refusal, yes, zeros
from refusals.of_masks import MASK_DTYPE, NO_FIT, PER_BATCH, TABLE, TURNED
from regard import Head, MultiHead, ParameterError, ShapeError

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
        'For a mask of 0 and 1, pass mask.astype("bool").',
        {"mask": 'mask.astype("bool")'},
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
