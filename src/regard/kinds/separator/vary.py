"""Other subspaces to take a value out of, with numbers that are read easily."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.separator.spec import Basis, SeparatorProblem, Vectors
from regard.problems import to_dict
from regard.problems.instances import Float64

_SIDES = ((0.6, 0.8), (0.8, 0.6), (0.28, 0.96), (0.96, 0.28))  # of right triangles


def vary(problem: SeparatorProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return bases of the same kind: vectors of length one, orthonormal ones, or as they were.

    Bases that are given stay what they are but for the order and the signs of the coordinates,
    which changes no angle.
    """
    data = to_dict(problem)
    given: dict[str, Any] = dict(data["given"])
    drawn = not any(problem.given.fixed) and problem.given.orthogonal
    first, second = problem.given.S.count, problem.given.T.count
    if drawn:
        first, second = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        given["d"] = first + second + int(rng.integers(0, 2))
    d = int(given["d"])
    order, signs = rng.permutation(d), rng.choice([-1.0, 1.0], d)
    for name, basis, start, count in (
        ("S", problem.given.S, 0, first),
        ("T", problem.given.T, first, second),
    ):
        if isinstance(basis, Vectors):
            rows = np.array(basis.rows, float)
        elif drawn:
            rows = np.zeros((count, d))
            rows[:, start : start + count] = _basis(basis, count, rng)
        else:
            continue
        moved = (rows[:, order] * signs + 0.0).tolist()
        given[name] = {"law": "fixed", "rows": moved}
    return {"given": given, "goal": data["goal"]}


def _basis(basis: Basis, count: int, rng: np.random.Generator) -> Float64:
    """Return rows of length one, at right angles if the law says so."""
    rows = np.eye(count)
    for i in range(1, count):
        short, long = _SIDES[int(rng.integers(len(_SIDES)))]
        j = int(rng.integers(i))
        if basis.law == "orthonormal":
            turned = np.array([short * rows[j] + long * rows[i], long * rows[j] - short * rows[i]])
            rows[[j, i]] = np.round(turned, 8)
            if i > 1:
                break  # a second turn of the same vector would need more digits
        else:
            rows[i] = short * np.eye(count)[j] + long * np.eye(count)[i]
    return rows
