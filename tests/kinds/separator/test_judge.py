"""Matrices that take a value out of a mixture: right ones, wrong ones and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers
from regard import problems
from regard.checking import Verdict, check
from regard.errors import InvalidAnswer

FILE = read_answers("separator")
AVERAGE, SUM = "take-a-value-out-of-an-average", "take-a-value-out-of-a-sum"


def verdict(name: str, **answer: Any) -> Verdict:
    return check(FILE.problem(name), answer)


@pytest.mark.parametrize("entry", FILE.wrong, ids=lambda entry: entry["note"])
def test_counterexamples_violate_what_was_asked_for(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    found = check(one, entry["answer"])
    assert found.counterexample is not None
    arrays = {name: np.array(array) for name, array in found.counterexample.arrays.items()}
    if "v" not in arrays:  # somebody said that there is none: all vectors are independent
        assert entry["tag"] == "claims-impossible"
        bases = np.hstack([arrays["S"], arrays["T"]])
        assert np.linalg.matrix_rank(bases) == bases.shape[1]
        return
    v, w, M = arrays["v"], arrays["w"], np.atleast_2d(arrays["M"])
    kept, dropped = (arrays["S"], arrays["T"])[:: 1 if one.goal.recover == "S" else -1]
    for vector, basis in ((v, kept), (w, dropped)):  # each lies in its subspace
        x = np.linalg.lstsq(basis, vector, rcond=None)[0]
        np.testing.assert_allclose(basis @ x, vector, atol=1e-12)
    np.testing.assert_allclose(arrays["c"], one.given.share * (v + w), atol=1e-12)
    if M.shape != (len(v), len(v)):  # it brings coordinates, one for each basis vector
        assert entry["tag"] in ("coordinates-instead-of-projection", "other-subspace")
        assert len(v) in M.shape
        assert {arrays["S"].shape[1], arrays["T"].shape[1]} & set(M.shape)
        return
    on_right = ("side" in entry["answer"] and entry["answer"]["side"][0] == "c") or (
        "side" not in entry["answer"] and one.goal.side == "c M"
    )
    made = arrays["c"] @ M if on_right else M @ arrays["c"]
    assert not np.linalg.norm(made - v) <= 1e-6


def test_the_counterexample_to_a_basis_of_unit_vectors_is_small() -> None:
    found = verdict(AVERAGE, M="2 S S'").counterexample
    assert found is not None
    np.testing.assert_allclose(
        np.array(found.arrays["S"]).T, [[1, 0, 0], [0.6, 0.8, 0]], atol=1e-15
    )
    # 2 S S' c with c = v/2 and v = s_1: s_1 + 0.6 s_2 = (1.36, 0.48).
    np.testing.assert_allclose(found.arrays["c' M"], [1.36, 0.48, 0], atol=1e-12)
    assert found.sentence == (
        "With v = (1, 0, 0) and w = (0, 0, 0), c' M is (1.36, 0.48, 0) and not v."
    )


def test_the_margin_says_what_to_multiply_by() -> None:
    found = verdict(AVERAGE, M="S pinv(S)")
    assert found.goals[0].sentence == "off by 0.5, and 1e-06 is allowed: M must be multiplied by 2"
    assert found.goals[0].error == pytest.approx(0.5)


def test_what_a_matrix_does_outside_of_both_subspaces_is_free() -> None:
    rng = np.random.default_rng(3)
    rows = [[1, 0, 0, 0, 0], [0, 0.6, 0.8, 0, 0]]
    given = {
        "d": 5,
        "S": {"law": "fixed", "rows": rows},
        "T": {"law": "fixed", "rows": [[0, 0, 0, 1, 0]]},
        "share": 0.5,
    }
    data = problems.to_dict(problems.load(AVERAGE)) | {"given": given, "goal": {"side": "M c"}}
    one = problems.from_dict(data)
    S, t = np.array(rows).T, np.array([[0, 0, 0, 1.0, 0]]).T
    both = np.hstack([S, t])
    away = np.eye(5) - both @ np.linalg.pinv(both)
    M = 2 * S @ S.T + rng.standard_normal((5, 5)) @ away
    assert check(one, {"M": M}).score == 1
    assert check(one, {"M": M + 0.1 * np.outer(S[:, 0], t[:, 0])}).score == 0


def test_sampled_goals_are_not_asked_of_numbers() -> None:
    found = verdict(AVERAGE, M=[[2, 0, 0], [0, 2, 0], [0, 0, 0]])
    assert [goal.scope for goal in found.goals] == ["this"]
    assert found.remarks == (
        "The numbers were read as coordinates, with S along the first 2 of the axes and T along "
        "the next 1.",
    )
    assert [goal.scope for goal in verdict(AVERAGE, M="2 S pinv(S)").goals] == [
        "this",
        "sampled",
        "adversarial",
    ]


def test_names_of_the_answer_may_use_those_before_them() -> None:
    assert verdict(AVERAGE, G="S' S", P="S G^-1 S'", M="2 P").score == 1
    with pytest.raises(InvalidAnswer, match="P: G is not a name"):
        verdict(AVERAGE, P="S G^-1 S'", G="S' S", M="2 P")


def test_an_answer_for_three_dimensions_is_not_tried_in_more() -> None:
    assert verdict(AVERAGE, M="2 I(3) - 2 T T'").score == 1


def test_the_answer_may_put_the_matrix_on_the_other_side() -> None:
    found = verdict(AVERAGE, M="2 S pinv(S)", side="M c")
    assert found.remarks == ("The answer says that M stands as in M c, and was judged so.",)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "answer: M is missing. Got nothing. It is written like this (which is not the answer): M = \"3 T T'\"."),
        ({"side": "M c"}, "answer: M is missing. Got side."),
        ({"M": "2 S S'", "side": "M + c"}, 'answer: side must be "M c" or "c M".'),
        ({"M": "2 S S'", "side": 1}, 'answer: side must be "M c" or "c M".'),
        (
            {"M": "2 A A'"},
            "answer: M: A is not a name in this problem. "
            "Declared are S, T, d, p, r, s_1, s_2, t_1.",
        ),
        (
            {"M": "2 S S"},
            "answer: M: A matrix of 3 × 2 cannot be multiplied by a matrix of 3 × 2: 2 is not 3. "
            "(2 S) S' would fit.\n  2 S S\n      ^",
        ),
        ({"M": "2 S S' +"}, "answer: M: "),
        (
            {"M": 2},
            "answer: M must be 3 × 3, so that it takes a vector of 3 entries to one. "
            "It is a single number.",
        ),
        (
            {"M": [[1, 2], [3, 4]]},
            "answer: M must be 3 × 3, so that it takes a vector of 3 entries to one. It is 2 × 2.",
        ),
        ({"M": ["S", "T"]}, "answer: M must be a formula or a matrix of numbers."),
        ({"M": "S = S"}, "answer: M: A field holds one formula, without =, such as M = 'S'."),
        ({"M": "2 S S'", "S": 2}, "answer: S has a meaning in the problem: use another name."),
        ({"M": "2 S S'", "possible": False}, "answer: M is given, although possible is false."),
        ({"possible": "S"}, "answer: possible must be true or false."),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_invalid_and_not_wrong(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(AVERAGE, answer)
    if message.endswith(": "):  # how the language words it is the language's business
        assert str(caught.value).startswith(message)
    else:
        assert str(caught.value) == message


def test_a_matrix_of_huge_numbers_does_not_pass_by_overflow() -> None:
    found = verdict(SUM, M=(1e308 * np.ones((3, 3))).tolist())
    assert found.score == 0
