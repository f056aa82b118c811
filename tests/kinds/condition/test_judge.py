"""When something happens: right conditions, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer

FILE = read_answers("condition")
BUNDLED = (
    "copy-a-value",
    "one-key-dominates",
    "output-under-dominance",
    "overwhelming-weight",
    "query-along-a-key",
    "when-a-key-can-win",
)
COPY, DOMINATES, OUTPUT, PAIRS, ALONG, CAN_WIN = BUNDLED


def verdict(name: str, condition: str) -> Verdict:
    return check(name, {"condition": condition})


def exactly(name: str) -> Any:
    data = problems.to_dict(problems.load(name))
    data["goal"]["exact"] = True
    return problems.from_dict(data)


def softmax(scores: Any) -> Any:
    powers = np.exp(np.array(scores) - np.max(scores))
    return powers / powers.sum()


@pytest.mark.parametrize(
    ("name", "spellings", "expected"),
    [
        (
            DOMINATES,
            ["s_j >= 50 s_i", "s_j/s_i > 100", "s_i < s_j/n"],
            "ratio-instead-of-difference",
        ),
        (
            DOMINATES,
            ["s_j - s_i >= log(1/epsilon)", "exp(s_i) <= epsilon exp(s_j)"],
            "pairwise-instead-of-mass",
        ),
        (DOMINATES, ["s_j > s_i", "exp(s_j)/exp(s_i) > 1", "s_j >= max(s)"], "largest-score-only"),
        (DOMINATES, ["s_i - s_j >= 9", "s_j + 9 < s_i", "s_j - s_i < 9"], "wrong-direction"),
        (DOMINATES, ["s_j - s_i >= 2", "s_j >= log(n/epsilon)"], "not-sufficient"),
        (DOMINATES, ["1 > 2", "n < 0", "s_j > s_i + 9 and s_j < s_i"], "never-holds"),
        (DOMINATES, ["2 > 1", "n > 0", "s_j = s_j"], "always-holds"),
        (PAIRS, ["s_i >= 100 s_j", "s_j <= s_i/R"], "ratio-instead-of-difference"),
        (ALONG, ["k_j' k_i < 1", "norm(k_i - k_j) > 0", "k_j != k_i"], "alignment-without-norms"),
        (ALONG, ["k_j' k_j >= k_i' k_j", "(k_i - k_j)' k_j <= 0"], "equality-is-not-enough"),
        (ALONG, ["k_j' k_j < k_i' k_j", "(k_i - k_j)' k_j > 0"], "wrong-direction"),
        (CAN_WIN, ["k_i != k_j", "norm(k_i - k_j) > 0"], "different-is-not-enough"),
        (CAN_WIN, ["k_i' q >= k_j' q", "(k_j - k_i)' q <= 0"], "equality-is-not-enough"),
    ],
)
def test_a_tag_does_not_depend_on_the_spelling(
    name: str, spellings: list[str], expected: str
) -> None:
    for text in spellings:
        assert tag(verdict(name, text)) == expected, text


@pytest.mark.parametrize(
    ("name", "spellings", "expected"),
    [
        (DOMINATES, ["s_j - s_i >= 1/epsilon", "epsilon (s_j - s_i) > n"], "threshold-without-log"),
        (DOMINATES, ["s_j - s_i >= 100", "s_j > 90 + s_i"], "not-necessary"),
        (PAIRS, ["s_i - s_j >= log(R) + log(n - 1)"], "mass-instead-of-pairwise"),
        (PAIRS, ["s_i - s_j >= log(n R)"], "not-necessary"),
        (CAN_WIN, ["k_i' k_i > k_j' k_i", "(k_i - k_j)' k_i > 0"], "key-as-its-own-query"),
    ],
)
def test_sufficient_is_right_and_half_where_exactly_is_asked(
    name: str, spellings: list[str], expected: str
) -> None:
    for text in spellings:
        found = verdict(name, text)
        assert found.score == 1
        assert "It is sufficient, and not exactly necessary: " in found.remarks[-1]
        strict = check(exactly(name), {"condition": text})
        assert strict.score == 0.5
        assert [goal.passed for goal in strict.goals] == [True, False]
        assert tag(strict) == expected, text


def test_a_condition_that_is_not_sufficient_comes_with_an_instance_that_shows_it() -> None:
    found = verdict(COPY, "s_j - s_i >= log((1 - epsilon)/epsilon)")
    assert [goal.passed for goal in found.goals] == [False]
    assert found.counterexample is not None
    scores = np.array(found.counterexample.arrays["s"])
    np.testing.assert_array_equal(scores, [14, 0, 0])
    assert np.all(scores[0] - scores[1:] >= math.log((1 - 1e-6) / 1e-6))
    assert softmax(scores)[0] < 1 - 1e-6
    assert found.goals[0].sentence.endswith(
        ": with all others alike it asks for a gap of 13.8155, and 16.0127 is needed"
    )


def test_a_condition_that_is_not_necessary_comes_with_an_instance_that_shows_it() -> None:
    text = "s_j >= 100 s_i and s_j - s_i >= log(n/epsilon)"
    found = check(exactly(DOMINATES), {"condition": text})
    assert [goal.passed for goal in found.goals] == [True, False]
    assert found.counterexample is not None
    scores = np.array(found.counterexample.arrays["s"])
    gap = math.log(len(scores) / 1e-3)
    assert not np.all((scores[0] >= 100 * scores[1:]) & (scores[0] - scores[1:] >= gap))
    assert softmax(scores)[0] >= 1 - 1e-3


def test_keys_that_break_a_condition_are_shown_with_a_query() -> None:
    found = verdict(ALONG, "k_j' k_i < norm(k_j) norm(k_i)")
    assert found.counterexample is not None
    keys = np.array(found.counterexample.arrays["keys"])
    assert np.all(keys[1:] @ keys[0] < np.linalg.norm(keys[0]) * np.linalg.norm(keys[1:], axis=1))
    assert softmax(keys @ (1e4 * keys[0]))[0] <= 0.5 + 1e-9


def test_no_query_helps_a_key_that_is_an_average_of_others() -> None:
    found = verdict(CAN_WIN, "k_i != k_j")
    assert found.counterexample is not None
    keys = np.array(found.counterexample.arrays["keys"])
    np.testing.assert_array_equal(keys, [[0, 0], [1, 0], [-1, 0]])
    np.testing.assert_allclose(keys[0], (keys[1] + keys[2]) / 2)


def test_a_gap_that_is_enough_is_right_and_told_not_to_be_necessary() -> None:
    found = verdict(DOMINATES, "s_j - s_i >= log((n - 1) (1 - epsilon)/epsilon)")
    assert found.score == 1
    (remark,) = found.remarks
    assert remark.startswith("It is sufficient, and not exactly necessary: for the scores ")


def test_the_exact_condition_is_told_to_be_exact() -> None:
    found = verdict(DOMINATES, "exp(s_j) >= (1 - epsilon) sum(exp(s))")
    assert found.remarks == ("No instance was found with the effect and without the condition.",)


def test_scores_that_overflow_in_float64_do_not_make_a_right_condition_wrong() -> None:
    data = problems.to_dict(problems.load(DOMINATES))
    data["goal"]["epsilon"] = 1e-90  # needs a gap beyond 200, and so powers beyond e^600
    asked = problems.from_dict(data)
    text = "s_j - log(sum(exp(s)) - exp(s_j)) >= log((1 - epsilon)/epsilon)"
    assert check(asked, {"condition": text}).score == 1


def test_ties_are_decided_without_rounding() -> None:
    # norm((1, 1))^2 is 2.0000000000000004 in float64.
    assert verdict(ALONG, "norm(k_j)^2 > k_i' k_j").score == 1


@pytest.mark.parametrize("name", BUNDLED)
def test_a_condition_that_is_not_a_number_never_passes(name: str) -> None:
    for text in ("0/0 > 1", "0/0 = 0/0", "log(-1) < 5 or 0/0 <= 0"):
        assert verdict(name, text).score < 1


@pytest.mark.parametrize("name", BUNDLED)
def test_what_always_or_never_holds_earns_nothing(name: str) -> None:
    for text in ("n > 0", "n < 0", "1 > 2", "2 > 1"):
        for asked in (name, exactly(name)):
            found = check(asked, {"condition": text})
            assert found.score == 0
            assert tag(found) == (
                "always-holds" if ">" in text and text != "1 > 2" else "never-holds"
            )


def test_an_open_factor_has_to_do_for_every_large_one() -> None:
    found = verdict(DOMINATES, "s_j - s_i >= C")
    assert found.score == 1
    assert found.remarks[0].startswith("C was left open: every C from ")
    least = float(found.remarks[0].split()[7])
    assert 8.0054 <= least <= 12


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("s_j - s_i >= C^0.1", 1),
        ("s_j - s_i >= 8 C/(1 + C)", 0),
        ("s_j >= C", 0),
        pytest.param("s_j - s_i >= log(C)/3", 1, marks=SLOW),
        pytest.param("s_j - s_i >= 9 C/(1 + C)", 1, marks=SLOW),
        pytest.param("C (s_j - s_i) >= 1", 0, marks=SLOW),
        pytest.param("s_j - s_i >= 9/C", 0, marks=SLOW),
    ],
)
def test_an_open_factor_counts_whatever_its_growth(text: str, score: float) -> None:
    assert verdict(DOMINATES, text).score == score
    assert tag(verdict(DOMINATES, "s_j/s_i >= C")) == "ratio-instead-of-difference"


def test_a_condition_in_numbers_is_about_the_numbers_of_the_problem() -> None:
    # ln(3 * 999) = 8.00537 is needed: 8.01 is enough, 8.005 is what it is to three digits.
    assert verdict(DOMINATES, "s_j - s_i >= 8.01").score == 1
    found = verdict(DOMINATES, "s_j - s_i >= 8.005")
    assert found.score == 1
    assert found.goals[0].sentence == (
        "to the digits that are written: with all others alike it asks for a gap of 8.005, and "
        "8.00537 is needed"
    )
    for text in ("8", "8.0", "8.00", "8.004", "7.99"):
        found = verdict(DOMINATES, f"s_j - s_i >= {text}")
        assert found.score == 0
        assert "sufficient" not in " ".join(found.remarks)


def test_an_exact_condition_is_necessary_within_three_digits() -> None:
    for gap, score in (("4.6052", 1), ("4.608", 1), ("4.615", 0.5), ("4.60", 0)):
        found = check(exactly(PAIRS), {"condition": f"s_i - s_j >= {gap}"})
        assert found.score == score, gap


def test_names_follow_the_letters_of_the_problem() -> None:
    data = problems.to_dict(problems.load(DOMINATES))
    data["given"]["names"] = {"a": 2}
    data["goal"] |= {"of": "a", "other": "l"}
    asked = problems.from_dict(data)
    assert check(asked, {"condition": "s_a - s_l >= log(n/epsilon)"}).score == 1


def test_scores_are_scaled_as_the_problem_says() -> None:
    data = problems.to_dict(problems.load(PAIRS))
    data["given"]["scale"] = 0.25
    asked = problems.from_dict(data)
    assert check(asked, {"condition": "1/4 (k_i - k_j)' q >= log(R)"}).score == 1
    assert check(asked, {"condition": "(k_i - k_j)' q >= log(R)"}).score < 1


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        (
            COPY,
            {},
            'answer: condition is missing. Got nothing. It is written like this (which is not the answer): condition = "2 s_j + s_i >= 1".',
        ),
        (
            COPY,
            {"condition": "s_j - s_i"},
            "answer: condition must be an inequality, such as a - b >= 1.",
        ),
        (COPY, {"condition": True}, "answer: condition must be an inequality, such as a - b >= 1."),
        (
            COPY,
            {"condition": "alpha_j >= 1 - epsilon"},
            "answer: condition: alpha_j is what is asked about: say it of the scores, of which "
            "alpha_j is exp(s_j)/sum(exp(s)).",
        ),
        (
            ALONG,
            {"condition": "s_j > s_i"},
            "answer: condition: s_i is not a name in this problem. Is k_i meant? Declared are k_i, k_j, n.",
        ),
        (
            COPY,
            {"condition": "s_j > s_i", "gap": 3},
            "answer: gap is no field of this kind of problem: use condition.",
        ),
        (
            COPY,
            {"condition": "s_j - s_i > n", "n": 3},
            "answer: n has a meaning already: use another name.",
        ),
        (
            COPY,
            {"condition": "s_j - s_i > gap", "gap": [1, 2]},
            "answer: gap must be a number or a formula.",
        ),
    ],
)
def test_what_cannot_be_read_is_invalid(name: str, answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(name, answer)
    assert str(caught.value) == message


def test_much_larger_is_asked_for_a_number() -> None:
    with pytest.raises(InvalidAnswer, match="says no number: write how much is enough"):
        verdict(COPY, "s_j >> s_i")


def test_shapes_that_do_not_fit_are_invalid() -> None:
    with pytest.raises(InvalidAnswer, match=r"^answer: condition: "):
        verdict(ALONG, "k_j k_i > 1")
