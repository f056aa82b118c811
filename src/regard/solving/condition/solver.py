"""Solve problems that ask when something happens."""

from __future__ import annotations

from regard.problems.kinds.condition import ConditionProblem
from regard.solving.condition.aligned import solve_aligned
from regard.solving.condition.dominable import solve_dominable
from regard.solving.condition.mass import solve_mass, solve_output
from regard.solving.condition.pairwise import solve_pairwise
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
