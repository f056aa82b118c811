"""Formulas that hold for all inputs: right ones, wrong ones and what is said of them."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard.checking import check
from regard.errors import InvalidAnswer
from regard.problems import from_dict

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
    # Row 3 of Q is (1, -2, 8), column 1 of K is (-6, 0, 4), and k_1 is (-6, 0, 1).
    assert found.goals[0].sentence == "entry 3, 1 of Z is 26 and must be 2"
    assert found.goals[1].sentence == "the sizes do not fit"


def test_numbers_are_right_in_the_example_only() -> None:
    found = check(SCORES, {"Z": [[-17, -5, 23], [4, -2, 2], [2, 8, -20]]})
    assert [goal.passed for goal in found.goals] == [True, False]


def test_a_goal_says_whether_it_is_proved_or_how_sure_it_is() -> None:
    goal = check(OUTPUTS, {"C": "A V"}).goals[1]
    assert (goal.scope, goal.confidence) == ("all", None)
    assert goal.sentence.startswith("proved")
    goal = check(PROBABILITIES, {"alpha": "softmax(s)", "total": "max(1, 0, 1/2)"}).goals[3]
    assert (goal.passed, goal.scope, goal.trials) == (True, "sampled", 24)
    assert goal.sentence.endswith("with 95 % confidence at most 11.73% of instances fail")


@pytest.mark.parametrize(
    ("name", "answer", "field"),
    [
        (SCORES, {"Z": "1.0000000001 Q K'"}, "Z"),
        (SCORES, {"Z": "Q K' + 1e-30 Q K'"}, "Z"),
        (PROBABILITIES, {"alpha": "softmax(s)", "total": "0.99999999999"}, "total"),
        # Right for scores above -900, and for no others.
        (
            PROBABILITIES,
            {"total": "1", "alpha": "softmax(abs(s + 900 exp(0 s)) - 900 exp(0 s))"},
            "alpha",
        ),
        (OUTPUTS, {"C": "softmax(1.00000000001 Q K') V"}, "C"),
    ],
)
def test_a_formula_that_floats_do_not_tell_from_a_right_one_is_wrong(
    name: str, answer: dict[str, Any], field: str
) -> None:
    found = check(name, answer)
    assert {goal.name for goal in found.goals if not goal.passed} == {
        f"{field} for all inputs and sizes"
    }
    assert found.misconception is None
    example = found.counterexample
    assert example is not None
    # The counterexample again, in 60 digits.
    with mpmath.workdps(60):
        arrays = {one: mpmath.matrix(value) for one, value in example.arrays.items()}
        if name == PROBABILITIES and field == "alpha":
            apart = [abs(s + 900) - 900 - s for s in arrays["s"]]
            assert max(apart) != min(apart)
        elif name == SCORES:
            assert any(entry != 0 for entry in arrays["Q"] * arrays["K"].T)
        assert "by definition" in example.sentence


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (SCORES, {"Z": "1/4 ((Q + 2 Q) K' + Q K')"}),
        (SCORES, {"Z": "(Q' + 0 Q')' (K I(D_K))'"}),
        (OUTPUTS, {"C": "softmax(Q K' + exp(0 (Q K'))) V"}),
        (OUTPUTS, {"S": "exp(Q K' / 2)", "C": "softmax(2 log(S)) V"}),
        # exp(s + 900) is infinite in floats, and its share is not.
        (
            PROBABILITIES,
            {"e": "900 exp(0 s)", "alpha": "exp(s + e) / sum(exp(s + e))", "total": "sum(alpha)"},
        ),
        (PROBABILITIES, {"alpha": "exp(s - log(sum(exp(s))) exp(0 s))", "total": "1"}),
        (WEIGHTS, {"alpha": "exp(2 K q - K q) / sum(exp(K q))", "total": "alpha' exp(0 K q)"}),
    ],
)
def test_a_right_formula_in_another_form_is_proved(name: str, answer: dict[str, Any]) -> None:
    found = check(name, answer)
    assert found.right, str(found)
    assert all(goal.scope == "all" for goal in found.goals if "all inputs" in goal.name)


def test_a_formula_that_divides_by_0_somewhere_is_wrong() -> None:
    found = check(PROBABILITIES, {"alpha": "sum(s) softmax(s) / sum(s)", "total": "1"})
    assert found.score == 0.5


def test_numbers_that_the_definition_comes_to_nothing_for_are_left_out() -> None:
    def asked(shapes: dict[str, Any], equals: str) -> Any:
        head = {"schema": 1, "id": "p", "title": "p", "kind": "identity", "statement": "p"}
        goal = {"claims": [{"name": "F", "equals": equals}]}
        return from_dict({**head, "given": {"shapes": shapes}, "goal": goal})

    unit = asked({"u": ["d"]}, "u / norm(u)")  # 0/0 at 0
    assert check(unit, {"F": "3 u / norm(-3 u)"}).right
    assert not check(unit, {"F": "-3 u / norm(-3 u)"}).right
    inverse = asked({"A": [2, 2], "B": [2, 2]}, "B^-1 A^-1")  # singular matrices are drawn too
    assert check(inverse, {"F": "(A B)^-1"}).right
    assert not check(inverse, {"F": "(B A)^-1"}).right
    nowhere = asked({"x": []}, "log(-1 - x^2)")
    found = check(nowhere, {"F": "x"})
    assert not found.decided
    assert found.score is None


def test_the_example_alone_earns_nothing() -> None:
    found = check(SCORES, {"Z": [[-17, -5, 23], [4, -2, 2], [2, 8, -20]]})
    assert found.score == 0


def test_fixed_sizes_and_numbers_are_judged() -> None:
    rotation = "[[cos(t), -sin(t)], [sin(t), cos(t)]]"
    problem = from_dict(
        {
            "schema": 1, "id": "p", "title": "p", "kind": "identity", "statement": "p",
            "given": {"shapes": {"q": [2], "k": [2], "t": []}, "define": {"R": rotation}},
            "goal": {"claims": [{"name": "s", "equals": "(R q)' k"}]},
        }
    )  # fmt: skip
    assert check(problem, {"s": "q' R' k"}).right
    assert check(problem, {"s": "cos(t) q' k + sin(t) q' [[0, 1], [-1, 0]] k"}).right
    assert not check(problem, {"s": "q' R k"}).right
    assert not check(problem, {"s": "cos(t) q' k + sin(t) q' [[0, -1], [1, 0]] k"}).right


def test_sizes_that_are_asked_for_count_half_a_formula_each() -> None:
    found = check(STACK, RIGHT)
    assert found.score == pytest.approx(3 / 4.5)
    missing = [goal.name for goal in found.goals if not goal.passed]
    assert missing == ["the sizes of Q", "the sizes of K", "the sizes of V"]
    assert found.goals[-1].sentence == "they are asked for, and the answer does not say them"
    assert found.misconception is None
    assert found.counterexample is None
    shapes = {"Q": ["N", "D_K"], "K": "N x D_K"}
    found = check(STACK, {**RIGHT, "shapes": {**shapes, "V": ["N", "D"]}})
    assert found.score == pytest.approx(4 / 4.5)
    assert found.goals[-1].sentence == "N × D is stated, and it is N × D_V"
    assert tag(found) == "other-shape"
    # The statement has N and D_V, and not the numbers that they have in the example.
    assert check(STACK, {**RIGHT, "shapes": {**shapes, "V": [3, 2]}}).score == pytest.approx(
        4 / 4.5
    )
    assert tag(check(STACK, {**RIGHT, "shapes": {**shapes, "V": ["D_V", "N"]}})) == "shape-swapped"


def test_the_first_wrong_formula_does_not_spoil_the_others() -> None:
    shapes = {"Q": ["N", "D_K"], "K": ["N", "D_K"], "V": ["N", "D_V"]}
    found = check(STACK, {**RIGHT, "K": "W_K' X'", "shapes": shapes})
    assert found.score == pytest.approx(3.5 / 4.5)
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
        (
            {**RIGHT, "Q": "X W_Q = X W_Q"},
            "answer: Q: A field holds one formula, without =, such as Q = 'X W_Q'.",
        ),
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
