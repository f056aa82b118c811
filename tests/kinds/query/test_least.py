"""The least error of all queries and outputs that are wanted, against grids of queries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard import certify, problems
from regard.checking import check
from regard.errors import InvalidProblem
from regard.solving import Status, solve, variant

HEAD = {"schema": 1, "id": "asked", "title": "Asked", "kind": "query", "statement": "Which query?"}


def asked(given: dict[str, Any], goal: dict[str, Any]) -> Any:
    return problems.from_dict({**HEAD, "given": given, "goal": goal})


def errors(keys: np.ndarray, wanted: np.ndarray, queries: np.ndarray, scale: float) -> np.ndarray:
    scores = scale * queries @ keys.T
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return np.abs(weights - wanted).max(axis=1)


def disc(radius: float) -> np.ndarray:
    """Return queries all over a disc, its edge among them."""
    r = radius * np.sqrt(np.linspace(0, 1, 120))
    angle = np.linspace(0, 2 * math.pi, 720)
    return np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], -1).reshape(-1, 2)


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.slow] if s > 3 else []) for s in range(10)]
)
def test_the_least_error_of_short_queries_is_that_of_a_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, radius, scale = int(rng.integers(3, 6)), float(rng.choice([0.5, 1.0, 2.5])), 1.0 + seed % 2
    keys = rng.normal(size=(n, 2)).round(2)
    goal = {"a": 1} if seed % 2 else {"a": 0.6, "b": 0.4}
    given = {"keys": keys.tolist(), "names": {"a": 0, "b": 1}, "scale": scale}
    problem = asked(given, {"weights": goal, "longest": radius, "find": ["error"]})
    wanted = np.zeros(n)
    wanted[: len(goal)] = list(goal.values())
    least = errors(keys, wanted, disc(radius), scale).min()
    found = solve(problem)
    if found.verdict is Status.UNDECIDED:  # the two sides do not meet: what is known is still true
        known = found.finding.least  # type: ignore[attr-defined]
        assert known.low <= least + 1e-9
        assert known.high >= least - 5e-3
        return
    assert certify.verify(found.certificate).holds
    assert found.answer["error"] == pytest.approx(least, abs=2e-3)
    assert found.answer["error"] <= least * 1.01 + 1e-9


def test_a_copy_by_a_short_query_is_always_settled() -> None:
    for seed in range(12):
        rng = np.random.default_rng(100 + seed)
        keys = rng.normal(size=(4, 3)).round(2)
        given = {"keys": keys.tolist(), "names": {"a": 0}}
        found = solve(asked(given, {"weights": {"a": 1}, "longest": 1.5, "find": ["error"]}))
        assert found.verdict is Status.PROVED, seed


def test_the_longest_copy_of_orthonormal_keys_is_the_worked_out_one() -> None:
    # Along k_a minus the mean of the others: scores are R √(n/(n − 1)) apart.
    n, R = 5, 2.0
    given = {"n": n, "keys": {"law": "orthonormal"}, "names": {"a": 2}}
    found = solve(asked(given, {"weights": {"a": 1}, "longest": R, "find": ["error"]}))
    gap = R * math.sqrt(n / (n - 1))
    expected = (n - 1) * math.exp(-gap) / (1 + (n - 1) * math.exp(-gap))
    assert found.answer["error"] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["a-key-between-two-others", "a-query-of-limited-length"])
def test_twenty_variants_have_the_error_of_a_formula(name: str, seeds: range) -> None:
    for seed in seeds:
        problem: Any = variant(problems.load(name), seed)
        found = solve(problem)
        assert found.verdict is Status.PROVED
        expected = 2 / 3  # the middle one has at most a third: ab ≤ (a + b)²/4
        if problem.goal.longest is not None:
            rest = problem.given.n - 2
            gap = math.exp(-problem.goal.longest * math.sqrt(1 / 2 + 1 / rest))
            leak = rest * gap / (2 + rest * gap)
            expected = max(leak / 2, leak / rest)
            if rest == 1:  # two errors of another size: floors alone do not bound the third
                continue
        assert found.answer["error"] == pytest.approx(expected, rel=2e-6)
        assert check(problem, dict(found.answer)).right


def test_an_error_that_can_be_made_as_small_as_one_likes_is_zero() -> None:
    given = {"keys": [[1, 0], [0, 1]], "names": {"a": 0}}
    found = solve(asked(given, {"weights": {"a": 1}, "find": ["error"]}))
    assert found.answer["error"] == 0
    assert found.verdict is Status.PROVED


def test_twenty_variants_of_an_output_in_numbers_give_it() -> None:
    for seed in range(20):
        problem: Any = variant(problems.load("an-output-in-numbers"), seed)
        found = solve(problem)
        assert found.verdict is Status.PROVED
        keys, values = np.array(problem.given.keys.rows), np.array(problem.given.values.rows)
        scores = keys @ np.array(found.answer["q"])
        powers = np.exp(scores - scores.max())
        output = powers @ values / powers.sum()
        assert np.linalg.norm(output - problem.goal.output) <= problem.goal.tolerance


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("(v_a + v_b)/2", {"a": 0.5, "b": 0.5}),
        ("1/3 v_a + 2/3 v_b", {"a": 1 / 3, "b": 2 / 3}),
        ("v_b", {"b": 1.0}),
        (r"\frac{1}{4}(v_a + 3 v_b)", {"a": 0.25, "b": 0.75}),
    ],
)
def test_an_output_as_a_formula_is_its_weights(text: str, weights: dict[str, float]) -> None:
    given = {"n": 4, "keys": {"law": "orthonormal"}, "names": {"a": 3, "b": 1}}
    problem = asked(given, {"output": text})
    assert problem.goal.weights == pytest.approx(weights)
    again = problems.from_dict(problems.to_dict(problem))
    assert again.goal.weights == problem.goal.weights  # type: ignore[attr-defined]


NUMBERS = {"keys": [[1, 0], [0, 1]], "values": [[1, 0], [0, 1]], "names": {"a": 0, "b": 1}}


@pytest.mark.parametrize(
    ("given", "goal", "said"),
    [
        (NUMBERS, {"output": "v_a + v_b"}, "must be an average of values"),
        (NUMBERS, {"output": "2 v_a - v_b"}, "must be an average of values"),
        (NUMBERS, {"output": "norm(v_a) v_b"}, "must be an average of values"),
        (NUMBERS, {"output": "v_z"}, "v_z is not a name"),
        (NUMBERS, {"output": [1, 1]}, "the nearest one is (0.5, 0.5), 0.707107 away"),
        (NUMBERS, {"output": [1, 1, 1]}, "as many numbers as a value: 2"),
        ({**NUMBERS, "values": {"law": "arbitrary"}}, {"output": [1, 0]}, "need values that are rows"),
        (NUMBERS, {"weights": {"a": 1}, "longest": 1}, "goal.longest: is about weights: leave the values out"),
        ({"keys": {"law": "arbitrary"}, "n": 3, "names": {"a": 0}}, {"weights": {"a": 1}, "find": ["error"]}, "goal.find: needs keys"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_in_a_sentence(
    given: dict[str, Any], goal: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidProblem) as refused:
        asked(given, goal)
    assert said in str(refused.value)
