"""Positions of tokens that come after cached ones, tables of biases for each head, and masks as typed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import check, problems, solving
from regard.errors import InvalidProblem

X = np.array([[1.0, 2, 0, -1], [0, 1, 1, 1]])
CACHED_K = np.array([[1.0, 0], [2, 1], [0, -1]])
CACHED_V = np.array([[1.0, 0], [0, 2], [1, 1]])
W_K = np.array([[1.0, 0], [0, 1], [1, 1], [0, 1]])
W_V = np.array([[0.0, 1], [1, 0], [1, 0], [0, 1]])


def made(given: dict[str, Any], find: list[str]) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "compute", "statement": "x"}
    rows = {n: part.tolist() if isinstance(part, np.ndarray) else part for n, part in given.items()}
    return problems.from_dict({**data, "given": rows, "goal": {"find": find}})


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def turned(rows: Any, first: int, base: float = 10000.0) -> Any:
    """Turn rows of width 2 by position · base^0."""
    angles = first + np.arange(len(rows))
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = rows[:, 0], rows[:, 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)


def causal(scores: Any, before: int) -> Any:
    n_q, n_k = scores.shape
    return np.where(np.arange(n_k) <= before + np.arange(n_q)[:, None], scores, -np.inf)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("cached", ["turned", "plain"])
def test_new_tokens_are_turned_by_the_positions_after_the_cache(cached: str) -> None:
    keys = np.vstack([CACHED_K, X @ W_K])
    rows = turned(keys, 5)
    if cached == "turned":
        rows[:3] = CACHED_K
    values = np.vstack([CACHED_V, X @ W_V])
    queries = [turned(X[:, i : i + 2], 8) for i in (0, 2)]  # two heads that share keys
    weights = [softmax(causal(Q @ rows.T / np.sqrt(2), 3)) for Q in queries]
    given = {
        "tokens": X, "W_Q": np.eye(4), "W_K": W_K, "W_V": W_V, "heads": 2, "key_heads": 1,
        "cached_K": CACHED_K, "cached_V": CACHED_V, "is_causal": True, "scale": "1/sqrt(d_k)",
        "positions": {"kind": "rotary", "start": 5, "cached": cached},
    }  # fmt: skip
    problem = made(given, ["QR", "KR", "A_h2", "C"])
    expected = {
        "QR": np.hstack(queries),
        "KR": rows,
        "A_h2": weights[1],
        "C": np.hstack([A @ values for A in weights]),
    }
    solution = solving.solve(problem)
    assert solution.verification.holds
    for name, array in expected.items():
        close(solution.answer[name], array)
    assert check(problem, {n: np.round(a, 4).tolist() for n, a in expected.items()}).right
    other = turned(keys, 5) if cached == "turned" else np.vstack([CACHED_K, rows[3:]])
    wrong = {**solution.answer, "KR": other.tolist()}
    assert not check(problem, wrong).right


def test_a_step_with_a_cache_is_the_last_row_of_the_whole_sequence() -> None:
    whole = {
        "tokens": np.vstack([np.eye(4)[:2], X]), "W_K": W_K, "W_V": W_V, "W_Q": W_K,
        "is_causal": True, "positions": {"kind": "rotary"},
    }  # fmt: skip
    last = solving.solve(made(whole, ["c_4", "KR", "V"])).answer
    step = {
        **whole, "tokens": X[1:], "cached_K": np.round(np.array(last["KR"][:3], dtype=float), 9),
        "cached_V": np.array(last["V"][:3], dtype=float),
    }  # fmt: skip
    found = solving.solve(made(step, ["c_1"])).answer["c_1"]
    np.testing.assert_allclose(np.array(found, float), np.array(last["c_4"], float), rtol=1e-7)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_rows_that_are_added_to_new_tokens_are_those_after_the_cache(kind: str) -> None:
    table = np.arange(24).reshape(6, 4) % 5 - 2.0
    positions: dict[str, Any] = {"kind": kind, "start": 1}
    if kind == "learned":
        positions["table"] = table.tolist()
        rows = table[4:6]
    else:
        angles = np.outer([4, 5], [1, 0.01])
        rows = np.stack(
            [
                np.sin(angles[:, 0]),
                np.cos(angles[:, 0]),
                np.sin(angles[:, 1]),
                np.cos(angles[:, 1]),
            ],
            axis=1,
        )
    given = {
        "tokens": X, "W_Q": W_K, "W_K": W_K, "W_V": W_V, "cached_K": CACHED_K,
        "cached_V": CACHED_V, "positions": positions,
    }  # fmt: skip
    answer = solving.solve(made(given, ["P", "XP", "Z"])).answer
    close(answer["P"], rows)
    close(answer["XP"], X + rows)
    keys = np.vstack([CACHED_K, (X + rows) @ W_K])
    close(answer["Z"], (X + rows) @ W_K @ keys.T)


def test_tokens_and_their_context_get_the_rows_of_their_own_positions() -> None:
    table = np.arange(20).reshape(5, 4) - 7.0
    given = {
        "tokens": X, "context": X[:1], "W_Q": W_K, "W_K": W_K, "W_V": W_V,
        "positions": {"kind": "learned", "table": table.tolist(), "start": 1, "query_start": 3},
    }  # fmt: skip
    answer = solving.solve(made(given, ["XP", "K"])).answer
    close(answer["XP"], X + table[3:])
    close(answer["K"], (X[:1] + table[1:2]) @ W_K)


@pytest.mark.parametrize("kind", ["relative", "t5"])
def test_every_head_may_have_biases_of_its_own(kind: str) -> None:
    tables = {"relative": [[1, 0, -1], [0, 0, 2]], "t5": [[0, 1, 2, 3], [5, 6, 7, 8]]}
    given = {
        "Q": X, "K": X, "heads": 2, "positions": {"kind": kind, "table": tables[kind]},
    }  # fmt: skip
    # t5 of 4 buckets, both ways: 0 the same, 1 before, 2 + 1 after
    places = {"relative": [[1, 2], [0, 1]], "t5": [[0, 3], [1, 0]]}[kind]
    answer = solving.solve(made(given, ["B_h1", "B_h2"])).answer
    for head in (0, 1):
        close(answer[f"B_h{head + 1}"], np.array(tables[kind][head])[places])


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ([[1, 0, 0], [1, 1, 0], [1, 1, 1]], True),
        ([[True, False, False], [True, True, False], [True, True, True]], True),
        ([[0, "-inf", "-inf"], [0, 0, "-inf"], [0, 0, 0]], True),
        ([[0, -1e9, -1e9], [0, 0, -1e9], [0, 0, 0]], True),
        ([[0, "-inf", 0], [0, 0, "-inf"], [0, 0, 0]], False),
        ([[1, "-inf", "-inf"], [1, 1, "-inf"], [1, 1, 1]], False),
        ([[False, True, True], [False, False, True], [False, False, False]], False),
    ],
)
def test_a_mask_is_read_in_ones_in_truths_and_in_what_is_added(typed: Any, right: bool) -> None:
    assert check(made({"n": 3, "is_causal": True}, ["M"]), {"M": typed}).right is right


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"positions": {"kind": "rotary", "cached": "plain"}}, "belongs to cached_K"),
        ({"heads": 2, "positions": {"kind": "t5", "table": [[0] * 4] * 3}}, "one row per head"),
        ({"positions": {"kind": "learned", "table": [1, 2]}}, "rows of numbers"),
        ({"heads": 2, "positions": {"kind": "relative", "table": [[1, 2]] * 2}}, "odd number"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidProblem, match=words):
        made({"Q": X, "K": X, **change}, ["A_h1" if "heads" in change else "A"])
