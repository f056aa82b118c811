"""Goals that say what each head is for: judged head by head, whichever does what, and proved so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import InvalidProblem, problems, solve
from regard.certify import verify
from regard.checking import check

FIXED = {"keys": [[1, 0, 2], [0, 3, 1], [1, 1, 0], [-2, 0, 1]], "names": {"a": 0, "b": 1, "c": 3}}
OWN = [{"a": 1.0}, {"a": 0.5, "b": 0.5}, {"c": 1.0}]
GOAL = {"weights": {"a": 0.5, "b": 1 / 6, "c": 1 / 3}, "heads": 3, "tolerance": 0.02}


def made(given: dict[str, Any] = FIXED, **goal: Any) -> Any:
    data = problems.to_dict(problems.load("one-head-per-value"))
    return problems.from_dict({**data, "given": given, "goal": {**GOAL, **goal}})


def weights(keys: Any, query: Any) -> Any:
    powers = np.exp(np.array(keys, float) @ np.array(query, float))
    return powers / np.sum(powers)


def test_the_same_query_in_both_heads_is_not_one_value_per_head() -> None:
    found = check("one-head-per-value", dict.fromkeys(("q_1", "q_2"), "C (mu_a + mu_b)"))
    assert found.score == 0
    assert found.misconception is not None
    assert found.misconception.tag == "heads-not-apart"
    # Each head is (1/2, 1/2) where (1, 0) is wanted, and counts a half.
    assert found.goals[0].error == pytest.approx(np.sqrt(0.5) / 2, rel=1e-5)
    assert found.counterexample is not None
    assert "each is to have one of (1, 0), (0, 1)" in found.counterexample.sentence


@pytest.mark.parametrize("order", [("mu_a", "mu_b"), ("mu_b", "mu_a")])
def test_heads_may_come_in_any_order(order: tuple[str, str]) -> None:
    answer = {f"q_{h + 1}": f"C {mean}" for h, mean in enumerate(order)}
    assert check("one-head-per-value", answer).score == 1


def test_the_same_query_is_right_where_the_average_alone_counts() -> None:
    data = problems.to_dict(problems.load("one-head-per-value"))
    data["goal"]["per_head"] = []
    answer = dict.fromkeys(("q_1", "q_2"), "C (mu_a + mu_b)")
    assert check(problems.from_dict(data), answer).score == 1


def test_each_head_is_proved_near_its_own_part() -> None:
    asked = made(per_head=OWN)
    found = solve(asked)
    assert found.outcome == "solved and proved"
    assert found.reaches == (0, 1, 2, 3)
    for h, own in enumerate(OWN):
        wanted = np.zeros(4)
        for name, share in own.items():
            wanted[FIXED["names"][name]] = share
        got = weights(FIXED["keys"], found.answer[f"q_{h + 1}"])
        assert np.linalg.norm(got - wanted) <= 3 * 0.02
    assert check(asked, dict(found.answer)).score == 1
    mixed = dict(found.answer, q_1=found.answer["q_2"], q_2=found.answer["q_2"])
    assert check(asked, mixed).score == 0


def test_a_certificate_of_heads_fails_when_two_of_them_change_places() -> None:
    found = solve("one-head-per-value").certificate.to_dict()
    assert verify(found).holds
    for claim in found["claims"][1:]:
        claim["witness"]["head_weights"].reverse()
    assert not verify(found).holds


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        (OWN[:2], "per_head: 2 entries for 3 heads"),
        ([{"a": 1.0}, {"a": 1.0}, {"c": 1.0}], "the average over heads gives a 0.666667, and"),
        ([{"a": 1.0}, {"a": 0.5, "b": 0.5}, {"d": 1.0}], "gives c 0, and weights say 0.333333"),
        ([{"a": 0.9}, {"a": 0.6, "b": 0.5}, {"c": 1.0}], "the weights of entry 1 must sum to 1"),
    ],
)
def test_heads_that_do_not_make_up_the_average_are_refused(own: Any, sentence: str) -> None:
    with pytest.raises(InvalidProblem, match=sentence):
        made(per_head=own)
