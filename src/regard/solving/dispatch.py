"""Find the solver for a problem: `solve` in the folder of its kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regard.core.kernels.threads import one_blas_thread
from regard.errors import InvalidProblem, ParameterError
from regard.problems import Problem, load
from regard.problems.registry import looked_up
from regard.solving.finding import Finding
from regard.solving.solution import Solution


def solve(problem: Problem | str | Path) -> Solution:
    """Return the solution of a problem, given as such, by its id or as a file.

    Raises:
        InvalidProblem: there is no such problem, or it cannot be read, or its numbers are such
            that floats cannot hold what is worked out of them.
    """
    if isinstance(problem, str | Path):
        problem = load(problem)
    try:
        # What overflows on the way is seen where it matters: claims are verified.
        with one_blas_thread(), np.errstate(all="ignore"):
            found = looked_up(problem.kind, "solve", "solve")(problem)
    except ParameterError as error:  # of a design or an analysis, about numbers of extreme size
        raise InvalidProblem(f"{problem.id}: {error}") from None
    if not isinstance(found, Finding):  # of a kind that a package brings
        got = type(found).__name__
        raise InvalidProblem(f"kind {problem.kind}: solve must return a Finding. Got {got}.")
    return Solution(problem, found)
