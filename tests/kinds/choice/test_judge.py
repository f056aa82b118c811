"""What answers about statements may look like, and what is said of their reasons."""

from __future__ import annotations

from typing import Any

import pytest

import regard
from regard.errors import InvalidAnswer

P = "order-of-three-products"
NUMBERS = {"Q": [[1]], "K": [[1]], "V": [[2]]}
CHAIN = "(Q K') V = Q (K' V)"
RIGHT = {"true": ["a", "d"], "reason_a": CHAIN, "reason_b": NUMBERS}


def test_labels_and_a_list_say_the_same() -> None:
    labels = {"a": True, "b": False, "c": False, "d": True, "reason_a": CHAIN, "reason_b": NUMBERS}
    assert regard.check(P, RIGHT).score == regard.check(P, labels).score == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"a": True}, "answer: b is missing"),
        ({**RIGHT, "a": True}, "a is said twice"),
        ({**RIGHT, "z": True}, "z is no field"),
        ({**RIGHT, "true": ["a", "z"]}, "z is no statement: they are a, b, c, d"),
        ({"a": 1, "b": False, "c": False, "d": True}, "a must be true or false"),
        ({**RIGHT, "reason_a": 3}, "reason_a must be a table of numbers"),
        ({**RIGHT, "reason_b": {"Q": [[1]]}}, "numbers for K are missing"),
        ({**RIGHT, "reason_b": {**NUMBERS, "Z": [[1]]}}, "Z is no symbol"),
        ({**RIGHT, "reason_b": {**NUMBERS, "V": [1]}}, "V has 1 axes, not 2"),
        ({**RIGHT, "reason_b": {**NUMBERS, "V": [[1], [2]]}}, "the sizes of V do not fit"),
        ({**RIGHT, "reason_a": "(Q K') V = Z"}, "Z is not a name here"),
    ],
)
def test_what_cannot_be_read_is_refused(answer: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        regard.check(P, answer)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reason_a": NUMBERS}, "numbers are one case, and it is true for all"),
        ({"reason_b": CHAIN}, "numbers are wanted for which the sides differ"),
        ({"reason_b": {"Q": [[0]], "K": [[1]], "V": [[0]]}}, "the sides do not differ there"),
        ({"reason_a": "Q (V' K)' = Q V' K"}, "a formula of the chain is another one"),
    ],
)
def test_a_reason_that_is_none_costs_its_share(changed: dict[str, Any], words: str) -> None:
    verdict = regard.check(P, {**RIGHT, **changed})
    assert verdict.score == pytest.approx((5 - 0.5) / 5)
    assert any(words in goal.sentence for goal in verdict.goals if not goal.passed)


def test_a_permutation_that_is_none_refutes_nothing() -> None:
    identity = [[1, 0], [0, 1]]
    reason = {
        "X": identity,
        "W_Q": identity,
        "W_K": identity,
        "W_V": identity,
        "P": [[2, 0], [0, 1]],
    }
    answer = {"true": ["a", "e", "f"], "reason_b": reason}
    verdict = regard.check("order-masks-and-positions", answer)
    assert verdict.score is not None
    assert verdict.score < 1
    assert any("P is no permutation matrix" in goal.sentence for goal in verdict.goals)
