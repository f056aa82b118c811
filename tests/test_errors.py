"""What a person reads when a call cannot work: the whole message, and the fix tried out."""

from __future__ import annotations

import re

import numpy as np
import pytest

import regard
from peers.required import peer
from refusals.base import Refusal, in_few_words, zeros
from refusals.of_masks import MASKS
from refusals.of_matrices import MATRICES
from refusals.of_numbers import DTYPES, RULES
from refusals.of_positions_and_states import POSITIONS, STATES
from refusals.of_shapes import OTHER_NAMES, SHAPES
from refusals.of_tokens import TOKENS
from regard import ParameterError, ShapeError

REFUSALS = [
    *SHAPES, *MASKS, *DTYPES, *RULES, *OTHER_NAMES, *MATRICES, *TOKENS, *POSITIONS, *STATES,
]  # fmt: skip
WITH_HINT = [refusal for refusal in REFUSALS if refusal.hint]


@pytest.mark.parametrize("refusal", REFUSALS, ids=in_few_words)
def test_a_call_that_cannot_work_says_why(refusal: Refusal) -> None:
    with pytest.raises(refusal.error) as caught:
        refusal.call(**refusal.arguments)
    assert type(caught.value) is refusal.error
    np.testing.assert_equal(
        str(caught.value), f"{refusal.message} {refusal.hint}" if refusal.hint else refusal.message
    )


@pytest.mark.parametrize("refusal", WITH_HINT, ids=in_few_words)
def test_what_a_message_suggests_works(refusal: Refusal) -> None:
    names = {"numpy": np, **refusal.arguments}
    changed = {name: eval(code, names) for name, code in refusal.fixes.items()}
    refusal.call(**refusal.arguments | changed)


def test_no_suggestion_goes_untried() -> None:
    suggestion = re.compile(r"\b(try|pass|add|use)\b", re.IGNORECASE)
    for refusal in REFUSALS:
        np.testing.assert_equal(bool(refusal.hint), bool(refusal.fixes), refusal.message)
        np.testing.assert_equal(suggestion.search(refusal.message), None)


@pytest.mark.parametrize("error", [ShapeError, ParameterError])
def test_errors_are_value_errors_and_errors_of_regard(error: type[Exception]) -> None:
    assert issubclass(error, ValueError)
    assert issubclass(error, regard.RegardError)


@pytest.mark.parametrize(
    ("variable", "wanted", "rule"),
    [
        ("REGARD_THREADS", "0", "a whole number ≥ 1"),
        ("REGARD_THREADS", "two", "a whole number ≥ 1"),
        ("REGARD_KERNEL", "fast", "'native' or 'numpy'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(
    variable: str, wanted: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, wanted)
    with pytest.raises(ParameterError) as caught:
        regard.attention(zeros(5, 3), zeros(7, 3), zeros(7, 2))
    np.testing.assert_equal(
        str(caught.value),
        f"regard: the environment variable {variable} must be {rule}. Got {wanted!r}.",
    )


def test_a_tensor_that_requires_grad_is_refused_by_name() -> None:
    torch = peer("torch")
    tensor = torch.zeros(7, 3, requires_grad=True)
    with pytest.raises(ParameterError) as caught:
        regard.attention(torch.zeros(5, 3), tensor, torch.zeros(7, 2))
    np.testing.assert_equal(
        str(caught.value),
        "attention: key requires grad, and regard computes no gradients. Pass key.detach().",
    )
    regard.attention(torch.zeros(5, 3), tensor.detach(), torch.zeros(7, 2))


def test_a_scale_that_requires_grad_is_refused() -> None:
    torch = peer("torch")
    with pytest.raises(ParameterError) as caught:
        regard.attention(
            zeros(5, 3), zeros(7, 3), zeros(7, 2), scale=torch.tensor(0.5, requires_grad=True)
        )
    np.testing.assert_equal(
        str(caught.value),
        "attention: scale requires grad, and regard computes no gradients. Pass scale.detach().",
    )


@pytest.mark.parametrize("name", ["key", "mask"])
def test_what_is_suggested_for_a_dtype_works_for_a_tensor(name: str) -> None:
    torch = peer("torch")
    wrong = {"key": torch.ones(7, 3, dtype=bool), "mask": torch.ones(5, 7, dtype=torch.int64)}
    arguments = {"query": torch.zeros(5, 3), "key": torch.zeros(7, 3), "value": torch.zeros(7, 2)}
    arguments[name] = wrong[name]
    with pytest.raises(ParameterError) as caught:
        regard.attention(**arguments)
    suggestion = re.search(r"[Pp]ass (.+)\.$", str(caught.value))
    assert suggestion is not None
    arguments[name] = eval(suggestion[1], {"numpy": np, "torch": torch, **arguments})
    np.testing.assert_equal(tuple(regard.attention(**arguments).shape), (5, 2))


def test_a_traced_array_of_jax_is_refused() -> None:
    jax = peer("jax")
    with pytest.raises(ParameterError) as caught:
        jax.jit(lambda query: regard.attention(query, zeros(7, 3), zeros(7, 2)))(zeros(5, 3))
    np.testing.assert_equal(
        str(caught.value),
        "attention: query is a traced JAX array, which has no numbers yet. "
        "Call attention outside jit, grad and vmap.",
    )
