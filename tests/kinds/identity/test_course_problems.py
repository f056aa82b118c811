"""Bundled identities of courses: every variant's formula beside NumPy, written apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import regard
from regard import problems, solving
from regard.language import parse
from regard.solving import Status

Values = dict[str, Any]


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def block(g: Values) -> Any:
    x = g["P"] @ g["X"]
    scores = x @ g["W_Q"] @ (x @ g["W_K"]).T / math.sqrt(x.shape[1])
    hidden = np.maximum(softmax(scores) @ x @ g["W_V"] @ g["W_1"] + g["b_1"], 0)
    return hidden @ g["W_2"] + g["b_2"]


def turn(angle: float) -> Any:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def rotary_score(g: Values) -> Any:
    a, m, n = (float(g[name]) for name in "amn")
    return (turn(a * m) @ g["q"]) @ (turn(a * n) @ g["k"])


def linear(g: Values) -> Any:
    powers = g["F"] @ g["G"].T
    return (powers @ g["V"]) / powers.sum(axis=1, keepdims=True)


def shifted(g: Values) -> Any:
    angle = float(g["w"]) * (float(g["p"]) + float(g["k"]))
    return [math.sin(angle), math.cos(angle)]


EXPECTED: dict[str, dict[str, Callable[[Values], Any]]] = {
    "permute-through-a-block": {"Z_perm": block},
    "rotary-keeps-lengths": {"s": lambda g: sum(float(x) ** 2 for x in g["q"])},
    "rotary-scores-are-relative": {
        "s": rotary_score,
        "turned": lambda g: turn(float(g["a"]) * (float(g["n"]) - float(g["m"]))),
    },
    "sinusoids-shift-by-a-rotation": {"e_k": shifted},
    "linear-attention-reordered": {"C": linear},
    "head-as-two-circuits": {
        "O": lambda g: (
            softmax(g["X"] @ g["W_Q"] @ (g["X"] @ g["W_K"]).T) @ g["X"] @ g["W_V"] @ g["W_O"]
        )
    },
}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXPECTED)
def test_every_variant_is_proved_and_comes_to_what_numpy_says(name: str, seeds: range) -> None:
    for seed in seeds:
        problem: Any = solving.variant(problems.load(name), seed)
        solution = solving.solve(problem)
        assert solution.verdict is Status.PROVED
        assert regard.check(problem, dict(solution.answer)).score == 1
        rng = np.random.default_rng(seed)
        given = problem.given
        values: Values = {name: float(size) for name, size in given.known_sizes().items()}
        for symbol, shape in given.shapes.items():
            counts = [int(values[size]) if isinstance(size, str) else size for size in shape]
            values[symbol] = rng.uniform(0.1, 1.0, counts)  # features are positive
            if symbol in given.permutations:
                values[symbol] = np.eye(counts[0])[rng.permutation(counts[0])]
        known = dict(values)
        for symbol, text in given.define.items():
            known[symbol] = parse(text).evaluate(known)
        for field, expected in EXPECTED[name].items():
            found = parse(solution.answer[field]).evaluate(known)
            np.testing.assert_allclose(found, expected(values), rtol=1e-10)
