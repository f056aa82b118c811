"""A key that is replaced, against all of its scores tried one by one and worked-out numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard import certify, problems
from regard.checking import check
from regard.errors import InvalidProblem
from regard.language import parse
from regard.solving import Status, solve, variant

NAMES = ["replace-a-key-to-average", "replace-a-key-of-length-one", "what-a-new-key-can-reach"]


def rows_of(problem: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return keys and query, put together here: keys without numbers lie along the axes."""
    given = problem.given
    law = given.keys
    keys = np.array(law.rows) if law.law == "fixed" else np.eye(given.n)
    if not isinstance(given.query, str):
        return keys, np.array(given.query)
    names = {f"k_{name}": keys[row] for name, row in given.names.items()}
    return keys, np.asarray(parse(given.query).evaluate(names), float)


def errors(problem: Any, scores: np.ndarray) -> np.ndarray:
    """Return the error for each score of the new key."""
    given, goal = problem.given, problem.goal
    keys, query = rows_of(problem)
    row = given.names[given.replace]
    all_scores = np.tile(given.scale * keys @ query, (len(scores), 1))
    all_scores[:, row] = scores
    powers = np.exp(all_scores - all_scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    if goal.weights is None:
        return np.linalg.norm(weights @ np.array(given.values.rows) - goal.output, axis=1)
    wanted = np.zeros(given.n)
    for name, share in goal.weights.items():
        wanted[given.names[name]] = share
    return np.abs(weights - wanted).max(axis=1)


def all_scores(problem: Any) -> np.ndarray:
    _, query = rows_of(problem)
    radius = problem.goal.norm or problem.goal.longest or 60 / np.linalg.norm(query)
    return problem.given.scale * radius * np.linalg.norm(query) * np.linspace(-1, 1, 400_001)


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_twenty_variants_are_within_the_tolerance_or_have_the_least_error_of_all_scores(
    name: str, seeds: range
) -> None:
    for seed in seeds:
        problem: Any = variant(problems.load(name), seed)
        found = solve(problem)
        assert found.verdict is Status.PROVED
        keys, query = rows_of(problem)
        if "error" in problem.goal.find:
            least = errors(problem, all_scores(problem)).min()
            assert found.answer["error"] == pytest.approx(least, abs=1e-4)
            assert found.answer["error"] <= least + 1e-9
            continue
        symbols = {f"k_{n}": keys[row] for n, row in problem.given.names.items()} | {"q": query}
        key = np.asarray(parse(found.answer["k"]).evaluate(symbols), float)
        if problem.goal.norm:
            assert np.linalg.norm(key) == pytest.approx(problem.goal.norm, rel=1e-12)
        assert errors(problem, np.array([key @ query]))[0] <= problem.goal.tolerance
        assert check(problem, dict(found.answer)).right


def asked(**changes: Any) -> Any:
    data = problems.to_dict(problems.load("replace-a-key-to-average"))
    given = {
        "keys": [[1, 0], [0, 1], [1, 1]],
        "names": {"a": 0, "b": 1, "c": 2},
        "query": [1, 2],
        "replace": "c",
    }
    goal = changes.pop("goal")
    return problems.from_dict({**data, "id": "asked", "given": given | changes, "goal": goal})


def test_three_averaged_take_the_score_that_the_others_have() -> None:
    found = solve("replace-a-key-to-average")  # the others have 2·3 + 1 = 7 and 2·2 + 3 = 7
    assert found.finding.score == 7  # type: ignore[attr-defined]


def test_the_least_error_where_two_others_differ_is_a_third_of_a_hyperbolic_tangent() -> None:
    # (1 − u)(p_a + p_b) = 2/3 balances both: what is left is (p_a − p_b)/(p_a + p_b)/3.
    assert solve("what-a-new-key-can-reach").answer["error"] == pytest.approx(
        math.tanh(0.5) / 3, rel=1e-9
    )


def test_a_longest_key_bounds_the_output_from_both_sides() -> None:
    problem = asked(
        values=[[3, 0], [0, 3], [0, 0]], goal={"output": [1, 1], "longest": 2, "find": ["error"]}
    )
    found = solve(problem)
    assert found.verdict is Status.PROVED
    assert found.answer["error"] == pytest.approx(
        errors(problem, all_scores(problem)).min(), abs=1e-7
    )
    assert {claim.kind for claim in found.certificate.claims} == {"no_key", "replaced_key"}


@pytest.mark.parametrize("seed", range(12))
def test_drawn_problems_agree_with_all_scores_tried(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    shares = rng.dirichlet(np.ones(n))
    names = dict(zip("abcdef"[:n], range(n), strict=True))
    goal: dict[str, Any] = {"tolerance": 0.05, **[{}, {"norm": 1.5}, {"longest": 0.5}][seed % 3]}
    given: dict[str, Any] = {
        "keys": rng.normal(size=(n, d)).round(2).tolist(),
        "names": names,
        "n": n,
    }
    given |= {"query": (2 * rng.normal(size=d)).round(2).tolist(), "replace": "b", "scale": 0.5}
    if seed % 2:
        given["values"] = rng.normal(size=(n, 3)).round(2).tolist()
        goal["output"] = (shares @ np.array(given["values"])).tolist()
    else:
        goal["weights"] = dict(zip(names, (shares / shares.sum()).tolist(), strict=True))
    problem = asked(**given, goal=goal)
    least = errors(problem, all_scores(problem)).min()
    found = solve(problem)
    assert found.verdict is (Status.PROVED if least <= 0.05 else Status.IMPOSSIBLE)
    assert certify.verify(found.certificate).holds
    assert check(problem, dict(found.answer)).right
    asks = {
        **problems.to_dict(problem),
        "goal": {**problems.to_dict(problem)["goal"], "find": ["error"]},
    }
    assert solve(problems.from_dict(asks)).answer["error"] == pytest.approx(least, abs=2e-4)


def damaged(name: str, place: int = 0, **fields: object) -> str:
    found = solve(name).certificate
    claim = found.claims[place]
    changed = certify.Claim(claim.kind, {**claim.fields, **fields}, claim.witness)
    return certify.verify(certify.Certificate(found.arrays, (changed,))).claims[0].status


@pytest.mark.parametrize(
    ("name", "place", "fields"),
    [
        ("replace-a-key-to-average", 0, {"bound": 1e-6}),
        ("replace-a-key-to-average", 0, {"row": 0}),
        ("replace-a-key-of-length-one", 0, {"radius": 0.25}),
        ("replace-a-key-of-length-one", 0, {"target": {"indices": [0], "weights": [1.0]}}),
        ("what-a-new-key-can-reach", 0, {"bound": 0.1541}),
        ("what-a-new-key-can-reach", 0, {"target": {"indices": [2], "weights": [1.0]}}),
        ("what-a-new-key-can-reach", 1, {"bound": 0.154}),
        ("what-a-new-key-can-reach", 1, {"row": 9}),
    ],
)
def test_a_damaged_claim_does_not_hold(name: str, place: int, fields: dict[str, object]) -> None:
    assert damaged(name, place) == "holds"
    assert damaged(name, place, **fields) != "holds"


@pytest.mark.parametrize(
    ("changes", "goal", "said"),
    [
        ({"replace": "z"}, {"weights": {"a": 1}}, "replace: z is not among the names"),
        ({"query": [1]}, {"weights": {"a": 1}}, "query: has 1 numbers and a key has 2"),
        ({"query": "k_a + z"}, {"weights": {"a": 1}}, "query: "),
        ({"keys": {"law": "arbitrary"}, "n": 3}, {"weights": {"a": 1}}, "keys: must be rows of numbers"),
        ({}, {"weights": {"a": "1/3"}}, "weights must sum to 1"),
        ({}, {"weights": {"z": 1}}, "z is not among given.names"),
        ({}, {"output": [1, 1]}, "values must be rows of numbers"),
        ({"values": [[1], [2], [3]]}, {"output": [1, 1]}, "must have 1 numbers"),
        ({}, {}, "say either the weights or the output"),
        ({}, {"weights": {"a": 1}, "norm": 1, "longest": 2}, "say one of them"),
        ({"keys": [[1], [2], [3]], "query": [1]}, {"weights": {"a": 1}, "norm": 1}, "goal.norm: a key of one number"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_in_a_sentence(
    changes: dict[str, Any], goal: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidProblem) as refused:
        asked(**changes, goal=goal)
    assert said in str(refused.value)


def test_a_query_of_zero_gives_every_key_the_same_weight() -> None:
    even = {"weights": {"a": "1/3", "b": "1/3", "c": "1/3"}}
    assert solve(asked(query=[0, 0], goal=even)).verdict is Status.PROVED
    assert solve(asked(query=[0, 0], goal={"weights": {"c": 1}})).verdict is Status.IMPOSSIBLE
