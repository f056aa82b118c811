"""Other numbers for problems that ask for several heads."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.heads.spec import HeadsProblem
from regard.problems import to_dict
from regard.solving.key_variants import draw_keys, draw_values, draw_weights, redraw_output


def vary(problem: HeadsProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other sizes, rows, noise and tolerances; as many heads and wanted keys."""
    data = to_dict(problem)
    given, goal = data["given"], data["goal"]
    draw_keys(problem.given.n, given, rng)
    draw_values(given, rng)
    for name, value in given.get("parameters", {}).items():
        given["parameters"][name] = value * float(rng.choice([2.0, 1.0, 0.5, 0.2]))
    goal["tolerance"] = float(rng.choice([0.02, 0.01, 0.005, 0.002]))
    if "output" not in goal:
        draw_weights(goal, rng)
    else:
        redraw_output(given, goal)
    return {"given": given, "goal": goal}
