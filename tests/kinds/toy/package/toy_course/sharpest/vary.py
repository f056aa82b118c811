"""Another query over the same keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.problems import to_dict
from toy_course.sharpest.spec import SharpestProblem


def vary(problem: SharpestProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return another query of small whole numbers."""
    query = rng.integers(-2, 3, len(problem.given.query)).tolist()
    return {"given": {**to_dict(problem)["given"], "query": query}}
