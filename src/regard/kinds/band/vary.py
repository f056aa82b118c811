"""Other numbers for a head that looks roughly T steps back."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.band.spec import BandProblem
from regard.problems import to_dict

__all__ = ["vary"]


def vary(problem: BandProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return another width, length, offset and window."""
    data = to_dict(problem)
    given: dict[str, Any] = dict(data["given"])
    B, T = 2 * int(rng.integers(2, 11)), int(rng.integers(1, 21))
    given |= {
        "d_model": 8 * int(rng.integers(4, 13)),
        "B": B,
        "T": -T if problem.given.T < 0 else T,
    }
    given["n"] = 3 * (B + T) + 8 * int(rng.integers(0, 8))
    return {"given": given, "goal": data["goal"]}
