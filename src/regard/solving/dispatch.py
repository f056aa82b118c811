"""Find the solver for a problem: the module that has the name of its kind."""

from __future__ import annotations

import importlib
from pathlib import Path

from regard.core.kernels.threads import one_blas_thread
from regard.problems import Problem, load
from regard.solving.solution import Solution


def solve(problem: Problem | str | Path) -> Solution:
    """Return the solution of a problem, given as such, by its id or as a file.

    Raises:
        InvalidProblem: there is no such problem, or it cannot be read.
    """
    if isinstance(problem, str | Path):
        problem = load(problem)
    solver = importlib.import_module(f"regard.solving.{problem.kind}")
    with one_blas_thread():
        return solver.solve(problem)
