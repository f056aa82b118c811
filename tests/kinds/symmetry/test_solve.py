"""What a change does, for every variant of every bundled problem, against NumPy written apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from regard import problems, solving
from regard.errors import InvalidAnswer, InvalidProblem
from regard.solving import Status

NAMES = [name for name in problems.names() if problems.load(name).kind == "symmetry"]
rng = np.random.default_rng(2)


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(x: Any, q: Any, k: Any, v: Any) -> Any:
    return softmax(x @ q @ (x @ k).T) @ x @ v


def letters(problem: Any) -> dict[str, str]:
    """The letters of a variant by those of the original: shapes keep their order."""
    original: Any = problems.load("-".join(problem.id.split("-")[:-1]))
    names = dict(zip(original.given.shapes, problem.given.shapes, strict=True))
    return names | {original.unknown: problem.unknown}


def check_by_numpy(name: str, answer: dict[str, Any], named: dict[str, str]) -> None:
    x, p = rng.normal(size=(5, 3)), np.eye(5)[[1, 2, 0, 4, 3]]
    w_q, w_k, w_v = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 4))
    q, k, v, u, c = rng.normal(size=(6, 3)), x, rng.normal(size=(5, 2)), rng.normal(size=3), 1.7
    output, moved = attention(x, w_q, w_k, w_v), attention(p @ x, w_q, w_k, w_v)
    if name == "permuted-tokens":
        assert answer == {"invariant": False, "becomes": f"{named['P']} Y"}
        assert not np.allclose(moved, output)
        np.testing.assert_allclose(moved, p @ output)
    elif name == "pooling-without-order":
        assert answer == {named["w"]: "ones(N)"}
        np.testing.assert_allclose(np.ones(5) @ moved, np.ones(5) @ output)
    elif name == "one-vector-for-all-keys":
        assert answer == {"invariant": True, "becomes": "Y"}
        np.testing.assert_allclose(softmax(q @ (k + u).T) @ v, softmax(q @ k.T) @ v)
    elif name == "same-scores-other-matrices":
        assert answer == {named["B"]: f"{named['M']}^-T"}
        m = rng.normal(size=(2, 2))
        np.testing.assert_allclose((w_q @ m) @ (w_k @ np.linalg.inv(m).T).T, w_q @ w_k.T)
    else:
        assert name == "a-factor-moved-between-matrices"
        assert answer == {"invariant": False, "becomes": f"{named['c']} Y"}
        after = softmax((c * q) @ k.T / (c * 2.0)) @ (c * v)
        np.testing.assert_allclose(after, c * (softmax(q @ k.T / 2.0) @ v))


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_every_variant_is_solved_as_numpy_finds_it(name: str, seeds: range) -> None:
    seen = set()
    for seed in seeds:
        problem: Any = solving.variant(problems.load(name), seed)
        solution = solving.solve(problem)
        assert solution.verdict is Status.PROVED
        assert regard.check(problem, dict(solution.answer)).score == 1
        check_by_numpy(name, dict(solution.answer), letters(problem))
        seen.add(tuple(problem.given.shapes))
    assert len(seen) >= (3 if len(seeds) > 2 else 1)


def made(goal: dict[str, Any], shapes: dict[str, Any], **given: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "symmetry", "statement": "x"}
    return problems.from_dict({**data, "given": {"shapes": shapes, **given}, "goal": goal})


X = {"X": ["N", "D"], "P": ["N", "N"], "E": ["N", "D"], "u": ["D"], "W": ["D", "V"]}


def test_a_mask_breaks_the_symmetry_and_no_formula_is_claimed() -> None:
    goal = {
        "output": "softmax(X X', causal(N)) X",
        "change": {"X": "P X"},
        "find": ["invariant", "becomes"],
    }
    solution = solving.solve(made(goal, X, permutations=["P"]))
    assert solution.answer == {"invariant": False}
    assert solution.verdict is Status.UNDECIDED


def test_a_vector_in_all_values_comes_out_once() -> None:
    goal = {"output": "softmax(E E') X W", "change": {"X": "X + ones(N) u'"}, "find": ["becomes"]}
    solution = solving.solve(made(goal, X))
    assert solution.answer == {"becomes": "Y + ones(N) u' W"}
    assert solution.verdict is Status.PROVED


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"output": "X"}, "say what changes"),
        ({"output": "X", "change": {"X": "X"}}, "say what changes"),
        ({"output": "X", "change": {"Z": "X"}, "find": ["becomes"]}, "Z is no symbol"),
        (
            {"output": "X", "change": {"X": "X W"}, "find": ["becomes"]},
            "X gets another shape by X W",
        ),
        ({"output": "X W W", "change": {"X": "E"}, "find": ["becomes"]}, "goal.output"),
        ({"output": "X", "such_that": "X = X"}, "give `output` with `change`"),
        ({"such_that": "X = X"}, "give one `unknown`"),
        ({"such_that": "w = w", "unknown": {"X": ["N"]}}, "X is a symbol of `given`"),
        ({"such_that": "w = w", "unknown": {"w": ["M"]}}, "must be sizes of `shapes`"),
    ],
)
def test_what_cannot_be_meant_is_refused(goal: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        made(goal, X)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"invariant": False}, "becomes is missing"),
        ({"invariant": 2, "becomes": "P Y"}, "invariant must be true or false"),
        ({"invariant": False, "becomes": "P X"}, "written with Y"),
        ({"invariant": False, "becomes": "Y P"}, "cannot be multiplied"),
        ({"invariant": False, "becomes": "Z Y"}, "Z is not a name here"),
        ({"invariant": False, "becomes": [[1, 2]]}, "becomes must be a formula"),
        ({"invariant": False, "becomes": "ones(N)"}, "This should be"),
        ({"invariant": False, "becomes": "P Y", "w": "1"}, "w is no field"),
    ],
)
def test_answers_that_cannot_be_read_are_refused(answer: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        regard.check("permuted-tokens", answer)
