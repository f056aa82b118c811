"""Arguments that other libraries call by other words, answered with the right ones.

A function takes `**other: Never`, so that type checkers refuse what it does not know, and hands it
to `refuse`; `known_words` leaves `other` out of the signature that people see.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from regard.errors import ParameterError

Function = TypeVar("Function", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

_NO_DROPOUT = "There is none here: leave it out."
_WEIGHTS = "Call attention_with_weights, which returns (output, weights)."
_PADDING = (
    "Here it is mask=~key_padding_mask{} (True = may attend), or key_lengths where the padding "
    "stands at the end."
)
# What the arguments of torch, JAX, flash-attention and xformers are called here.
OTHER_WORDS = {
    "attn_mask": "Here it is mask: True = may attend, or floats that are added to the scores.",
    "attention_mask": "Here it is mask: True = may attend, or floats that are added to the scores.",
    "attn_bias": "Here it is mask: floats are added to the scores.",
    "bias": "Here it is mask: floats are added to the scores.",
    "key_padding_mask": _PADDING.format("[:, None, None, :]"),
    "dropout_p": _NO_DROPOUT,
    "dropout": _NO_DROPOUT,
    "training": "Leave it out: nothing here differs between training and use.",
    "enable_gqa": "Leave it out: fewer key heads, a divisor of the query's, are shared.",
    "causal": "Here it is is_causal.",
    "softmax_scale": "Here it is scale, which multiplies the scores.",
    "temperature": "Here it is scale=1/temperature, which multiplies the scores.",
    "window_size": "Here it is window=(left, right).",
    "local_window_size": "Here it is window=(left, right).",
    "logits_soft_cap": "Here it is softcap.",
    "soft_cap": "Here it is softcap.",
    "key_value_seq_lengths": "Here it is key_lengths, one per batch.",
    "seqlens_k": "Here it is key_lengths, one per batch.",
    "need_weights": _WEIGHTS,
    "return_weights": _WEIGHTS,
    "return_attn_probs": _WEIGHTS,
    "return_lse": "Call attention_with_lse, which returns (output, lse).",
}
# What functions that compute attention have, beside the arrays.
KNOWN = (
    *("mask", "scale", "is_causal", "causal_offset", "window", "key_lengths", "softcap"),
    *("stage", "top", "offsets", "columns", "received"),
)


# Where heads over tokens differ from functions of queries, keys and values.
_OWN_SCALE = "The scale belongs to the heads: give it where they are made."
_OWN_WEIGHTS = "Call .weights with the same arguments."
HEAD_WORDS = {
    **OTHER_WORDS,
    **dict.fromkeys(("scale", "softmax_scale", "temperature"), _OWN_SCALE),
    **dict.fromkeys(("need_weights", "return_weights", "return_attn_probs"), _OWN_WEIGHTS),
    "enable_gqa": "Leave it out: W_K and W_V of fewer heads, a divisor of W_Q's, are shared.",
    "return_lse": "Heads return none: call attention_with_lse with x W_Q, x W_K and x W_V.",
}
# A head has no axis for heads.
ONE_HEAD_WORDS = {**HEAD_WORDS, "key_padding_mask": _PADDING.format("[:, None, :]")}


class UnknownArgument(ParameterError, TypeError):
    """An argument that a function does not have; also a TypeError, as Python's own is."""


def arguments_of(model: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Give a function, which takes the same by other means, the signature of another one."""
    signature = inspect.signature(model)

    def given(function: Callable[..., R]) -> Callable[P, R]:
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return given


def known_words(function: Function) -> Function:
    """Leave `**other` out of the signature of a function."""
    signature = inspect.signature(function)
    known = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    function.__signature__ = signature.replace(parameters=known)  # type: ignore[attr-defined]
    return function


def refuse(
    function: str,
    other: Mapping[str, object],
    known: tuple[str, ...],
    words: Mapping[str, str] = OTHER_WORDS,
) -> None:
    """Refuse the first of the arguments that a function does not have.

    Args:
        function: its name, for the message.
        other: what was given, by name.
        known: the names it has, for a word that is nearly one of them.
        words: what is said of the words of other libraries.
    """
    word = next(iter(other))
    told = words.get(word)
    if told is None:
        near = difflib.get_close_matches(word, known, 1)
        told = f"Is {near[0]} meant?" if near else ""
    raise UnknownArgument(f"{function}: there is no argument {word}. {told}".rstrip())
