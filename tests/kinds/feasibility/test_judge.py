"""What comes out of tokens without matrices, and whether a change helps: answers judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checking.answer_files import read_answers, tag
from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer
from regard.kinds.feasibility.instance import instance, nearest

FILE = read_answers("feasibility")
TOKENS = "tokens-as-their-own-keys"


def attend(tokens: np.ndarray, row: int, scale: float = 1.0) -> np.ndarray:
    powers = np.exp(scale * (tokens @ tokens[row]))
    return powers @ tokens / powers.sum()


@pytest.mark.parametrize("entry", FILE.wrong, ids=lambda entry: entry["note"])
def test_counterexamples_are_what_really_comes_out(entry: dict[str, Any]) -> None:
    one = FILE.problem(entry["problem"])
    found = check(one, entry["answer"]).counterexample
    assert found is not None
    arrays = {name: np.array(array) for name, array in found.arrays.items()}
    tokens = arrays["tokens"].copy()
    label = next(iter(one.goal.output))
    if "answer" in arrays:
        output = attend(tokens, int(label[2:]) - 1, one.given.scale)
        np.testing.assert_allclose(arrays[label], output, atol=1e-12)
        assert not np.linalg.norm(arrays["answer"] - output) <= one.goal.tolerance * 3
        return
    changed = one.given.change.token
    tokens[int(changed[2:]) - 1] = arrays[changed]
    output = attend(tokens, int(label[2:]) - 1, one.given.scale)
    np.testing.assert_allclose(arrays[label], output, rtol=1e-9, atol=1e-12)
    near = np.linalg.norm(output - arrays["wanted"]) / np.linalg.norm(arrays["wanted"])
    claimed = entry["answer"]["possible"]
    assert (near <= one.goal.tolerance) != claimed


def test_the_best_multiple_of_the_handout_is_far_from_the_goal() -> None:
    # No weights at all bring c_2 nearer than sqrt(2/5) of the length of u_b.
    found = nearest(instance(problems.load(TOKENS)))  # type: ignore[arg-type]
    assert found.error > np.sqrt(2 / 5)
    lines = [np.linspace(-5, 5, 2001), np.linspace(-0.02, 0.02, 2001)]
    u = 3 * np.eye(4)
    errors = []
    for added in (u[3], u[2]):
        for factor in np.concatenate(lines):
            tokens = np.array([u[3] + u[1], u[0] + factor * added, u[2] + u[1]])
            errors.append(np.linalg.norm(attend(tokens, 1) - u[1]) / 3)
    assert found.error == pytest.approx(min(errors), abs=1e-6)


def test_a_narrow_window_of_multiples_is_found() -> None:
    """Half of each of two long tokens is reached only where their scores are nearly equal."""
    given = {
        "parameters": {"beta": 250.0},
        "basis": {"names": ["u_a", "u_b"], "norm": "beta"},
        "tokens": ["3 u_a", "u_b", "2 u_b"],
        "change": {"token": "x_2", "add": ["u_a"]},
    }
    goal = {"output": {"c_2": "1.5 u_a + u_b"}, "tolerance": 0.001}
    data = problems.to_dict(problems.load(TOKENS)) | {"given": given, "goal": goal}
    # Scores with x_2 = u_b + f u_a: 3 f and 1 + f^2 and 2, in units of beta^2: a tie at f = 2/3,
    # where x_2 has 1.44 only. Of the two tokens with score 2, half each is 1.5 u_a + u_b.
    one = problems.from_dict(data)
    assert check(one, {"possible": True, "c_2": "2 u_b"}).score == 1
    assert tag(check(one, {"possible": False, "c_2": "2 u_b"})) == "claims-impossible"


def test_the_claim_is_told_with_the_best_multiple() -> None:
    found = check(TOKENS, {"possible": True, "c_2": "u_a", "x_2": "u_a + u_d"})
    assert found.counterexample is not None
    # Scores (9, 18, 0): the token copies itself.
    assert found.counterexample.sentence.startswith("With x_2 = (3, 0, 0, 3) c_2 is (3, 0.00037")
    assert [goal.name for goal in found.goals] == [
        "what c_2 is close to",
        "whether c_2 near u_b can be reached",
    ]
    assert [goal.passed for goal in found.goals] == [True, False]


def test_the_distance_to_the_limit_is_the_closed_form() -> None:
    found = check(TOKENS, {"possible": False, "c_2": "u_a"})
    assert found.goals[0].error == pytest.approx(np.sqrt(10) / (np.exp(9) + 2))
    assert found.remarks == ()


def test_a_limit_need_not_be_reached_by_the_instance() -> None:
    data = problems.to_dict(problems.load(TOKENS))
    data["given"]["parameters"] = {"beta": 1.0}
    one = problems.from_dict(data)
    assert check(one, {"possible": False, "c_2": "u_a"}).score == 1
    assert tag(check(one, {"possible": False, "c_2": "x_3"})) == "looks-at-another-token"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "answer: possible is missing. Got nothing. It is written like this (which is not the answer): possible = true, c_2 = \"u_a - 2 u_d\"."),
        ({"possible": False}, "answer: c_2 is missing. Got possible."),
        ({"c_2": "u_a"}, "answer: possible is missing. Got c_2."),
        ({"c_2": "u_a", "possible": "perhaps"}, "answer: possible must be true or false."),
        ({"c_2": "u_a", "possible": 0}, "answer: possible must be true or false."),
        (
            {"c_2": "u_e", "possible": False},
            "answer: c_2: u_e is not a name in this problem. Names with u are u_a, u_b, u_c and u_d. "
            "Declared are beta, d, n, u_a, u_b, u_c, u_d, x_1, x_2, x_3.",
        ),
        (
            {"c_2": "beta", "possible": False},
            "answer: c_2 must be a vector of 4 entries, as long as a token. It is a single number.",
        ),
        (
            {"c_2": "u_a u_a'", "possible": False},
            "answer: c_2 must be a vector of 4 entries, as long as a token. It is 4 × 4.",
        ),
        (
            {"c_2": [3, 0, 0], "possible": False},
            "answer: c_2 must be a vector of 4 entries, as long as a token. "
            "It is a column of 3 entries.",
        ),
        ({"c_2": True, "possible": False}, "answer: c_2 must be a formula or a list of numbers."),
        (
            {"c_2": "u_a", "possible": False, "x_2": "u_a + u_d"},
            "answer: x_2 is given, although possible is false.",
        ),
        ({"c_2": "u_a", "possible": False, "beta": 5}, "answer: beta has a meaning in the problem: use another name."),
        ({"c_2": "u_a +", "possible": False}, "answer: c_2: "),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_invalid_and_not_wrong(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check(TOKENS, answer)
    if message.endswith(": "):  # how the language words it is the language's business
        assert str(caught.value).startswith(message)
    else:
        assert str(caught.value) == message


@pytest.mark.parametrize("factor", ["1e308", "1e200 * 1e200"])
def test_an_absurd_size_does_not_pass_by_overflow(factor: str) -> None:
    assert check(TOKENS, {"possible": False, "c_2": f"{factor} u_a"}).score < 1
