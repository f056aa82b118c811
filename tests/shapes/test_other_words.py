"""Arguments under the names that other libraries have for them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import regard
from regard.core import head_calls
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


ONE = regard.Head(X, X, X)
SEVERAL = regard.MultiHead([X, X], [X, X], [X, X])
OF_HEADS = {
    "attn_mask": "Here it is mask: True = may attend, or floats that are added to the scores.",
    "causal": "Here it is is_causal.",
    "scale": "The scale belongs to the heads: give it where they are made.",
    "need_weights": "Call .weights with the same arguments.",
    "contxt": "Is context meant?",
    "nonsense": "",
}


@pytest.mark.parametrize("word", OF_HEADS)
@pytest.mark.parametrize("method", ["", ".weights", ".plot"])
@pytest.mark.parametrize("heads", [ONE, SEVERAL], ids=["Head", "MultiHead"])
def test_heads_answer_too(heads: Any, method: str, word: str) -> None:
    call = getattr(heads, method[1:]) if method else heads
    with pytest.raises(regard.ParameterError) as caught:
        call(X, **{word: None})
    name = f"{type(heads).__name__}{method}"
    assert str(caught.value) == f"{name}: there is no argument {word}. {OF_HEADS[word]}".rstrip()
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(("heads", "axes"), [(ONE, ":, None, :"), (SEVERAL, ":, None, None, :")])
def test_padding_of_heads_is_masked_as_the_message_says(heads: Any, axes: str) -> None:
    padding = np.array([[False, True, False], [True, False, False]])
    given: dict[str, Any] = {"key_padding_mask": padding}
    with pytest.raises(regard.ParameterError) as caught:
        heads(np.ones((2, 3, 3)), **given)
    assert f"mask=~key_padding_mask[{axes}] (" in str(caught.value)
    mask = ~(padding[:, None, :] if axes == ":, None, :" else padding[:, None, None, :])
    weights = heads.weights(np.ones((2, 3, 3)), mask=mask)
    for found, wanted in zip(weights, ([0.5, 0, 0.5], [0, 0.5, 0.5]), strict=True):
        np.testing.assert_allclose(found, np.broadcast_to(wanted, found.shape))


def test_a_state_answers_too() -> None:
    given: dict[str, Any] = {"attn_mask": None}
    with pytest.raises(
        regard.ParameterError, match=r"^AttentionState.update: there is no argument"
    ):
        regard.AttentionState.empty().update(X, X, X, **given)


def test_the_words_that_heads_suggest_exist() -> None:
    for call in (regard.Head.__call__, regard.Head.weights):
        assert {"self", "x", *head_calls.KNOWN} == set(inspect.signature(call).parameters)
