"""Blocks of heads that look T steps back: right ones, wrong ones and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer

FILE = read_answers("offset")
LOOK = "look-back-exactly"
ROTATION = "[[cos(w_i T), -sin(w_i T)], [sin(w_i T), cos(w_i T)]]"
ZERO = "[[0, 0], [0, 0]]"


def verdict(block: Any, off_block: Any = ZERO, name: str = LOOK, **more: Any) -> Verdict:
    return check(FILE.problem(name), {"block": block, "off_block": off_block, **more})


def position(t: int, d_model: int, base: float) -> np.ndarray:
    """Return e^t, entry by entry."""
    row = []
    for i in range(d_model // 2):
        angle = t / base ** (2 * i / d_model)
        row += [np.sin(angle), np.cos(angle)]
    return np.array(row)


@pytest.mark.parametrize("entry", FILE.wrong, ids=lambda entry: entry["note"])
def test_counterexamples_have_their_largest_score_elsewhere(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    found = FILE.judged(entry).counterexample
    assert found is not None
    A, scores = np.array(found.arrays["A"]), np.array(found.arrays["scores"])
    t, wanted = found.arrays["t"], found.arrays["t"] - found.arrays["T"]
    assert 0 <= wanted < len(scores)
    keys = np.array([position(tau, len(A), one.given.base) for tau in range(len(scores))])
    np.testing.assert_allclose(found.arrays["keys"], keys, atol=1e-12)
    with np.errstate(all="ignore"):
        recomputed = keys @ A @ position(t, len(A), one.given.base)
        np.testing.assert_allclose(scores, recomputed, rtol=1e-9, atol=1e-9)
        if np.all(np.isfinite(scores)) and tag(FILE.judged(entry)) != "not-finite":
            assert np.max(np.delete(scores, wanted)) >= scores[wanted] - 1e-9


def test_the_smallest_counterexample_to_the_transpose_is_two_positions() -> None:
    found = verdict("[[cos(w_i T), sin(w_i T)], [-sin(w_i T), cos(w_i T)]]").counterexample
    assert found is not None
    # A = R(-1), and e^1 turned on by 1 is e^2: its products with e^0 and e^1 are cos 2 and cos 1.
    np.testing.assert_allclose(found.arrays["scores"], [np.cos(2), np.cos(1)], atol=1e-12)
    assert found.sentence == (
        "With d_model = 2, n = 2 and T = 1 the query at t = 1 has the scores (-0.4161, 0.5403) for "
        "the keys 0 … 1: the largest is at τ = 1, and not at t − T = 0 alone."
    )


def test_a_verdict_says_where_the_queries_look_instead() -> None:
    sentences = {
        ROTATION
        + "'": "the query at t = 74 looks at τ = 84, 10 steps ahead, and not 10 steps back",
        "I": "the query at t = 74 looks at τ = 74, its own position, and not 10 steps back",
        ZERO: "all keys have the same score for the query at t = 74",
    }
    for block, sentence in sentences.items():
        assert verdict(block).goals[0].sentence == sentence


def test_the_factor_that_a_large_enough_weight_needs_is_told() -> None:
    # G35: d_model = 64, n = 128 and a tolerance of 0.01 need 4.882223497.
    assert verdict("C " + ROTATION).remarks == (
        "Here every query gives 0.99 of its weight to its key once C is at least 4.882223.",
    )
    assert "the factor of A is at least 2.441112" in verdict("2 " + ROTATION).remarks[0]


def test_a_narrow_head_is_told_how_many_blocks_it_can_keep() -> None:
    remarks = verdict(ROTATION, name="slower-frequencies").remarks
    assert remarks[-1] == "This A has rank 10, and W_K W_Q' at most d_k = 6: keep 3 of the blocks."


def test_blocks_may_have_any_factors_that_are_not_negative() -> None:
    angles = 2.0 * np.array([1.0, 0.01])
    turns = np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles])
    for factors in ([1.0, 1.0], [3.0, 0.2], [0.0, 5.0], [7.0, 0.0], [1e-9, 1e9]):
        blocks = np.array(factors)[:, None, None] * turns
        assert verdict(blocks, name="four-numbers-per-position").score == 1
    for factors in ([-1.0, 1.0], [0.0, 0.0], [0.0, -1.0]):
        blocks = np.array(factors)[:, None, None] * turns
        assert verdict(blocks, name="four-numbers-per-position").score == 0


def test_the_course_matrix_passes_and_its_transpose_fails_for_every_sign_of_T() -> None:
    data = problems.to_dict(problems.load(LOOK))
    for T in (-9, -1, 1, 9):
        one = problems.from_dict({**data, "given": {"d_model": 6, "n": 17, "T": T}})
        assert check(one, {"block": ROTATION, "off_block": 0}).score == 1
        found = check(one, {"block": ROTATION + "'", "off_block": 0})
        assert (found.score, tag(found)) == (0, "transposed-A")


def test_numbers_are_tried_on_the_instance_only() -> None:
    turn = [[np.cos(2), -np.sin(2)], [np.sin(2), np.cos(2)]]
    found = verdict([turn, np.eye(2).tolist()], name="four-numbers-per-position")
    assert [goal.scope for goal in found.goals] == ["this"]
    assert found.remarks[0] == "The answer is about T = 2 and d_model = 4 only, and was judged so."


def test_a_number_of_steps_is_no_answer_where_it_is_asked_for_in_T() -> None:
    numbers = ROTATION.replace("w_i T", "10 w_i")
    for block in (numbers, numbers + " + 0 T I", numbers + " + 0 [[1, 2], [3, 4]]"):
        found = verdict(block)
        assert found.score == 0
        assert tag(found) == "numbers-instead-of-formula"
        assert found.goals[0].sentence.startswith("right for the numbers of the problem, and wrong")
    width = ROTATION.replace("w_i T", "10000^(-i/32) T")
    assert (verdict(width).score, tag(verdict(width))) == (0, "numbers-instead-of-formula")


def test_numbers_for_another_d_model_than_that_of_the_blocks_are_missing() -> None:
    turns = [[[np.cos(3), -np.sin(3)], [np.sin(3), np.cos(3)]], np.eye(2).tolist()]
    data = problems.to_dict(problems.load(LOOK))
    given = {"d_model": 4, "n": 9, "T": 3}
    one = problems.from_dict({**data, "given": given, "statement": "Look back $T = 3$ steps."})
    found = check(one, {"block": turns, "off_block": 0})
    assert found.score == 0
    assert found.counterexample is not None
    assert found.counterexample.sentence == (
        "With d_model = 16 there are 8 blocks, and the answer lists 2."
    )
    known = {**data, "given": given, "statement": "Look back $T = 3$ steps, with $d_{model} = 4$."}
    assert check(problems.from_dict(known), {"block": turns, "off_block": 0}).score == 1


@pytest.mark.parametrize(
    ("factor", "bounds", "right"),
    [
        ("C^0.1", None, True),
        ("(log(C)/3)", None, True),
        ("(8 C/(1 + C))", None, True),
        ("exp(C)", None, True),
        ("(C - 1e9)", None, True),
        ("(1e9 - C)", None, False),
        ("C", "C > 0", True),
        ("(C - 5)", "C > 5", True),
        ("(C - 5)", "C >= 5", False),
        ("(C - 5)", "C > 0", False),
        ("(C - 5)", "C > 4.99", False),
        ("(5 - C)", "0 < C < 5", True),
        ("(5 - C)", "C < 6", False),
    ],
)
def test_an_open_factor_is_tried_where_it_could_fail(
    factor: str, bounds: str | None, right: bool
) -> None:
    more = {} if bounds is None else {"C": bounds}
    assert (verdict(f"{factor} {ROTATION}", **more).score == 1) == right


def test_the_factor_that_is_enough_is_told_only_where_more_of_it_is_more() -> None:
    assert verdict("C " + ROTATION).remarks
    assert not verdict("(C^2 + C) " + ROTATION).remarks
    with pytest.raises(InvalidAnswer, match="no number is within these bounds"):
        verdict("C " + ROTATION, C="C < -1")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"block": "I"}, "answer: off_block is missing. Got block."),
        (
            {"block": "cos(w_i T)", "off_block": ZERO},
            "answer: block must be a 2 × 2 matrix. It is a single number.",
        ),
        (
            {"block": "I", "off_block": "1"},
            "answer: off_block must be a 2 × 2 matrix. It is a single number.",
        ),
        (
            {"block": "cos(w_k T) I", "off_block": ZERO},
            "answer: block: w_k is not a name in this problem. Names with w are w_i and w_j. Declared are C, T, base, d_model, i, "
            "j, n, omega_i, omega_j, w_i, w_j.",
        ),
        (
            {"block": "cos(w_i T", "off_block": ZERO},
            'answer: block: This ( is never closed: ) is missing.\n  cos(w_i T\n     ^\nWrite a list, as in block = "[[w_i, 0], [0, T]]".',
        ),
        (
            {"block": [[[1, 0], [0, 1]]], "off_block": ZERO},
            "answer: block must be one 2 × 2 matrix, or 32 of them. It is 1 × 2 × 2.",
        ),
        (
            {"block": "I", "off_block": ZERO, "T": 3},
            "answer: T has a meaning in the problem: use another name.",
        ),
        (
            {"block": "w_i < 1", "off_block": ZERO},
            "answer: block must be a formula or a matrix of numbers.",
        ),
    ],
)
def test_what_cannot_be_read_is_invalid(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as error:
        check(LOOK, answer)
    assert str(error.value) == message
