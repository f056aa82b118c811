"""Other numbers for a head that looks roughly T steps back."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.band.spec import BandProblem
from regard.problems import to_dict


def vary(problem: BandProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return another width, length, offset and window."""
    data = to_dict(problem)
    B, T = 2 * int(rng.integers(2, 11)), int(rng.integers(1, 21))
    data["given"] |= {
        "d_model": 8 * int(rng.integers(4, 13)),
        "B": B,
        "T": -T if problem.given.T < 0 else T,
        "n": 3 * (B + T) + 8 * int(rng.integers(0, 8)),
    }
    return {"given": data["given"], "goal": data["goal"]}
