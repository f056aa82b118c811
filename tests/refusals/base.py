"""A call that has to be refused, and what has to be said about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import regard

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


def in_few_words(refusal: Refusal) -> str:
    return re.sub(r"[^\w.]+", "-", refusal.message)[:60]


def attend(error: type[Exception], message: str, *hint: Any, **changes: Any) -> Refusal:
    """Refuse attention of 5 queries to 7 keys, d_k = 3 and d_v = 2, with some arguments changed."""
    arguments = {"query": zeros(5, 3), "key": zeros(7, 3), "value": zeros(7, 2)} | changes
    return Refusal(regard.attention, arguments, error, f"attention: {message}", *hint)


def attend_in_batches(error: type[Exception], message: str, *hint: Any, **changes: Any) -> Refusal:
    """The same with 2 batches of 3 heads."""
    arrays = {"query": zeros(2, 3, 5, 11), "key": zeros(2, 3, 7, 11), "value": zeros(2, 3, 7, 13)}
    return attend(error, message, *hint, **(arrays | changes))
