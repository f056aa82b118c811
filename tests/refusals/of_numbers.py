"""Numbers of the wrong kind, and rules out of range."""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from refusals.base import NUMBERS, RAGGED, attend, attend_in_batches, yes, zeros
from regard import ParameterError, ShapeError

DTYPES = [
    attend(
        ParameterError,
        f"key has dtype complex128. Need {NUMBERS}.",
        "Pass key.real, if the imaginary part is zero.",
        {"key": "key.real"},
        key=zeros(7, 3) + 0j,
    ),
    attend(ParameterError, f"value has dtype object. Need {NUMBERS}.", value=np.full((7, 2), None)),
    attend(
        ParameterError,
        f"value has dtype object. Need {NUMBERS}.",
        "Pass value.toarray().",
        {"value": "value.toarray()"},
        value=csr_array(zeros(7, 2)),
    ),
    attend(ParameterError, f"query has dtype <U5. Need {NUMBERS}.", query="query"),
    attend(
        ParameterError,
        f"query has dtype bool. Need {NUMBERS}.",
        'Pass query.astype("float64").',
        {"query": 'query.astype("float64")'},
        query=yes(5, 3),
    ),
    attend(
        ParameterError,
        f"value has dtype {np.dtype(np.longdouble)}. Need {NUMBERS}.",
        'Pass value.astype("float64").',
        {"value": 'value.astype("float64")'},
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
