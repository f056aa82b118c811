"""Other keys and another query for the same question."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.key.instance import plain
from regard.kinds.key.spec import KeyProblem
from regard.problems import to_dict
from regard.problems.instances import Float64

TRIES = 200


def vary(problem: KeyProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return other axes, signs and lengths; what can be had stays so.

    Keys with numbers have their axes exchanged and turned round, with the query, and move a little,
    as long as what is asked can be had, or cannot, by a fair margin.
    """
    data = to_dict(problem)
    given, goal = data["given"], data["goal"]
    case = plain(problem)
    if isinstance(given["keys"], dict) and "rows" not in given["keys"]:
        n = int(rng.integers(max(3, len(problem.given.names)), problem.given.n + 4))
        if problem.given.d is None and not isinstance(given["keys"].get("norms"), list):
            given["n"] = n
            places = rng.permutation(n)[: len(problem.given.names)].tolist()
            given["names"] = dict(zip(problem.given.names, places, strict=True))
        for factor in rng.permutation([0.5, 0.75, 1.25, 1.5, 2.0]).tolist():
            trial = {**given, "query": f"{factor!r} ({given['query']})"}
            if _alike(problem, type(problem).model_validate({**data, "given": trial})):
                return {"given": trial, "goal": goal}
        return {"given": given, "goal": goal}
    keys, query = case.instance.keys, case.query
    d = len(query)
    order, signs = rng.permutation(d), rng.choice([-1.0, 1.0], d)
    factor = float(rng.choice([1.0, 2.0, 4.0]))
    turned = keys[:, order] * signs / factor
    new = query[order] * signs * factor
    for _ in range(TRIES):
        moved = turned + rng.integers(-2, 3, turned.shape) / 4
        trial = {**given, "keys": _rounded(moved), "query": _rounded(new)}
        changed = type(problem).model_validate({**data, "given": trial})
        if not np.array_equal(moved, turned) and _alike(problem, changed):
            return {"given": trial, "goal": goal}
    trial = {**given, "keys": _rounded(turned), "query": _rounded(new)}
    return {"given": trial, "goal": goal}


def _rounded(array: Float64) -> Any:
    """Return numbers as a person would write them."""
    return (np.round(array, 10) + 0.0).tolist()


def _alike(one: KeyProblem, other: KeyProblem) -> bool:
    """Whether both can be had, or both cannot, by a fair margin."""
    tolerance = one.goal.tolerance
    least = plain(other).least
    if "key" not in one.goal.find:
        return least > 1e-6
    return least <= tolerance / 2 if plain(one).least <= tolerance else least >= 1.5 * tolerance
