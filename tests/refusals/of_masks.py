"""Masks that do not fit."""

from __future__ import annotations

import numpy as np

from refusals.base import RAGGED, attend, attend_in_batches, yes, zeros
from regard import ParameterError, ShapeError

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
        'For a mask of 0 and 1, pass mask.astype("bool").',
        {"mask": 'mask.astype("bool")'},
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
