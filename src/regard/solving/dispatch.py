"""Find the solver for a problem: the module that has the name of its kind."""

from __future__ import annotations

from pathlib import Path

from regard.core.kernels.threads import one_blas_thread
from regard.problems import Problem, load
from regard.problems.registry import needed
from regard.solving.solution import Solution


def solve(problem: Problem | str | Path) -> Solution:
    """Return the solution of a problem, given as such, by its id or as a file.

    Raises:
        InvalidProblem: there is no such problem, or it cannot be read.
    """
    if isinstance(problem, str | Path):
        problem = load(problem)
    with one_blas_thread():
        found = needed(problem.kind, "solve").solve(problem)
    return found if isinstance(found, Solution) else Solution(problem, found)
