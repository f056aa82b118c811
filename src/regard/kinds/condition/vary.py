"""Other numbers for problems that ask when something happens."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.condition.spec import ConditionProblem
from regard.problems import to_dict
from regard.problems.laws import Fixed
from regard.solving.key_variants import draw_keys


def vary(problem: ConditionProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other sizes and thresholds; for conditions on keys also other keys."""
    data = to_dict(problem)
    given, goal = data["given"], data["goal"]
    law = problem.given.keys
    if problem.goal.effect in ("aligned", "dominable") and isinstance(law, Fixed):
        row = problem.given.names[problem.goal.of]
        given["keys"] = {"law": "fixed", "rows": _keys(len(law.rows), len(law.rows[0]), row, rng)}
    else:
        draw_keys(problem.given.n, given, rng)
    if problem.goal.effect == "pairwise":
        goal["ratio"] = float(rng.choice([10, 50, 100, 200, 1000]))
    elif problem.goal.effect != "aligned":
        goal["epsilon"] = float(rng.choice([0.05, 0.01, 0.005, 1e-3, 1e-4, 1e-6]))
    statement = data["statement"]
    for name, old, new in (
        ("n", problem.given.n, given.get("n")),
        (r"\varepsilon", problem.goal.epsilon, goal.get("epsilon")),
        ("R", problem.goal.ratio, goal.get("ratio")),
    ):
        if new is not None:
            statement = statement.replace(f"${name} = {_plain(old)}$", f"${name} = {_plain(new)}$")
    return {"given": given, "goal": goal, "statement": statement}


def _plain(x: float) -> str:
    """Write a number without an exponent, as statements do."""
    return np.format_float_positional(x, trim="-")


def _keys(n: int, d: int, row: int, rng: np.random.Generator) -> list[list[int]]:
    """Different keys of small whole numbers; whether the key wins is part of the question."""
    size = 3
    while True:
        keys = rng.integers(-size, size + 1, (n, d))
        if len(np.unique(keys, axis=0)) == n and np.any(keys[row]):
            return [list(map(int, one)) for one in keys.tolist()]
        size += 1  # many keys in few dimensions need more room
