"""Questions for all solutions of an equation, as `docs/own_problems.md` has them (`every = true`).

The solutions are known from linear algebra. An answer that has too few is shown a solution that it does not have, which
is tested here by itself; one that has too many is shown numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer
from regard.problems.head import Problem
from regard.solving import Status, solve


def problem(given: str, goal: str) -> Problem:
    head = 'schema = 1\nid = "all"\ntitle = "All"\nkind = "symmetry"\nstatement = "All of them?"\n'
    return problems.loads(f"{head}[given]\n{given}\n[goal]\n{goal}\nevery = true")


def turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def same_weights(added: np.ndarray) -> bool:
    scores = np.random.default_rng(3).normal(size=added.shape)
    return np.allclose(softmax(scores + added), softmax(scores))


# What is asked; right answers; too few and whether numbers solve it; wrong ones.
CASES: dict[str, tuple[Problem, list[str], list[str], Callable[[np.ndarray], Any], list[str]]] = {
    "matrices that permutations pass through": (
        problem(
            'shapes = { P = ["N", "N"] }\npermutations = ["P"]',
            'unknown = { W = ["N", "N"] }\nsuch_that = "P W = W P"',
        ),
        ["a I + b ones(N) ones(N)'", "a I(N) + b ones(N, N)"],
        ["a I", "a ones(N, N)", "zeros(N, N)", "a I + a ones(N, N)"],
        lambda W: all(
            np.allclose(P @ W, W @ P) for P in (np.eye(len(W))[::-1], np.roll(np.eye(len(W)), 1, 0))
        ),
        ["ones(N) b'", "a I + b causal(N)", "diag(b)"],
    ),
    "quadratic forms that are 0": (
        problem(
            'shapes = { x = ["D"] }', 'unknown = { W = ["D", "D"] }\nsuch_that = "x\' W x = 0"'
        ),
        ["B - B'", "2 (B' - B)"],
        ["zeros(D, D)"],
        lambda W: np.allclose(W, -W.T),
        ["B + B'", "a I", "B"],
    ),
    "matrices that rotations pass through": (
        problem(
            'shapes = { t = [] }\ndefine = { R = "[[cos(t), -sin(t)], [sin(t), cos(t)]]" }',
            'unknown = { M = [2, 2] }\nsuch_that = "M R = R M"',
        ),
        ["a I + b [[0, -1], [1, 0]]", "[[a, -b], [b, a]]"],
        ["a I", "[[0, -b], [b, 0]]"],
        lambda M: np.allclose(M @ turned(0.7), turned(0.7) @ M),
        ["[[a, b], [b, a]]", "B"],
    ),
    "values for an output": (
        problem(
            'shapes = {}\ndefine = { a = "row([[1/2, 1/4, 1/4]], 1)" }',
            'unknown = { v = [3] }\nsuch_that = "a\' v = 2"',
        ),
        [
            "row([[4, 0, 0]], 1) + c row([[1, -2, 0]], 1) + b row([[1, 0, -2]], 1)",
            "2 ones(3) + c row([[0, 1, -1]], 1) + b row([[1, -2, 0]], 1)",
        ],
        ["2 ones(3)", "row([[4, 0, 0]], 1) + c row([[1, -2, 0]], 1)"],
        lambda v: np.isclose(v @ [0.5, 0.25, 0.25], 2),
        ["c ones(3)", "b", "c row([[1, -2, 0]], 1) + b row([[1, 0, -2]], 1)"],
    ),
    "what may be added to scores": (
        problem(
            'shapes = { S = ["N", "M"] }',
            'unknown = { E = ["N", "M"] }\nsuch_that = "softmax(S + E) = softmax(S)"',
        ),
        ["b ones(M)'", "c ones(1, M)"],
        ["a ones(N, M)", "zeros(N, M)"],
        same_weights,
        ["ones(N) b'", "a ones(N, M) + ones(N) b'", "B"],
    ),
    "what a column of scores may gain": (
        problem(
            'shapes = { s = ["N"] }\ndefine = { a = "softmax(s)" }',
            'unknown = { e = ["N"] }\nsuch_that = "softmax(2 s + e) = softmax(2 s)"',
        ),
        ["c ones(N)"],
        ["zeros(N)"],
        lambda e: np.allclose(e, e[0]),
        ["b", "s"],
    ),
}
RIGHT = [(name, one) for name, case in CASES.items() for one in case[1]]
FEW = [(name, one) for name, case in CASES.items() for one in case[2]]
MANY = [(name, one) for name, case in CASES.items() for one in case[4]]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_all_solutions_are_right(name: str, answer: str) -> None:
    verdict = check(CASES[name][0], answer)
    assert verdict.right
    assert verdict.decided


@pytest.mark.parametrize(("name", "answer"), FEW)
def test_too_few_are_shown_another(name: str, answer: str) -> None:
    verdict = check(CASES[name][0], answer)
    assert [goal.passed for goal in verdict.goals] == [True, False]
    assert verdict.counterexample is not None
    (shown,) = verdict.counterexample.arrays.values()
    assert CASES[name][3](np.asarray(shown, float))
    assert np.any(np.asarray(shown, float))
    assert "the answer does not have it" in verdict.counterexample.sentence


@pytest.mark.parametrize(("name", "answer"), MANY)
def test_too_many_are_refuted(name: str, answer: str) -> None:
    verdict = check(CASES[name][0], answer)
    assert [goal.passed for goal in verdict.goals] == [False]
    assert verdict.counterexample is not None
    assert "the two sides differ for these numbers" in verdict.counterexample.sentence


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_solver_finds_all_and_its_answer_is_right(name: str) -> None:
    asked = CASES[name][0]
    found = solve(asked)
    assert found.verdict in (Status.PROVED, Status.ARGUED)
    assert check(asked, dict(found.answer)).right


def test_what_is_asked_for_is_no_name_of_the_answer() -> None:
    with pytest.raises(InvalidAnswer, match="W is what is asked for"):
        check(CASES["quadratic forms that are 0"][0], "W - W'")
