"""Goals whose weights rule their outputs out: impossible, and no head is right as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard import problems, solve
from regard.checking import check

LEAK = 0.0005  # half of the tolerance
HIGH = 30.0  # of the score of x_3
LOW = HIGH + float(np.log(LEAK / (1 - LEAK)))
HUGE = {"K": "I", "Q": f"{HIGH} w (u + v)' + {LOW} (u u' + v v')", "V": "2000 (u u' + v v')"}


def asked(second: str) -> Any:
    """Both x_1 and x_2 look at x_3; c_1 is u, and c_2 is to be this."""
    data = problems.to_dict(problems.load("choose-keys-queries-values"))
    data["given"] = {"basis": {"names": ["u", "v", "w"], "norm": 1.0}, "tokens": ["u", "v", "w"]}
    data["goal"] = {"attend": {"x_1": "x_3", "x_2": "x_3"}, "tolerance": 0.001}
    data["goal"]["outputs"] = {"c_1": "u", "c_2": second}
    return problems.from_dict(data)


def test_a_huge_V_reaches_the_numbers_by_what_the_tolerance_leaves() -> None:
    """By hand: weight 0.0005 of a value of length 2000 is an output of length 1."""
    scores = np.array([[LOW, 0.0, HIGH], [0.0, LOW, HIGH]])
    weights = np.exp(scores - HIGH) / np.sum(np.exp(scores - HIGH), axis=1, keepdims=True)
    assert np.max(np.abs(weights - [0, 0, 1])) < 0.001
    np.testing.assert_allclose(weights @ np.diag([2000, 2000, 0]), np.eye(3)[:2], atol=1e-3)


def test_impossible_is_right_and_a_huge_V_is_not_right_as_well() -> None:
    assert check(asked("v"), {"possible": False}).score == 1
    found = check(asked("v"), HUGE)
    assert found.score == 0.5
    assert [goal.passed for goal in found.goals] == [False, False, True, True]


def test_a_goal_that_does_not_contradict_itself_has_right_heads() -> None:
    head = {"K": "I", "Q": "20 w (u + v)'", "V": "u w'"}
    assert check(asked("u"), head).score == 1
    assert check(asked("u"), {"possible": False}).score == 0


def test_the_status_says_up_to_which_values_it_is_impossible() -> None:
    found = solve(asked("v"))
    spread = found.certificate.claims[0].fields["spread"]
    assert 10 <= spread < 2000
    assert found.outcome == f"impossible and proved, for values at most {spread:.0f} apart"
    assert f"Answer: {found.outcome}" in str(found.report())
