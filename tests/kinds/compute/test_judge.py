"""Numbers of worked examples: right ones, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer, InvalidProblem

FILE = read_answers("compute")
BUNDLED = ("worked-queries-keys-values", "worked-scores", "worked-weighted-sum")
VECTORS, SCORES, SUM = BUNDLED


@pytest.mark.parametrize(
    ("name", "spellings", "expected"),
    [
        (SCORES, ["X W_Q W_K' x_3", "[23, 2, -20]"], "queries-and-keys-swapped"),
        (
            SCORES,
            ["[2, 8, -20] / sqrt(d_k)", "X W_K (W_Q' x_3 / sqrt(3))"],
            "scaled-although-not-asked",
        ),
        (SCORES, ["-[2, 8, -20]", "[2, -8, -20]"], "sign-error"),
        (SCORES, ["softmax([2, 8, -20])", "[0.0025, 0.9975, 0]"], "weights-instead-of-scores"),
        (SCORES, ["X W_K W_Q' x_1", "[4, -2, 2]"], "another-token"),
    ],
)
def test_a_tag_does_not_depend_on_the_spelling(
    name: str, spellings: list[str], expected: str
) -> None:
    for text in spellings:
        assert tag(check(name, {"z_3": text})) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("[-7.94, 0.067]", ""),
        ("1/2 [8, -18] + 1/2 [16, 27]", "carried-error"),
        ("[16, 27] + [-8, 0] + [8, -18]", "values-not-weighted"),
        ("[16/3, 3]", "values-not-weighted"),
    ],
)
def test_outputs_that_do_not_follow_from_the_weights_are_told_apart_from_those_that_do(
    output: str, expected: str
) -> None:
    wrong = expected == "carried-error"
    weights = [0.5, 0, 0.5] if wrong else [0.0025, 0.9975, 0]
    assert tag(check(SUM, {"a_3": weights, "c_3": output})) == expected


def test_a_counterexample_works_out_the_wrong_entry() -> None:
    printed = FILE.wrong[0]["answer"]
    found = check(VECTORS, printed)
    assert found.score == pytest.approx(8 / 9)
    example = found.counterexample
    assert example is not None
    assert example.sentence == "q_2 is not (-1, 0, 2): entry 3 is 2 and must be -2."
    # x_2 = (-1, 0) with the third column (2, -3) of W_Q.
    assert example.arrays["q_2 computed"][2] == -1 * 2 + 0 * -3
    assert "= -2" in example.steps[0][1]


def test_what_follows_from_a_wrong_number_is_said_to_do_so() -> None:
    found = check(
        FILE.problem("whole-chain"),
        {"q_2": [-1, 0, 2], "z_2": [8, 2, -10], "a_2": "softmax(z_2)", "c_2": [15.94, 26.93]},
    )
    assert found.score == 0
    assert found.remarks == tuple(
        f"{name} is what follows from the {origin} of the answer, which is wrong: the step itself is "
        "right."
        for name, origin in (("z_2", "q_2"), ("a_2", "q_2"), ("c_2", "a_2"))
    )
    goals = {goal.name: goal.sentence for goal in found.goals}
    assert goals["z_2"].endswith("; it follows from the q_2 of the answer")


def test_extra_work_that_is_wrong_does_not_count_against_a_right_answer() -> None:
    found = check(SCORES, {"q_3": [1, 2, 8], "z_3": [2, 8, -20]})
    assert found.score == 1
    assert found.misconception is None
    assert found.remarks == ("q_3 was not asked for, and is wrong.",)


@pytest.mark.parametrize(
    ("weights", "right"),
    [
        # The weights are 0.00247262, 0.99752738 and 6.9e-13.
        ([0.00, 1.00, 0.00], True),  # two decimals
        ([0.002, 0.998, 0], True),  # a whole number has as many decimals as its list
        ([0.0024, 0.9975, 0.0], True),  # cut off
        ([0.0025, 0.9976, 0.0], True),  # not by a whole unit of the last digit
        ([0, 1, 0], False),  # no decimals: exact, and wrong
        (["0", "1", "0"], False),
        ("[0, 1, 0]", False),
        ("1 [0, 1, 0]", False),
        ("[0.00, 1.00, 0.00]", True),
        (["0.00", "1.00", 0], True),
        (np.array([0, 1, 0]), False),
        ([0.0067, 0.9933, 0], False),  # within half a hundredth, but these digits are wrong
        ([0.0026, 0.9975, 0], False),
        ([0, 0.9975, 0], False),
        ([0.01, 0.99, 0.00], False),
    ],
)
def test_numbers_are_right_to_the_digits_written(weights: Any, right: bool) -> None:
    found = check(SUM, {"a_3": weights, "c_3": [-7.94, 0.07]})
    assert found.goals[0].passed == right, found.goals[0].sentence
    assert found.goals[1].passed


def test_a_number_with_too_few_decimals_is_told_how_many_to_write() -> None:
    sentence = check(SUM, {"a_3": [0, 1, 0], "c_3": [-7.94, 0.07]}).goals[0].sentence
    assert sentence == (
        "off by 0.00247, and 5e-07 is allowed: entry 1 is 0 and must be 0.00247262 (whole numbers are read as exact: "
        "write 2 decimals or more)"
    )


def test_two_decimals_count_however_large_a_number_is() -> None:
    assert check(SCORES, {"z_3": [2, 8.0049, -20]}).score == 0  # four decimals, three wrong
    assert check(SCORES, {"z_3": [2, 8, -20.00]}).score == 1
    found = check(SCORES, {"z_3": [2, 8, -20.01]})
    assert found.score == 0
    assert found.goals[0].error == pytest.approx(0.01)
    assert (
        found.goals[0].sentence
        == "off by 0.01, and 0.005 is allowed: entry 3 is -20.01 and must be -20"
    )


def test_what_is_asked_for_twice_counts_once() -> None:
    data = problems.to_dict(problems.load(SUM))
    data["goal"]["find"] = ["a_3", "a_3", "a_3", "c_3"]
    answer = {"a_3": [0.0025, 0.9975, 0], "c_3": [1.0, 2.0]}
    assert check(problems.from_dict(data), answer).score == 0.5


def test_wrong_digits_are_not_called_a_wrong_sign() -> None:
    assert tag(check(SCORES, {"z_3": [2, 8.004, -20]})) == ""
    assert tag(check(SCORES, {"z_3": [2, -8.004, -20]})) == ""
    assert tag(check(SCORES, {"z_3": [2, -8.00, -20]})) == "sign-error"


def test_a_number_is_said_to_follow_only_from_what_it_depends_on() -> None:
    # k_1 is wrong too, but the weights follow from the scores, and these from the query.
    answer = {"q_2": [-1, 0, 2], "v_1": [1, 1], "z_2": [8, 2, -10], "a_2": "softmax(z_2)"}
    found = check(FILE.problem("whole-chain"), {**answer, "c_2": "a_2' X W_V"})
    causes = [remark.split(" of the answer")[0] for remark in found.remarks]
    assert causes[:2] == ["z_2 is what follows from the q_2", "a_2 is what follows from the q_2"]
    assert not any("v_1 of" in remark for remark in found.remarks)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308])
def test_numbers_that_are_not_finite_or_absurd_never_pass(bad: float) -> None:
    found = check(SCORES, {"z_3": [2, bad, -20]})
    assert found.score == 0
    assert (tag(found) == "not-finite") == (not math.isfinite(bad))


def test_exact_fractions_are_read_as_what_they_are() -> None:
    data = problems.to_dict(FILE.problem("scaled-square"))
    data["goal"] = {"find": ["v_1"], "tolerance": 1e-12}
    asked = problems.from_dict(data)
    assert check(asked, {"v_1": ["1/2", 1]}).score == 1
    assert check(asked, {"v_1": [0.5000001, 1]}).score == 0


def test_weights_agree_with_an_independent_softmax() -> None:
    scores = np.array([4.0, -2.0, 2.0])
    weights = np.exp(scores) / np.exp(scores).sum()
    values = np.array([[16, 27], [-8, 0], [8, -18]])
    answer = {"q_2": [-1, 0, -2], "z_2": scores, "a_2": weights, "c_2": weights @ values}
    assert check(FILE.problem("whole-chain"), answer).score == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {},
            'answer: z_3 is missing. Got nothing. It is written like this (which is not the answer): z_3 = "[0.25, 1/3]".',
        ),
        ({"z_3": [2, 8]}, "answer: z_3 has 2 numbers and must have 3 numbers."),
        ({"z_3": [[2, 8], [1, 1]]}, "answer: z_3 has 2 rows of 2 numbers and must have 3 numbers."),
        ({"z_3": True}, "answer: z_3 must be a list of numbers or a formula."),
        (
            {"z_3": [2, [8, 1], -20]},
            "answer: z_3 must be a list of numbers, or of equal lists.",
        ),
        (
            {"z_3": [2, 8, -20], "z": 1},
            "answer: z is nothing that is computed here. Asked for are z_3.",
        ),
        (
            {"x_1": [1, 2], "z_3": [1, 2, 3]},
            "answer: x_1 is given in the problem: use another name.",
        ),
        (
            {"z_3": "K q"},
            "answer: z_3: K is not a name in this problem. Is W_K meant? Declared are W_K, W_Q, W_V, X, d_k, n, "
            "x_1, x_2, x_3.",
        ),
    ],
)
def test_what_cannot_be_read_is_invalid(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(SCORES, answer)
    assert str(caught.value) == message


def test_a_formula_that_cannot_be_read_is_invalid() -> None:
    with pytest.raises(InvalidAnswer, match=r"^answer: z_3: "):
        check(SCORES, {"z_3": "[1, 2"})
    with pytest.raises(InvalidAnswer, match=r"^answer: z_3: .*cannot be multiplied"):
        check(SCORES, {"z_3": "X X"})


def test_scores_whose_powers_cannot_be_written_out_are_refused() -> None:
    data = problems.to_dict(problems.load(SUM))
    data["given"]["scale"] = 10**6
    with pytest.raises(InvalidProblem, match=r"the scores reach 2\.3e\+07 in size"):
        problems.from_dict(data)
    data["goal"] = {"find": ["z_3"]}  # without powers of e they are as good as any
    answer = {"z_3": [2_000_000, 8_000_000, -20_000_000]}
    assert check(problems.from_dict(data), answer).score == 1
