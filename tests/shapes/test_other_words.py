"""Arguments under the names that other libraries have for them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import regard
from regard.shapes.other_words import KNOWN

X = np.eye(3)
MESSAGES = {
    "attn_mask": "Here it is mask: True = may attend, or floats that are added to the scores.",
    "dropout_p": "There is none here: leave it out.",
    "enable_gqa": "Leave it out: fewer key heads, a divisor of the query's, are shared.",
    "softmax_scale": "Here it is scale, which multiplies the scores.",
    "need_weights": "Call attention_with_weights, which returns (output, weights).",
    "is_casual": "Is is_causal meant?",
    "nonsense": "",
}


@pytest.mark.parametrize("word", MESSAGES)
def test_another_word_is_answered_with_the_right_one(word: str) -> None:
    given: dict[str, Any] = {word: None}
    with pytest.raises(regard.ParameterError) as caught:
        regard.attention(X, X, X, **given)
    wanted = f"attention: there is no argument {word}. {MESSAGES[word]}".rstrip()
    assert str(caught.value) == wanted
    assert isinstance(caught.value, TypeError)  # as Python's own error is


@pytest.mark.parametrize(
    "name",
    ["attention_with_weights", "attention_with_lse", "attention_scores", "attention_statistics"],
)
def test_every_function_that_attends_answers(name: str) -> None:
    given: dict[str, Any] = {"attn_mask": None}
    arrays = (X, X) if name in ("attention_scores", "attention_statistics") else (X, X, X)
    with pytest.raises(regard.ParameterError, match=f"^{name}: there is no argument attn_mask"):
        getattr(regard, name)(*arrays, **given)


def test_the_words_that_are_suggested_exist() -> None:
    functions = ("attention", "attention_scores", "attention_statistics")
    there = {
        word for name in functions for word in inspect.signature(getattr(regard, name)).parameters
    }
    assert set(KNOWN) <= there


def test_padding_is_masked_as_the_message_says() -> None:
    # torch's key_padding_mask: True = padding, (batch, n_k).
    padding = np.array([[False, True, False]])
    mask = ~padding[:, None, None, :]
    query, key = np.ones((1, 2, 5, 4)), np.ones((1, 2, 3, 4))
    _, weights = regard.attention_with_weights(query, key, key, mask=mask)
    np.testing.assert_allclose(weights, np.broadcast_to([0.5, 0, 0.5], (1, 2, 5, 3)))
