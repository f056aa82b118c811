"""Other numbers for a head that looks exactly T steps back."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.offset.spec import OffsetProblem
from regard.problems import to_dict


def vary(problem: OffsetProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return another width, length, offset and tolerance."""
    data = to_dict(problem)
    given: dict[str, Any] = dict(data["given"])
    d_model = 8 * int(rng.integers(2, 13))
    given |= {"d_model": d_model, "n": 8 * int(rng.integers(5, 21)), "T": int(rng.integers(1, 21))}
    if problem.given.T < 0:
        given["T"] = -given["T"]
    if problem.given.d_k is not None:
        given["d_k"] = max(2, round(problem.given.d_k / problem.given.d_model * d_model))
    tolerance = float(rng.choice([0.05, 0.02, 0.01, 0.005]))
    return {"given": given, "goal": {**data["goal"], "tolerance": tolerance}}
