"""Other numbers for a moments problem: sizes, means and deviations, the variance that is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.moments.spec import DotProductGiven, MomentsProblem
from regard.language import parse
from regard.problems import to_dict

SIZES = (8, 16, 32, 48, 64, 96, 128)
MEANS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
DEVIATIONS = (0.5, 1.0, 1.5, 2.0, 3.0)


def vary(problem: MomentsProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return given, goal and statement with other numbers.

    Parameters of the instance change. A symbol that is assumed to have a value gets another one
    if the statement says `$symbol = value$`, which is then rewritten; a mean that the statement
    calls `mean $symbol$` becomes a multiple of it.
    """
    data = to_dict(problem)
    given, goal, statement = data["given"], data["goal"], data["statement"]
    size = problem.given.dimension
    given["parameters"][size] = int(rng.choice(SIZES))
    if isinstance(problem.given, DotProductGiven):
        for name, x in problem.given.parameters.items():
            if name != size:
                given["parameters"][name] = _drawn(x, rng)
        for name in problem.given.parameters:
            laws = [given[key] for key in ("q", "k") if key in given]
            written = f"mean ${_latex(name)}$"
            if written in statement and all(law["mean"] == name for law in laws):
                factor = int(rng.integers(2, 6))
                statement = statement.replace(written, f"mean ${factor} {_latex(name)}$")
                for law in laws:
                    law["mean"] = f"{factor} {name}"
        for name, x in problem.given.assume.items():
            written = f"${_latex(name)} = {_short(x)}$"
            if written in statement:
                new = _drawn(x, rng)
                given["assume"][name] = new
                statement = statement.replace(written, f"${_latex(name)} = {_short(new)}$")
    return {"given": given, "goal": goal, "statement": statement}


def _drawn(x: float, rng: np.random.Generator) -> float:
    """Another small number, positive if the old one was."""
    return float(rng.choice(DEVIATIONS if x > 0 else MEANS))


def _latex(name: str) -> str:
    return parse(name).to_latex()


def _short(x: float) -> str:
    return f"{x:g}"
