"""What somebody could pass for an argument, and calls to pass it to."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

import regard
from fuzzing.drawing import Draw, some_array
from regard import AttentionState

ANYTHING: list[Any] = [
    *(None, True, False, np.True_, 0, 1, -1, 3, 2**63, 2**70, -(2**70)),
    *(0.5, -2.5, float("nan"), float("inf"), 1e300, 1e-300, 5e-324, 1j, Decimal(2), Fraction(1, 3)),
    *("", "1", "mean", "masked", "halves", b"1", bytearray(b"1"), range(3), slice(2), float),
    *((), (1,), (0, 2), (None, 1), (2**70, 0), (-1, 1), (1.5, 2), (2, 3)),
    *([], [1, 2], [[1], [2, 3]]),
    *({}, {"a": 1}, {3}, object(), np.float32(2), np.int8(3), np.longdouble(2), np.complex64(1j)),
    *(np.datetime64(1, "s"), np.timedelta64(1, "s"), np.ma.masked, np.array(3), np.array(0.5)),
    *(np.array([1, 2]), np.array([[1]]), np.array("1"), np.array(None), np.array(True)),
    *(np.ma.masked_array([1.0, 2.0], [True, False]), np.zeros(3, dtype=[("a", "f4")])),
]
FUNCTIONS = {
    "attention": regard.attention,
    "attention_with_weights": regard.attention_with_weights,
    "attention_with_lse": regard.attention_with_lse,
    "attention_scores": regard.attention_scores,
    "AttentionState.update": AttentionState.empty().update,
}
PLAIN = {
    "query": np.ones((2, 3, 5)),
    "key": np.ones((2, 4, 5)),
    "value": np.ones((2, 4, 1)),
    "mask": np.ones((3, 4), dtype=bool),
    **{"scale": 0.5, "is_causal": True, "causal_offset": 1, "window": (2, 2)},
    **{"key_lengths": 3, "softcap": 30.0},
}
MATRICES = {"W_Q": np.ones((5, 2)), "W_K": np.ones((5, 2)), "W_V": np.ones((5, 3))}
MATRICES |= {"W_O": np.ones((3, 4)), "b_Q": np.ones(2), "b_K": np.ones(2), "b_V": np.ones(3)}
STACKS = {name: np.stack([x, x]) for name, x in MATRICES.items()}
LAST = {"b_O": np.ones(4), "scale": 0.5}
TOKENS = {"x": np.ones((6, 5)), "context": np.ones((7, 5)), "positions": np.ones((7, 5))}
TOKENS |= {"mask": np.ones((6, 7), dtype=bool), "is_causal": False}
ROWS = {"output": np.ones((3, 2)), "lse": np.ones(3)}
EVERY_CALL: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    *((name, call, PLAIN) for name, call in FUNCTIONS.items() if name != "attention_scores"),
    (
        "attention_scores",
        regard.attention_scores,
        {name: x for name, x in PLAIN.items() if name != "value"} | {"stage": "raw"},
    ),
    (
        "attention_statistics",
        regard.attention_statistics,
        {name: x for name, x in PLAIN.items() if name != "value"}
        | {"top": 2, "offsets": (0, 1), "columns": (3,), "received": True},
    ),
    ("Head", regard.Head, MATRICES | LAST),
    ("Head", regard.Head(**MATRICES, **LAST), TOKENS),
    ("MultiHead", regard.MultiHead, STACKS | LAST | {"combine": "mean"}),
    ("MultiHead", regard.MultiHead(**STACKS, **LAST), TOKENS),
    ("sinusoidal", regard.sinusoidal, {"n": 3, "d_model": 4, "base": 9.0, "start": 1}),
    (
        "rotary",
        regard.rotary,
        {"x": np.ones((3, 4)), "positions": 2, "base": 9.0, "layout": "halves"},
    ),
    ("AttentionState.empty", AttentionState.empty, {"rows": (2, 3), "d_v": 2}),
    ("AttentionState.from_lse", AttentionState.from_lse, ROWS),
    (
        "AttentionState.merge",
        AttentionState.empty((3,), 2).merge,
        {"other": AttentionState.empty()},
    ),
]


def anything(draw: Draw) -> Any:
    return draw(st.sampled_from(ANYTHING)) if draw(st.booleans()) else some_array(draw)


def disturbed(draw: Draw, arguments: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Put something else in the place of up to three of the named arguments."""
    wrong = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    return arguments | {name: anything(draw) for name in wrong}


DISTURBED = st.composite(disturbed)
