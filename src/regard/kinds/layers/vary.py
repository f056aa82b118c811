"""Another vocabulary, length and tolerance for the same task."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.layers.spec import LayersProblem
from regard.problems import to_dict

LETTERS = "abcdef"
SIZES = ((2, 4), (2, 5), (2, 6), (2, 7), (3, 4), (3, 5), (4, 4))


def vary(problem: LayersProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return another vocabulary, length and tolerance for the same task."""
    data = to_dict(problem)
    many, length = SIZES[int(rng.integers(len(SIZES)))]
    given = {**data["given"], "vocabulary": list(LETTERS[:many]), "length": length}
    tolerance = float(rng.choice([0.05, 0.02, 0.01, 0.005]))
    return {"given": given, "goal": {**data["goal"], "tolerance": tolerance}}
