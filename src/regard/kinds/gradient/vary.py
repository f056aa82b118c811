"""Gradients with other numbers: small whole ones, and scores that are not far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.gradient.instance import example
from regard.kinds.gradient.spec import GradientProblem
from regard.problems import from_dict, to_dict

TRIES = 100
SYMBOLS = ("kappa", "c", "tau", "beta")


def vary(problem: GradientProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other numbers of the same sizes; of formulas, another scale or another loss."""
    data = to_dict(problem)
    given = data["given"]
    if problem.goal.bound is not None:
        return {"given": given, "goal": {**data["goal"], "vanishing": True}}
    if not given.get("numbers"):
        if problem.given.forward != "softmax":  # which has no scale unless one is given
            given["scale"] = str(rng.choice(SYMBOLS))
        return {"given": given, "goal": data["goal"]}
    for _ in range(TRIES):
        for name, rows in given["numbers"].items():
            if name in ("y", "T"):  # targets, whose rows may have to sum to 1
                given["numbers"][name] = _turned(rows, rng)
                continue
            if name == "a":  # weights
                parts = rng.integers(1, 5, len(rows))
                given["numbers"][name] = [f"{part}/{parts.sum()}" for part in parts]
                continue
            given["numbers"][name] = rng.integers(
                -2, 3, np.shape(np.array(rows, dtype=object))
            ).tolist()
        varied = from_dict({**data, "given": given})
        assert isinstance(varied, GradientProblem)
        values = example(varied.given).names
        names = ("s",) if problem.given.forward == "softmax" else problem.given.parts("S")
        apart = np.ptp(np.vstack([np.atleast_2d(values[one]) for one in names]), axis=1)
        if np.all(apart <= 6) and np.any(apart > 0.5):
            break
    return {"given": given, "goal": data["goal"]}


def _turned(rows: list[Any], rng: np.random.Generator) -> list[Any]:
    """Return each row with its entries in another order."""
    if rows and isinstance(rows[0], list):
        return [_turned(row, rng) for row in rows]
    return [rows[at] for at in rng.permutation(len(rows))]
