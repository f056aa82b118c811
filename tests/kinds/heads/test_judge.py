"""Queries of several heads: right ones, wrong ones, and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers
from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer

FILE = read_answers("heads")
PAIR = "two-heads-average"


def test_the_answer_of_003_gives_key_a_less_than_half_of_its_head() -> None:
    # e / (e + 3) = 0.4754: THEORY's G47.
    found = check("one-head-per-value", {"q_1": "mu_a", "q_2": "mu_b"})
    assert found.counterexample is not None
    weights = np.array([np.e, 1, 1]) / (np.e + 2)  # three keys are enough to see it
    expected = (weights + weights[[1, 0, 2]]) / 2
    np.testing.assert_allclose(found.counterexample.arrays["weights"], expected, rtol=1e-12)
    e = np.e
    share = (e / (e + 3) + 1 / (e + 3)) / 2
    off = np.array([share - 0.5] * 2 + [1 / (e + 3)] * 2)
    assert found.goals[0].error == pytest.approx(np.linalg.norm(off), rel=1e-12)
    assert found.goals[0].sentence == "off by 0.35, and 0.01 is allowed: ‖q‖ must grow about 5.29×"


def test_the_error_under_noise_is_that_of_a_simulation() -> None:
    found = check(
        FILE.problem("lasting-noise"), {"q_1": "4 (mu_a + mu_b)", "q_2": "2 mu_a + 5 mu_b"}
    )
    rng = np.random.default_rng(7)
    keys = np.eye(4) + 0.1 * rng.standard_normal((200_000, 4, 4))
    off = -np.array([0.5, 0.5, 0, 0])
    for query in (4 * np.array([1, 1, 0, 0]), np.array([2, 5, 0, 0])):
        powers = np.exp(keys @ query)
        off = off + powers / powers.sum(axis=1, keepdims=True) / 2
    simulated = np.sqrt(np.mean(np.sum(off**2, axis=1)))
    assert found.goals[0].error == pytest.approx(simulated, rel=0.03)


def test_pairs_that_no_length_makes_right_under_the_noise_are_judged_in_the_limit() -> None:
    found = check(PAIR, {"q_1": "12 (mu_a + mu_b)", "q_2": "12 (mu_a + mu_b)"})
    assert found.remarks == (
        "With alpha = 0.0001, queries of this direction are off by more than 0.001 whatever their "
        "length: they were judged in the limit.",
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"q_1": "C mu_a"}, "answer: q_2 is missing. Got q_1."),
        ({"q": "C mu_a"}, "answer: q_1 is missing. Got q."),
        ({"q_1": "C mu_a", "q_2": "q_1"}, "answer: q_2: q_1 is not a name in this problem. Declared are C, M, alpha, d, epsilon, mu_a, mu_b, n, v_a, v_b."),
        ({"q_1": "C mu_a", "q_2": "C mu_a'  mu_b"}, "answer: q_2 must be a vector of 6 entries, as long as a key. It is a single number; if the vector of zeros is meant, write zeros(6)."),
        ({"q_1": "C mu_a", "q_2": "C mu_b", "q_3": "C k"}, "answer: q_3: k is not a name in this problem. Declared are C, M, alpha, d, epsilon, mu_a, mu_b, n, v_a, v_b."),
        ({"q_1": "C mu_a", "q_2": "C mu_b", "alpha": 0}, "answer: alpha has a meaning in the problem: use another name."),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_invalid_and_not_wrong(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(PAIR, answer)
    assert str(caught.value) == message


def test_heads_may_each_need_a_target_of_their_own() -> None:
    """Three corners of a square: one head for the first, another for the edge of the other two."""
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    queries = 20 * np.array([[-1.0, -1.0], [1.0, 0.0]])
    powers = np.exp(queries @ square.T)
    weights = np.mean(powers / powers.sum(axis=1, keepdims=True), axis=0)
    np.testing.assert_allclose(weights, [0.5, 0.25, 0.25, 0], atol=1e-6)
    data = problems.to_dict(problems.load(PAIR))
    data["given"] = {"keys": square.tolist(), "names": {"a": 0, "b": 1, "c": 2}}
    data["goal"] = {"weights": {"a": 0.5, "b": 0.25, "c": 0.25}, "heads": 2, "tolerance": 1e-3}
    asked = problems.from_dict({**data, "id": "corners"})
    assert check(asked, {"possible": False}).score == 0
    numbers = dict(zip(("q_1", "q_2"), queries.tolist(), strict=True))
    assert check(asked, numbers).score == 1
