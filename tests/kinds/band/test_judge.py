"""Which blocks are zeroed for a window: right answers, wrong ones and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer

FILE = read_answers("band")
LOOK = "look-back-roughly"


def verdict(zeroed: Any, **more: Any) -> Verdict:
    return check(LOOK, {"zeroed": zeroed, **more})


@pytest.mark.parametrize("entry", FILE.wrong, ids=lambda entry: entry["note"])
def test_no_accepted_phase_zeroes_what_a_counterexample_zeroes(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    found = FILE.judged(entry).counterexample
    assert found is not None
    d_model, B = found.arrays["d_model"], found.arrays["B"]
    phases = [one.given.base ** (-2 * i / d_model) * B / 2 for i in range(d_model // 2)]
    np.testing.assert_allclose(found.arrays["phases"], phases, rtol=1e-12)
    low, high = one.goal.accept
    for phase in [low, high, *(p for p in phases if low <= p <= high)]:
        assert found.arrays["zeroed"] != [i for i, p in enumerate(phases) if p > phase]


def test_every_accepted_first_block_passes_and_no_other() -> None:
    # G36: with d_model = 64 and B = 10 the first block kept is 7, 6, 5, 2 for π/4, π/3, π/2, π.
    scores = {m: verdict(list(range(m))).score for m in range(33)}
    assert [m for m, score in scores.items() if score == 1] == [2, 3, 4, 5, 6, 7]
    for phase, first in (("pi/4", 7), ("pi/3", 6), ("pi/2", 5), ("pi", 2)):
        found = verdict(f"w_i B/2 > {phase}")
        assert found.score == 1
        assert found.remarks[0].startswith(f"The fastest block kept, {first}, ")


def test_phases_outside_of_the_range_fail() -> None:
    for phase in (0.9 * math.pi / 4, 1.1 * math.pi):
        assert verdict(f"w_i B/2 > {phase}").score < 1


def test_one_answer_may_say_the_same_in_many_ways() -> None:
    spellings = (
        "w_i B/2 > pi/2",
        "2 i < d_model log(B/pi)/log(base)",
        "pi < w_i B",
        "cos(x) < 0 or x > 3",
        "i <= 4",
    )
    for text in spellings:
        more = {"x": "w_i B/2"} if "x" in text else {}
        assert verdict(text, **more).score == 1


def test_a_difference_is_written_in_blocks() -> None:
    assert verdict("i < 10").goals[0].sentence == (
        "zeroed: blocks 0 … 9; right: blocks 0 … 1 up to blocks 0 … 6"
    )
    assert verdict([0, 2, 4, 6]).goals[0].error == 3  # 1, 3 and 5 are missing
    assert (
        verdict([]).goals[0].sentence == "zeroed: no block; right: blocks 0 … 1 up to blocks 0 … 6"
    )


def test_the_smallest_counterexample_has_one_block() -> None:
    found = verdict("w_i B/2 < pi/2").counterexample
    assert found is not None
    assert found.sentence == (
        "With d_model = 2 and B = 10 the answer zeroes no block, and right would be block 0: block 0 "
        "is kept, although it turns by w_i B/2 = 5 from the middle to the edge, more than 3.142."
    )


def test_what_is_about_one_window_only_is_told() -> None:
    assert verdict("w_i > 0.3").remarks[0] == "The answer is about B = 10 only, and was judged so."
    assert verdict([0, 1, 2]).remarks[0] == (
        "The answer is made of numbers, so it was tried on this instance only."
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {},
            'answer: zeroed is missing. Got nothing. It is written like this (which is not the answer): zeroed = "2 i > 3 w_i + B".',
        ),
        (
            {"zeroed": "w_i B/2"},
            "answer: zeroed must be a condition on i such as w_i B/2 > pi/2, or a list of blocks.",
        ),
        (
            {"zeroed": True},
            "answer: zeroed must be a condition on i such as w_i B/2 > pi/2, or a list of blocks.",
        ),
        (
            {"zeroed": [0, 40]},
            "answer: zeroed: 40 is no block. Blocks are numbered from 0 to 31, each of two rows and "
            "two columns of A.",
        ),
        (
            {"zeroed": "w_k > 1"},
            "answer: zeroed: w_k is not a name in this problem. Names with w are w_i. Declared are B, T, base, d_model, i, "
            "n, omega_i, w_i.",
        ),
        (
            {"zeroed": "w_i >"},
            "answer: zeroed: The formula ends after >, where a value must follow.\n  w_i >\n       ^",
        ),
        (
            {"zeroed": "i < 7", "B": 3},
            "answer: B has a meaning in the problem: use another name.",
        ),
    ],
)
def test_what_cannot_be_read_is_invalid(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as error:
        check(LOOK, answer)
    assert str(error.value) == message


@pytest.mark.parametrize("zeroed", [r"i \in \{0, 1, 2\}", "0..4", "i = 0, 1, 2", "i ∈ [0, 4]"])
def test_a_set_of_blocks_is_told_how_to_be_written(zeroed: str) -> None:
    with pytest.raises(InvalidAnswer) as error:
        verdict(zeroed)
    assert str(error.value).endswith(
        "\nWrite a list of blocks as [0, 1, 2], or an inequality such as w_i B/2 > pi/2."
    )


@pytest.mark.parametrize("zeroed", ["0, 1, 2", "{0, 1, 2}"])
def test_numbers_with_commas_are_a_list_of_blocks(zeroed: str) -> None:
    assert verdict(zeroed).goals == verdict([0, 1, 2]).goals  # type: ignore[arg-type]


@pytest.mark.parametrize("zeroed", ["w_i B/2 >", "i + > 1", "2 3 > i"])
def test_other_mistakes_get_no_advice_about_sets(zeroed: str) -> None:
    with pytest.raises(InvalidAnswer) as error:
        verdict(zeroed)
    assert "Write a list of blocks" not in str(error.value)


def test_a_set_in_a_field_of_another_name_is_no_set_of_blocks() -> None:
    with pytest.raises(InvalidAnswer) as error:
        verdict("i < 7", zero=r"i \in \{0, 1\}")
    assert "Write a list of blocks" not in str(error.value)


def test_an_answer_is_right_for_every_window_or_not_at_all() -> None:
    found = verdict("w_i B/2 > 3.3")  # zeroes two blocks here, which is right
    assert found.score == 0
    assert found.goals[0].sentence.startswith("right for the numbers of the problem, and wrong on ")


def test_slow_blocks_are_called_swapped_only_if_the_others_are_right() -> None:
    assert tag(verdict("i >= 5")) == "frequencies-swapped"  # blocks 0 to 4 would be right
    assert tag(verdict("i >= 12")) == "not-the-fastest"  # and blocks 0 to 11 would not
    assert tag(verdict([31])) == "not-the-fastest"
