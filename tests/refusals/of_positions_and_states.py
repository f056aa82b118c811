"""Positions and states that cannot be made or joined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import regard
from refusals.base import NUMBERS, RAGGED, Refusal, zeros
from regard import AttentionState, ParameterError, ShapeError


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
