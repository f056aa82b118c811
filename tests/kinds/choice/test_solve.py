"""Statements settled: every variant of every bundled problem against NumPy, written apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import regard
from regard import problems, solving
from regard.errors import InvalidProblem
from regard.solving import Status

Draw = np.random.Generator
NAMES = [name for name in problems.names() if problems.load(name).kind == "choice"]


def softmax(scores: Any, mask: Any = None) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    powers = powers if mask is None else powers * mask
    return powers / powers.sum(axis=-1, keepdims=True)


def norm(x: Any) -> Any:
    centred = x - x.mean()
    return centred / math.sqrt((centred**2).mean())


def causal(x: Any, w: Any) -> Any:
    return softmax(x @ w @ x.T, np.tri(len(x))) @ x


def full(x: Any, w: Any) -> Any:
    return softmax(x @ w @ x.T) @ x


def three(r: Draw) -> tuple[Any, Any, Any]:
    return r.normal(size=(3, 2)), r.normal(size=2), r.normal(size=(2, 2))


def who_sees_whom(r: Draw) -> dict[str, bool]:
    x, y, w = three(r)
    weights = softmax(x @ w @ x.T, np.tri(3))
    third, first = x.copy(), x.copy()
    third[2], first[0] = y, y
    return {
        "Row 1 of the output is": same(causal(x, w)[0], x[0]),
        "Row 2 of the output stays": same(causal(third, w)[1], causal(x, w)[1]),
        "Row 3 of the output stays": same(causal(first, w)[2], causal(x, w)[2]),
        "The weights of token 3": bool(np.all(weights[2] > 0)),
        "What stands in the masked": same(np.triu(weights, 1), 0 * weights),
        "Masked weights are": same(weights, softmax(x @ w @ x.T) * np.tri(3)),
    }


def train_at_once(r: Draw) -> dict[str, bool]:
    x, _, w = three(r)
    return {
        "Row 2 of $C(X)$": same(causal(x, w)[1], causal(x[:2], w)[1]),
        "The first two rows": same(causal(x, w)[:2], causal(x[:2], w)),
        "The same holds without": same(full(x, w)[:2], full(x[:2], w)),
        "The last row is": same(causal(x, w)[2], full(x, w)[2]),
    }


def cached(r: Draw) -> dict[str, bool]:
    q, k, v = r.normal(size=(3, 2)), r.normal(size=(3, 2)), r.normal(size=(3, 3))
    whole = softmax(q @ k.T, np.tri(3)) @ v
    other = np.vstack([r.normal(size=(2, 2)), q[2]])
    again = softmax(other @ k.T, np.tri(3)) @ v
    return {
        "The third row of full": same(whole[2], softmax(k @ q[2]) @ v),
        "The old queries": not same(whole[2], again[2]),
        "The first two rows": same(whole[:2], softmax(q[:2] @ k[:2].T, np.tri(2)) @ v[:2]),
        "The third row can do": same(whole[2], v[2]),
    }


def hidden(r: Draw) -> dict[str, bool]:
    n = int(r.integers(3, 9))
    scores, added, mask = r.normal(size=(n, n)), np.triu(r.normal(size=(n, n)), 1), np.tri(n)
    weights = softmax(scores, mask)
    return {
        "Weights stay the same": same(softmax(scores + added, mask), weights),
        "Weights at hidden": same(np.triu(weights, 1), np.zeros((n, n))),
        "Without the mask": same(softmax(scores + added), softmax(scores)),
        "Zeros put at": same(softmax(scores) * mask, weights),
    }


def memory(r: Draw) -> dict[str, bool]:
    n, d = 5, 3
    q, k, v = (r.normal(size=(n, d)) for _ in range(3))
    weights = softmax(q @ k.T)
    return {
        "The weights are": weights.size == n**2,
        "The output is": (weights @ v).size == n**2,
        "$Q$, $K$, $V$": q.size + k.size + v.size + (weights @ v).size == 4 * n * d,
        "Six tokens have twice": np.zeros((6, 6)).size == 2 * np.zeros((3, 3)).size,
        "Six tokens have four": np.zeros((6, 6)).size == 4 * np.zeros((3, 3)).size,
        "Row 2 of the output can": same((weights @ v)[1], softmax(k @ q[1]) @ v),
    }


def ranks(r: Draw) -> dict[str, bool]:
    n, d, d_k, d_v = 9, 8, 2, 3
    x, q, k = r.normal(size=(n, d)), r.normal(size=(d, d_k)), r.normal(size=(d, d_k))
    v, o = r.normal(size=(d, d_v)), r.normal(size=(d_v, d))
    rank = np.linalg.matrix_rank
    scores = x @ q @ (x @ k).T
    return {
        r"The rank of $W_Q W_K^\top$ is": rank(q @ k.T) <= d_k,
        "The rank of the scores": rank(scores) <= d_k,
        "The rank of the weights": rank(softmax(scores)) <= d_k,
        "The rank of $W_V W_O$": rank(v @ o) <= d_v,
        r"The rank of $W_Q W_K^\top + W_V W_O$ is at most $D_K$.": rank(q @ k.T + v @ o) <= d_k,
        r"The rank of $W_Q W_K^\top + W_V W_O$ is at most $D_K +": rank(q @ k.T + v @ o)
        <= d_k + d_v,
    }


def layer_norms(r: Draw) -> dict[str, bool]:
    x, w, u, c = r.normal(size=5), r.normal(size=(5, 7)), r.normal(size=(7, 5)), r.uniform(1, 3)

    def f(z: Any) -> Any:
        return w @ np.maximum(u @ z, 0)

    def after(z: Any) -> Any:
        return norm(z + f(z))

    def before(z: Any) -> Any:
        return z + f(norm(z))

    return {
        "The output of post-LN": same(after(x).sum(), 0),
        "The output of pre-LN": same(before(x).sum(), 0),
        "With pre-LN, what the": same(before(c * x) - c * x, before(x) - x),
        "With post-LN, the output": same(after(c * x), after(x)),
        "With pre-LN, $x$ itself": same(before(x) - x, f(norm(x))),
        "With post-LN, $x$ itself": same(after(x) - x, norm(f(x))),
    }


def orders(r: Draw) -> dict[str, bool]:
    n, d = 5, 3
    x, e = r.normal(size=(n, d)), r.normal(size=(n, d))
    q, k, v = r.normal(size=(d, 2)), r.normal(size=(d, 2)), r.normal(size=(d, 4))
    p = np.eye(n)[[2, 0, 4, 1, 3]]

    def s(z: Any, mask: Any = None) -> Any:
        return softmax(z @ q @ (z @ k).T, mask) @ z @ v

    lower = np.tri(n)
    return {
        "$S(P X) = P": same(s(p @ x), p @ s(x)),
        "$S(P X) = S": same(s(p @ x), s(x)),
        "$C(P X)": same(s(p @ x, lower), p @ s(x, lower)),
        "$S(P X + E)": same(s(p @ x + e), p @ s(x + e)),
        "$S(P (X + E))": same(s(p @ (x + e)), p @ s(x + e)),
        "The mean of the rows": same(s(p @ x).mean(axis=0), s(x).mean(axis=0)),
    }


def collisions(r: Draw) -> dict[str, bool]:
    def rows(positions: Any, d: int) -> Any:
        angles = np.outer(positions, 10000.0 ** (-2 * np.arange(d // 2) / d))
        return np.hstack([np.sin(angles), np.cos(angles)])

    def closest(d: int) -> float:
        found = rows(np.arange(2000), d)
        return float(np.min(np.linalg.norm(found[1:] - found[:1], axis=1)))

    turn = 2 * math.pi
    return {
        "For $d = 512$": closest(512) < 1e-9,
        "Already for $d = 2$": closest(2) < 1e-9,
        "If positions may be any real numbers, two of them have the same row for $d = 2$": same(
            rows([0.3], 2), rows([0.3 + turn], 2)
        ),
        # w_1 / w_0 = 10000^(-1/3) is irrational: no turn of the first pair is one of the second.
        "If positions may be any real numbers, two of them have the same row for $d = 6$": any(
            same(rows([0.0], 6), rows([turn * m], 6)) for m in range(1, 3000)
        ),
        "Each pair has": same(np.linalg.norm(rows([r.normal()], 2)), 1),
    }


def left_alone(r: Draw) -> dict[str, bool]:
    q, k, m = r.normal(size=(5, 3)), r.normal(size=(4, 3)), r.normal(size=(3, 3))
    u, t, c = r.normal(size=3), r.normal(size=5), r.uniform(1.5, 3)
    before = softmax(q @ k.T)
    return {
        "Adding $u$ to every key": same(softmax(q @ (k + u).T), before),
        "Adding $u$ to every query": same(softmax((q + u) @ k.T), before),
        "Adding a number": same(softmax(q @ k.T + t[:, None]), before),
        "Multiplying all": same(softmax(c * q @ k.T), before),
        "Multiplying the queries": same(softmax((c * q) @ (k / c).T), before),
        r"Replacing $Q$ by $Q M$ and $K$ by $K M^{-\top}$": same(
            softmax((q @ m) @ (k @ np.linalg.inv(m).T).T), before
        ),
        "Replacing $Q$ by $Q M$ and $K$ by $K M$": same(softmax((q @ m) @ (k @ m).T), before),
    }


def products(r: Draw) -> dict[str, bool]:
    q, k, v = (r.normal(size=(5, 3)) for _ in range(3))
    return {
        r"$(Q K^\top) V": same((q @ k.T) @ v, q @ (k.T @ v)),
        r"$\operatorname{softmax}(Q": same(softmax(q @ k.T) @ v, q @ softmax(k.T @ v)),
        r"$Q K^\top$ has": (q @ k.T).size == (k.T @ v).size,
        r"$K^\top V$ has": (k.T @ v).size == 3**2,
    }


def same(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9))


BY_NUMPY: dict[str, Callable[[Draw], dict[str, bool]]] = {
    "who-sees-whom": who_sees_whom,
    "train-all-positions-at-once": train_at_once,
    "cached-decoding": cached,
    "what-a-causal-mask-hides": hidden,
    "memory-of-the-scores": memory,
    "ranks-in-a-head": ranks,
    "layer-norm-before-or-after": layer_norms,
    "order-masks-and-positions": orders,
    "can-positions-collide": collisions,
    "what-leaves-the-weights-alone": left_alone,
    "order-of-three-products": products,
}


def truths(name: str) -> dict[str, bool]:
    """What holds on all of several draws, by the words that a statement begins with."""
    draws = [BY_NUMPY[name](np.random.default_rng(seed)) for seed in range(5)]
    return {words: all(draw[words] for draw in draws) for words in draws[0]}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_every_variant_is_settled_as_numpy_finds_it(name: str, seeds: range) -> None:
    wanted = truths(name)
    orders = set()
    for seed in seeds:
        problem: Any = solving.variant(problems.load(name), seed)
        answer = solving.solve(problem).answer
        for statement in problem.goal.statements:
            (found,) = [
                truth for words, truth in wanted.items() if statement.words.startswith(words)
            ]
            assert answer[statement.label] is found, statement.words
            assert f"({statement.label}) {statement.words}" in problem.statement
        orders.add(tuple(statement.words for statement in problem.goal.statements))
    assert len(orders) >= min(len(seeds), 5)


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_is_proved_or_refuted(name: str) -> None:
    solution = solving.solve(problems.load(name))
    assert solution.verdict is Status.PROVED
    assert {claim.tested for claim in solution.verification.claims} == {0}


def made(*statements: Any, **given: Any) -> Any:
    listed = [{"label": "abcdef"[i], "says": says} for i, says in enumerate(statements)]
    return problems.from_dict(
        {
            "schema": 1, "id": "x", "title": "x", "kind": "choice", "statement": "x",
            "given": {"shapes": {"X": ["N", "D"], "c": []}, **given}, "goal": {"statements": listed},
        }
    )  # fmt: skip


def test_a_statement_that_nothing_settles_leaves_the_problem_undecided() -> None:
    # It holds (the trace of a product of a matrix with its transpose), and signs do not show it.
    solution = solving.solve(made("tr(X X' X X') - tr(X X')^2 <= 0"))
    assert solution.verdict is Status.UNDECIDED
    assert solution.answer == {}
    verdict = regard.check(made("tr(X X' X X') - tr(X X')^2 <= 0"), {"a": True})
    assert verdict.score is None


def test_inequalities_are_proved_by_signs_and_refuted_by_numbers() -> None:
    solution = solving.solve(made("X ⊙ X >= 0", "X ⊙ X > 0", "softmax(X) > 0", "c^2 >= c"))
    assert dict(solution.answer) == {"a": True, "b": False, "c": True, "d": False}
    problem = made("X ⊙ X >= 0", "X ⊙ X > 0", "softmax(X) > 0", "c^2 >= c")
    assert regard.check(problem, {"true": ["a", "c"]}).score == 1
    wrong = regard.check(problem, {"true": ["a", "c", "d"]})
    assert wrong.score == 0.75
    assert wrong.counterexample is not None
    assert 0 < wrong.counterexample.arrays["c"] < 1


def test_several_relations_in_one_statement_all_have_to_hold() -> None:
    solution = solving.solve(made("X = X and X + X = 2 X", "X = X and X + X = 3 X", "X != 2 X"))
    assert dict(solution.answer) == {"a": True, "b": False, "c": True}


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("X + ", "says: "),
        ("X X", "cannot be multiplied"),
        ("X X'", "a statement is an equation or an inequality"),
        ("rank(X) = D", "of a rank it is asked how large it is at most"),
        ("rank(X) + 1 <= D", "of a rank it is asked how large it is at most"),
        ("Z = X", "Z is not a name here"),
    ],
)
def test_what_is_no_statement_is_refused_with_the_place(says: str, words: str) -> None:
    with pytest.raises(InvalidProblem, match="statements") as caught:
        made(says)
    assert words in str(caught.value)


def test_a_statement_that_is_not_defined_everywhere_crashes_nothing() -> None:
    problem = made("rank(X / c) <= D", "rank(X / (c - c)) <= 1", "X / (c - c) = X")
    assert solving.solve(problem).finding.settled["a"].truth is True  # type: ignore[attr-defined]
    verdict = regard.check(problem, {"true": ["a"]})
    assert verdict.goals[0].passed
    assert verdict.score is None
