"""Other numbers for a noise problem: how many keys and which, how much noise, how long a query."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from regard.kinds.noise.spec import NoiseProblem
from regard.problems import to_dict

# Variances of the noise along a key.
SPREADS = ("1/4", "1/3", "1/2", "2/3", "3/4", "3/2")
_ALONG = re.compile(r"\b1/2(?= mu_)")
_IN_WORDS = r"\tfrac{1}{2}"


def vary(problem: NoiseProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return given, goal and statement with other numbers.

    The number of keys and the rows of the named ones change where no table of keys or values
    fixes them, parameters change by up to a half, and a variance of 1/2 along a mean becomes
    another one, in the covariance and in the statement.
    """
    data = to_dict(problem)
    given, statement = data["given"], data["statement"]
    keys = given["keys"]
    fixed = any(
        isinstance(law, list) or law.get("law") == "fixed" or "norms" in law
        for law in (keys["mean"], given.get("values", {"law": "arbitrary"}))
    )
    if not fixed and given.get("d") is None:
        names = list(given.get("names", {}))
        n = int(rng.integers(max(3, len(names) + 1), len(names) + 6))
        rows = rng.choice(n, len(names), replace=False)
        given["n"] = n
        given["names"] = {name: int(row) for name, row in zip(names, rows, strict=True)}
    for name, size in given.get("parameters", {}).items():
        drawn = float(size) * float(rng.choice([0.5, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0]))
        given["parameters"][name] = float(f"{drawn:.3g}")
    covariance = keys["covariance"]
    if isinstance(covariance, dict) and _IN_WORDS in statement:
        formula = str(rng.choice(SPREADS))
        above, below = formula.split("/")
        words = rf"\tfrac{{{above}}}{{{below}}}"
        found = {name: _ALONG.subn(formula, text) for name, text in covariance.items()}
        if any(count for _, count in found.values()):
            keys["covariance"] = {name: text for name, (text, _) in found.items()}
            statement = statement.replace(_IN_WORDS, words)
    return {"given": given, "goal": data["goal"], "statement": statement}
