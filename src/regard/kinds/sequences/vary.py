"""Another vocabulary, length and tolerance for the same task."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.sequences.spec import SequencesProblem
from regard.problems import to_dict

LETTERS = "abcdef"


def vary(problem: SequencesProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other numbers; the token that is looked for stays in the vocabulary."""
    data = to_dict(problem)
    names = list(LETTERS[: int(rng.integers(2, 6))])
    of = problem.goal.of
    if of is not None and of not in names:
        names[0] = of
    write = problem.goal.write
    if write is not None and write not in names:
        names[1] = write
    given = {**data["given"], "vocabulary": names, "length": int(rng.integers(3, 9))}
    tolerance = float(rng.choice([0.05, 0.02, 0.01, 0.005]))
    return {"given": given, "goal": {**data["goal"], "tolerance": tolerance}}
