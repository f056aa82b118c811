"""Identities with another example: other sizes, and other whole numbers in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.identity.spec import IdentityProblem
from regard.problems import to_dict
from regard.problems.symbols import permutation

LARGEST = 5


def vary(problem: IdentityProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the same formulas with other sizes, all different, and numbers of those sizes."""
    data = to_dict(problem)
    given = problem.given
    every = (size for shape in given.shapes.values() for size in shape)
    names = list(dict.fromkeys(size for size in every if isinstance(size, str)))
    room = max(LARGEST, len(names) + 2)
    drawn = rng.permutation(np.arange(2, room + 1))[: len(names)].tolist()
    sizes = dict(zip(names, drawn, strict=True))
    varied = {name: part for name, part in data["given"].items() if name != "example"}
    varied["sizes"] = sizes
    counts = {
        name: [sizes[size] if isinstance(size, str) else size for size in shape]
        for name, shape in given.shapes.items()
        if shape
    }
    varied["example"] = {
        name: permutation(count[0], rng).tolist()
        if name in given.permutations
        else rng.integers(-3, 4, count).tolist()
        for name, count in counts.items()
    }
    return {"given": varied, "goal": data["goal"]}
