"""Worked examples: exact numbers, and what is printed elsewhere compared with them."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from regard.errors import InvalidProblem
from regard.problems import from_dict, load
from regard.report import Plot, Table, Text, to_html_page, to_latex, to_text
from regard.solving import Solution, Status, solve, variant

IDS = ("worked-queries-keys-values", "worked-scores", "worked-weighted-sum")
EXAMPLE: dict[str, Any] = {
    "tokens": [[2, 3], [-1, 0], [1, -2]],
    "W_Q": [[1, 0, 2], [0, 1, -3]],
    "W_K": [[0, 0, -1], [-2, 0, 1]],
    "W_V": [[8, 0], [0, 9]],
}
# G43 and G44: 50 digits, worked out beforehand.
QUERIES = [[2, 3, -5], [-1, 0, -2], [1, -2, 8]]
KEYS = [[-6, 0, 1], [0, 0, 1], [4, 0, -3]]
VALUES = [[16, 27], [-8, 0], [8, -18]]
WEIGHTS_3 = [0.002472623156633069, 0.9975273768426772, 6.897303401116787e-13]
OUTPUT_3 = [-7.940657044229771, 0.06676082521667771]


def problem(given: dict[str, Any], **goal: Any) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "compute", "statement": "p"}
    return from_dict({**head, "given": given, "goal": goal})


def numbers(rows: Any) -> np.ndarray:
    """The numbers of a file or an answer."""
    return np.array([[float(Fraction(str(entry))) for entry in row] for row in rows])


def attention(given: dict[str, Any]) -> dict[str, np.ndarray]:
    """The head by its definition, in float64."""
    x, W_Q, W_K, W_V = (numbers(given[name]) for name in ("tokens", "W_Q", "W_K", "W_V"))
    scale = given.get("scale", 1)
    factor = W_Q.shape[1] ** -0.5 if scale == "1/sqrt(d_k)" else float(Fraction(str(scale)))
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    Z = factor * Q @ K.T
    A = np.array([[math.exp(z - max(row)) for z in row] for row in Z.tolist()])
    A = A / A.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "Z": Z, "A": A, "C": A @ V}


def agrees(solution: Solution, given: dict[str, Any]) -> None:
    expected = attention(given)
    for name, value in solution.answer.items():
        if "_" in name:
            wanted, got = expected[name[0].upper()][int(name[2:]) - 1], numbers([value])[0]
        else:
            wanted, got = expected[name], numbers(value)
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def words(solution: Solution) -> str:
    return " ".join(block.text for block in solution.details if isinstance(block, Text))


def rows_of(solution: Solution, caption: str) -> dict[str, tuple[str, ...]]:
    (table,) = (b for b in solution.details if isinstance(b, Table) and caption in b.caption)
    return {row[0]: row[1:] for row in table.rows}


@pytest.mark.parametrize("name", IDS)
def test_a_worked_example_is_computed_and_proved(name: str) -> None:
    solution = solve(name)
    assert solution.verdict is Status.COMPUTED, str(solution.verification)
    assert 2 <= len(solution.mistakes) <= 4
    assert 4 <= len(solution.steps) <= 8 or name == "worked-scores"
    assert len([block for block in solution.details if isinstance(block, Plot)]) == 1
    report = solution.report()
    for render in (to_text, to_html_page, to_latex):
        assert "Often got wrong" in render(report)
    json.dumps(solution.to_dict())
    agrees(solution, EXAMPLE)


def test_the_nine_vectors_are_those_of_the_theory() -> None:
    answer = solve(IDS[0]).answer
    assert [answer[f"q_{i}"] for i in (1, 2, 3)] == QUERIES
    assert [answer[f"k_{i}"] for i in (1, 2, 3)] == KEYS
    assert [answer[f"v_{i}"] for i in (1, 2, 3)] == VALUES


def test_scores_weights_and_output_of_token_3_are_those_of_the_theory() -> None:
    assert solve(IDS[1]).answer == {"z_3": [2, 8, -20]}
    answer = solve(IDS[2]).answer
    np.testing.assert_allclose(answer["a_3"], WEIGHTS_3, rtol=1e-14)
    np.testing.assert_allclose(answer["c_3"], OUTPUT_3, rtol=1e-14)
    headline = solve(IDS[2]).headline
    for digits in ("0.0024726232", "0.99752738", "-7.9406570", "0.066760825"):
        assert digits in headline


def test_the_report_says_that_the_printed_query_2_is_wrong_and_what_it_changes() -> None:
    solution = solve(IDS[0])
    text = words(solution)
    assert "The printed $q_2$ = (-1, 0, 2) is wrong: entry 3 has the wrong sign." in text
    assert "It is (-1, 0, -2)." in text
    assert "the scores (8, 2, -10) instead of (4, -2, 2)" in text
    assert "the weights (0.9975, 0.0025, 1.5e-08) instead of (0.8789, 0.0022, 0.1189)" in text
    assert "the output (15.9407, 26.9332) instead of (14.9962, 21.5887)" in text
    changed = rows_of(solution, "would change")
    assert list(changed) == ["$z_{2}$", "$a_{2}$", "$c_{2}$"]
    assert changed["$a_{2}$"] == (
        "(0.878878, 0.00217852, 0.118943)",
        "(0.997527, 0.00247262, 1.51923e-08)",
    )
    assert text.count("is wrong") == 1
    assert "The other printed rows agree" in text


@pytest.mark.parametrize("name", IDS[1:])
def test_printed_numbers_that_are_right_in_their_digits_agree(name: str) -> None:
    assert "Every printed number agrees" in words(solve(name))


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ({"c_3": [-7.94, 0.067]}, "agrees"),
        ({"c_3": [-7.941, 0.0668]}, "agrees"),
        ({"c_3": [-7.94, 0.066]}, "agrees (cut off, not rounded)"),
        ({"c_3": [-7.95, 0.067]}, "wrong"),
        ({"c_3": [-7.94, 0.068]}, "wrong"),
        ({"a_3": ["1/404", 1, 0]}, "wrong"),
        ({"z_3": [2, 8, -20]}, "agrees"),
        ({"z_3": [2, 8, -19]}, "wrong"),
        ({"q_1": [2.0, "3", "-10/2"]}, "agrees"),
    ],
)
def test_a_printed_number_agrees_if_it_is_right_in_its_digits(
    printed: dict[str, Any], verdict: str
) -> None:
    solution = solve(problem(EXAMPLE, find=["C"], printed=printed))
    (table,) = (b for b in solution.details if isinstance(b, Table) and "printed" in b.columns)
    assert [row[3] for row in table.rows] == [verdict]


def test_what_follows_from_a_wrong_number_is_said_to_follow_from_it() -> None:
    printed = {"q_2": [-1, 0, 2], "z_2": [8, 2, -10], "a_2": [0.9975, 0.0025, 0]}
    solution = solve(problem(EXAMPLE, find=["Q"], printed=printed))
    (table,) = (b for b in solution.details if isinstance(b, Table) and "printed" in b.columns)
    follows = "wrong: it follows from the printed $q_2$"
    assert [row[3] for row in table.rows] == ["wrong", follows, follows]


def test_a_wrong_key_changes_every_row_that_attends_to_it() -> None:
    wrong = [[-6, 0, 1], [0, 0, 1], [4, 0, 3]]
    solution = solve(problem(EXAMPLE, find=["K"], printed={"K": wrong}))
    Q, V = np.array(QUERIES, float), np.array(VALUES, float)
    powers = np.exp(Q @ np.array(wrong, float).T)
    outputs = powers / powers.sum(axis=1, keepdims=True) @ V
    changed = rows_of(solution, "would change")
    for i in range(3):
        seen = [float(x) for x in changed[f"$c_{{{i + 1}}}$"][1].strip("()").split(", ")]
        np.testing.assert_allclose(seen, outputs[i], rtol=1e-5)


def test_a_wrong_value_changes_outputs_alone() -> None:
    solution = solve(problem(EXAMPLE, find=["V"], printed={"v_1": [16, 26]}))
    assert set(rows_of(solution, "would change")) == {f"$c_{{{i}}}$" for i in (1, 2, 3)}
    # Token 2 looks at token 1 most: 0.8789 of the missing 1.
    assert "token 2 would have the output (14.9962, 20.7099)" in words(solution)


@pytest.mark.parametrize("scale", [1, "1/3", 0.5, -2, "1/sqrt(d_k)"])
def test_every_scale_is_computed_and_proved(scale: Any) -> None:
    given = {**EXAMPLE, "scale": scale}
    solution = solve(problem(given, find=["Q", "K", "V", "Z", "A", "C"]))
    assert solution.verdict is Status.COMPUTED, str(solution.verification)
    agrees(solution, given)


def test_fractions_and_decimals_mean_what_is_written() -> None:
    given = {
        "tokens": [["1/3", 0.1], [2, "-0.25"]],
        "W_Q": [[1], ["2/7"]],
        "W_K": [[3], [1]],
        "W_V": [[1, 0.5], [0, "1/3"]],
    }
    solution = solve(problem(given, find=["Q", "K", "V", "Z", "A", "C"]))
    assert solution.verdict is Status.COMPUTED, str(solution.verification)
    assert solution.answer["Q"] == [["38/105"], ["27/14"]]  # 1/3 + 1/10 · 2/7, 2 - 1/4 · 2/7
    agrees(solution, given)


def test_one_token_attends_to_itself() -> None:
    given = {"tokens": [[1, 2]], "W_Q": [[1], [2]], "W_K": [[1], [0]], "W_V": [[1], [1]]}
    solution = solve(problem(given, find=["A", "c_1"]))
    assert solution.answer == {"A": [[1]], "c_1": [3]}
    assert solution.verdict is Status.COMPUTED


def test_a_large_example_is_computed_and_its_report_written() -> None:
    rng = np.random.default_rng(5)
    sizes = {"tokens": (11, 13), "W_Q": (13, 12), "W_K": (13, 12), "W_V": (13, 16)}
    given = {name: rng.integers(-1, 2, shape).tolist() for name, shape in sizes.items()}
    printed = {"q_3": [0] * 12}
    solution = solve(problem(given, find=["Q", "A", "C"], printed=printed))
    assert solution.verdict is Status.COMPUTED
    agrees(solution, given)
    assert len(solution.report().blocks) > 10


def test_a_certificate_of_other_numbers_fails() -> None:
    from regard.certify import Certificate, Claim, verify

    solution = solve(IDS[2])
    for number in range(len(solution.certificate.claims)):
        claims = list(solution.certificate.claims)
        fields = dict(claims[number].fields)
        fields["entries"] = [[entry + 1e-9 for entry in row] for row in fields["entries"]]
        claims[number] = Claim("stepwise", fields)
        assert not verify(Certificate(solution.certificate.arrays, tuple(claims))).holds


@pytest.mark.parametrize("name", IDS)
def test_variants_are_computed_right(name: str) -> None:
    original = load(name)
    seen = set()
    for seed in range(20):
        varied = variant(original, seed)
        given = varied.given.model_dump()
        seen.add(json.dumps(given))
        solution = solve(varied)
        assert solution.verdict is Status.COMPUTED
        assert set(solution.answer) == set(original.goal.find)
        assert not varied.goal.printed  # it would be the answer
        agrees(solution, given)
    assert len(seen) == 20


@pytest.mark.parametrize(
    ("given", "goal", "message"),
    [
        ({"W_K": [[1]]}, {"find": ["Q"]}, "matrix W_K must have one row per entry of a token (2)"),
        ({}, {"find": ["q_4"]}, "q_4 is nothing that can be computed"),
        ({}, {"find": ["Q"], "printed": {"q_1": [1, 2]}}, "goal.printed.q_1: must be 3 numbers"),
        (
            {},
            {"find": ["Q"], "printed": {"C": [[1, 2], [3, 4]]}},
            "goal.printed.C: must be 3 rows of 2 numbers",
        ),
        ({"scale": "1e3"}, {"find": ["Q"]}, "is no number"),
        ({"tokens": [["1/000", 1]] * 3}, {"find": ["Q"]}, "divides by 0"),
        (
            {"tokens": [["1" * 30, 1]] * 3},
            {"find": ["Q"]},
            "numbers in tokens have too many digits",
        ),
        ({"tokens": [[1, 2]] * 65}, {"find": ["Q"]}, "at most 64 rows and 64 columns"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(
    given: dict[str, Any], goal: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidProblem, match=message.replace("(", r"\(").replace(")", r"\)")):
        problem({**EXAMPLE, **given}, **goal)
