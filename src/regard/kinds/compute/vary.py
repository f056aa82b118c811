"""Worked examples with other numbers: small whole ones, and scores that are not far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.kinds.compute.spec import INPUTS, ComputeProblem, quantity
from regard.problems import to_dict

TRIES = 200
WIDEST = 8.0  # between the scores of a row: every weight can be seen


def vary(problem: ComputeProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other tokens and matrices of the same sizes; nothing is printed of their numbers."""
    given = to_dict(problem)["given"]
    goal = {name: part for name, part in to_dict(problem)["goal"].items() if name != "printed"}
    drawn: dict[str, NDArray[np.int64]] = {}
    for attempt in range(TRIES):
        # Long tokens need small numbers, and so do draws that failed.
        most = 3 if attempt < TRIES // 2 else 1
        drawn = {name: _draw(np.shape(given[name]), most, rng) for name in INPUTS}
        if _readable(drawn, problem):
            break
    return {"given": {**given, **{name: drawn[name].tolist() for name in drawn}}, "goal": goal}


def _draw(shape: tuple[int, ...], most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw whole numbers, about a third of them 0."""
    numbers = rng.integers(-most, most + 1, shape)
    return np.where(rng.random(shape) < 0.2, 0, numbers)


def _readable(drawn: dict[str, NDArray[np.int64]], problem: ComputeProblem) -> bool:
    tokens = drawn["tokens"]
    if len({tuple(row) for row in tokens.tolist()}) < len(tokens) or not tokens.any(axis=1).all():
        return False
    if not all(drawn[name].any(axis=1).all() for name in INPUTS[1:]):
        return False
    scores = problem.given.factor() * (tokens @ drawn["W_Q"]) @ (tokens @ drawn["W_K"]).T
    rows = {
        token - 1
        for asked in map(quantity, problem.goal.find)
        if asked.letter in "zac"
        for token in asked.tokens(len(tokens))
    }
    return all(len(tokens) == 1 or 0.5 <= np.ptp(scores[row]) <= WIDEST for row in rows)
