"""Solve problems that ask when something happens."""

from __future__ import annotations

from regard.kinds.condition.solve.aligned import solve_aligned
from regard.kinds.condition.solve.dominable import solve_dominable
from regard.kinds.condition.solve.mass import solve_mass, solve_output
from regard.kinds.condition.solve.pairwise import solve_pairwise
from regard.kinds.condition.spec import ConditionProblem
from regard.solving.solution import Solution

__all__ = ["solve"]

SOLVERS = {
    "mass": solve_mass,
    "output": solve_output,
    "pairwise": solve_pairwise,
    "dominable": solve_dominable,
    "aligned": solve_aligned,
}


def solve(problem: ConditionProblem) -> Solution:
    """Return the condition that is necessary and sufficient for the effect."""
    return SOLVERS[problem.goal.effect](problem)
