"""Solve problems that ask for a query."""

from __future__ import annotations

from regard.kinds.query.solve.exact import solve_exact
from regard.kinds.query.solve.fixed import solve_fixed
from regard.kinds.query.solve.formula import read_mix, spelled, structure_of
from regard.kinds.query.solve.noise import solve_noise
from regard.kinds.query.spec import QueryProblem
from regard.problems import key_instance
from regard.problems.laws import Gaussian
from regard.solving.solution import Solution

__all__ = ["solve"]


def solve(problem: QueryProblem) -> Solution:
    """Return the query with the weights asked for, or a proof that there is none."""
    given = problem.given
    instance = key_instance(given)
    structure = structure_of(given, instance.keys)
    mix = read_mix(given, problem.goal.weights, structure or "none")
    if isinstance(given.keys, Gaussian):
        return solve_noise(problem, mix, instance)
    if structure is None or (structure == "independent" and not spelled(mix)):
        return solve_fixed(problem, mix, instance)
    return solve_exact(problem, mix, instance)
