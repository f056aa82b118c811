"""Solve problems that ask for a query."""

from __future__ import annotations

from regard.kinds.heads.solve.averaged_heads import AveragedHeads
from regard.kinds.query.solve.least_error import solve_least
from regard.kinds.query.solve.least_noise import solve_random
from regard.kinds.query.solve.max_margin import solve_at_means
from regard.kinds.query.spec import QueryProblem
from regard.problems.laws import Gaussian
from regard.solving.finding import Finding

__all__ = ["solve"]


def solve(problem: QueryProblem) -> Finding:
    """Return the query with the weights asked for, or a proof that there is none."""
    if problem.goal.least:
        return solve_least(problem)
    random = isinstance(problem.given.keys, Gaussian)
    return (solve_random if random else solve_at_means)(problem, AveragedHeads.of(problem))
