"""What a solution says, for tests to look at: its words, its tables and its facts."""

from __future__ import annotations

import os
import pickle
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard import solving
from regard.report import Facts, Table
from regard.report.inline import shown

# Of twenty variants three are solved in the ordinary run, and all in the slow one.
SEEDS = [pytest.param(s, marks=[pytest.mark.slow] if s % 7 else []) for s in range(20)]


@cache
def solved(name: str) -> solving.Solution:
    """Return the solution of a bundled problem, solved and told once in a run of the tests."""
    place = Path(os.environ["REGARD_TESTS_SHARED"]) / f"{name}.solution"
    if place.exists():
        return pickle.loads(place.read_bytes())
    solution = solving.solve(name)
    solution.report()  # which finds the explanation and the mistakes, and keeps them
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        file.write(pickle.dumps(solution))
    os.replace(file.name, place)  # never seen half-written by another process
    return solution


def words(solution: Any) -> str:
    """Return all that a report says, before it is laid out and as a terminal shows it."""
    strings = _strings(solution.report().to_dict())
    return " ".join([*strings, *map(shown, strings)])


def _strings(data: Any) -> list[str]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        return [text for part in data for text in _strings(part)]
    return [data] if isinstance(data, str) else []


def captioned(solution: Any, caption: str) -> Table:
    """Return the first table whose caption has these words."""
    return next(b for b in solution.details if isinstance(b, Table) and caption in b.caption)


def with_column(solution: Any, column: str) -> Table:
    """Return the first table that has a column of this name."""
    return next(b for b in solution.details if isinstance(b, Table) and column in b.columns)


def facts(solution: Any) -> dict[str, str]:
    """Return the pairs of names and values among the details."""
    return dict(pair for b in solution.details if isinstance(b, Facts) for pair in b.pairs)


def wanted(problem: Any) -> np.ndarray:
    """Return the weights that a problem asks for, one per key."""
    result = np.zeros(problem.given.n)
    for name, weight in problem.goal.weights.items():
        result[problem.given.names[name]] = weight
    return result


def gaussian(covariance: Any = "alpha I", mean: Any = None) -> dict[str, Any]:
    """Return a law of random keys, with orthonormal means if no others are given."""
    return {"law": "gaussian", "mean": mean or {"law": "orthonormal"}, "covariance": covariance}
