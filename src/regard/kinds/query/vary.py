"""Other numbers for problems that ask for a query."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.query.spec import QueryProblem
from regard.problems import to_dict
from regard.solving.key_variants import draw_keys, draw_values, draw_weights, redraw_output

TOLERANCES = (0.02, 0.01, 0.005, 0.002, 0.001)


def vary(problem: QueryProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other sizes, rows, values and tolerances; the weights keep their form."""
    data = to_dict(problem)
    given, goal = data["given"], data["goal"]
    random = problem.given.keys.law == "gaussian"
    draw_keys(problem.given.n, given, rng)
    draw_values(given, rng)
    if random:
        for name, value in given.get("parameters", {}).items():
            given["parameters"][name] = value * float(rng.choice([1.0, 0.5, 0.2, 0.1]))
        goal["tolerance"] = float(problem.goal.tolerance * rng.choice([1.0, 1.5, 2.0]))
        if problem.given.values.law == "fixed":
            goal["tolerance"] = 2 * goal["tolerance"]
    else:
        goal["tolerance"] = float(rng.choice(TOLERANCES))
    if "output" not in goal:
        draw_weights(goal, rng)
    else:
        redraw_output(given, goal)
    return {"given": given, "goal": goal}
