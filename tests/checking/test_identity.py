"""Formulas that hold for all inputs: right ones, wrong ones and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard.checking import check
from regard.errors import InvalidAnswer

FILE = read_answers("identity")
BUNDLED = (
    "stack-into-matrices",
    "scores-as-a-product",
    "outputs-as-a-product",
    "weights-are-a-distribution",
    "weights-as-probabilities",
)
STACK, SCORES, OUTPUTS, WEIGHTS, PROBABILITIES = BUNDLED
RIGHT = {"Q": "X W_Q", "K": "X W_K", "V": "X W_V"}


@pytest.mark.parametrize(
    ("name", "field", "spellings", "expected"),
    [
        (SCORES, "Z", ["K Q'", "(Q K')'"], "queries-and-keys-swapped"),
        (SCORES, "Z", ["Q K", "(K' Q')'"], "transpose-forgotten"),
        (SCORES, "Z", ["Q' K", "(K' Q)'"], "tokens-as-columns"),
        (SCORES, "Z", ["K' Q", "(Q' K)'"], "matrix-on-the-wrong-side"),
        (SCORES, "Z", ["Q K' / sqrt(D_K)", "D_K^(-1/2) Q K'"], "scaled-although-not-asked"),
        (SCORES, "Z", ["Q + K'", "K' + Q"], "sum-instead-of-product"),
        (SCORES, "Z", ["2 Q K'", "Q K' + (K Q')'"], "extra-factor"),
        (SCORES, "Z", ["(1/N) Q K'", "Q (K / N)'"], "size-as-factor"),
        (OUTPUTS, "C", ["A' V", "(V' A)'"], "transpose-forgotten"),
        (OUTPUTS, "C", ["V' A'", "(A V)'"], "transposed-result"),
        (OUTPUTS, "C", ["A K", "(K' A')'"], "keys-and-values-swapped"),
        (OUTPUTS, "C", ["exp(Q K') V", "(V' exp(K Q'))'"], "unnormalised-weights"),
        (OUTPUTS, "C", ["softmax(K Q')' V", "(V' softmax(K Q'))'"], "softmax-over-columns"),
        (OUTPUTS, "C", ["Q K' V", "Q (V' K)'"], "scores-instead-of-weights"),
        (OUTPUTS, "C", ["softmax(-Q K') V", "softmax(Q (-K)') V"], "sign-error"),
    ],
)
def test_a_tag_does_not_depend_on_the_spelling(
    name: str, field: str, spellings: list[str], expected: str
) -> None:
    for text in spellings:
        assert tag(check(name, {field: text})) == expected, text


def test_a_counterexample_is_one() -> None:
    found = check(SCORES, {"Z": "K Q'"})
    example = found.counterexample
    assert example is not None
    Q, K = np.array(example.arrays["Q"]), np.array(example.arrays["K"])
    np.testing.assert_allclose(np.array(example.arrays["Z"]), K @ Q.T)
    wanted = [[q @ k for k in K] for q in Q]
    np.testing.assert_allclose(np.array(example.arrays["Z by definition"]), wanted)
    assert not np.allclose(wanted, example.arrays["Z"])


def test_sizes_that_happen_to_agree_in_the_example_do_not_make_a_formula_right() -> None:
    found = check(SCORES, {"Z": "Q K"})  # 3 × 3 in the example
    assert [goal.passed for goal in found.goals] == [False, False]
    assert found.goals[0].sentence == "it comes to other numbers"
    assert found.goals[1].sentence == "the sizes do not fit"


def test_numbers_are_right_in_the_example_only() -> None:
    found = check(SCORES, {"Z": [[-17, -5, 23], [4, -2, 2], [2, 8, -20]]})
    assert [goal.passed for goal in found.goals] == [True, False]


def test_sampled_goals_say_how_sure_they_are() -> None:
    goal = check(OUTPUTS, {"C": "A V"}).goals[1]
    assert goal.trials == 24
    assert goal.sentence.endswith("with 95 % confidence at most 11.73% of instances fail")


def test_sizes_are_judged_where_they_are_given() -> None:
    found = check(STACK, RIGHT)
    assert len(found.goals) == 6
    assert found.remarks == (
        "The answer does not say the sizes of Q, K, V, so they were not judged.",
    )
    found = check(STACK, {**RIGHT, "shapes": {"V": ["N", "D"]}})
    assert found.goals[-1].sentence == "N × D is stated, and it is N × D_V"
    assert tag(found) == "other-shape"
    assert check(STACK, {**RIGHT, "shapes": {"V": [3, 2]}}).score == 1
    assert tag(check(STACK, {**RIGHT, "shapes": {"V": [2, 3]}})) == "shape-swapped"


def test_the_first_wrong_formula_does_not_spoil_the_others() -> None:
    found = check(STACK, {**RIGHT, "K": "W_K' X'"})
    assert found.score == pytest.approx(4 / 6)
    assert [goal.name for goal in found.goals if not goal.passed] == [
        "K in the example",
        "K for all inputs and sizes",
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"Q": "X W_Q"}, "answer: K is missing. Got Q."),
        (
            {**RIGHT, "Q": "W_Q"},
            "answer: Q has the wrong size: with N = 3, D = 2, D_K = 5, D_V = 7 it is 2 × 5 and must "
            "be 3 × 5.",
        ),
        (
            {**RIGHT, "Q": "X W"},
            "answer: Q: W is not a name in this problem. Declared are D, D_K, D_V, N, W_K, W_Q, W_V, "
            "X.",
        ),
        (
            {**RIGHT, "Q": "W_K' x_i"},
            "answer: Q: x_i is one row or entry, and the whole is asked for: use D, D_K, D_V, N, W_K, "
            "W_Q, W_V, X.",
        ),
        ({**RIGHT, "Q": True}, "answer: Q must be a formula."),
        ({**RIGHT, "Q": "X W_Q = X W_Q"}, "answer: Q must be a formula and not a condition."),
        ({**RIGHT, "Y": "X"}, "answer: Y is no field of this problem: use K, Q, V."),
        ({**RIGHT, "shape": "N"}, "answer: shape of which of Q, K, V? Use shapes."),
        ({**RIGHT, "shapes": {"Z": "N"}}, "answer: shapes.Z is not asked for: use Q, K, V."),
        (
            {**RIGHT, "shapes": {"Q": ["N", "M"]}},
            "answer: shapes.Q: M is no size here. Sizes are D, D_K, D_V, N.",
        ),
        (
            {**RIGHT, "shapes": "N"},
            'answer: shapes must be a table, such as { Q = ["N", "D"] }.',
        ),
    ],
)
def test_what_cannot_be_read_is_invalid(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(STACK, answer)
    assert str(caught.value) == message


def test_a_shape_that_fits_nothing_is_invalid() -> None:
    with pytest.raises(InvalidAnswer, match=r"^answer: Q: .*cannot be multiplied"):
        check(STACK, {**RIGHT, "Q": "W_V X W_K X"})
