"""Solve problems that ask for a query."""

from __future__ import annotations

from regard.kinds.heads.solve.pattern import read_pattern
from regard.kinds.query.solve.finding import QueryFinding
from regard.kinds.query.solve.least_noise import solve_random
from regard.kinds.query.solve.max_margin import solve_at_means
from regard.kinds.query.spec import QueryProblem
from regard.problems import key_instance
from regard.problems.laws import Gaussian

__all__ = ["solve"]


def solve(problem: QueryProblem) -> QueryFinding:
    """Return the query with the weights asked for, or a proof that there is none."""
    instance = key_instance(problem.given)
    pattern = read_pattern(problem.given, problem.goal.weights, instance.keys)
    random = isinstance(problem.given.keys, Gaussian)
    return (solve_random if random else solve_at_means)(problem, pattern, instance)
