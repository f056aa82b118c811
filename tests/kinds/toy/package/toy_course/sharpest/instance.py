"""The scores of the keys, for the judge and its mistakes; a solver computes its own."""

from __future__ import annotations

from toy_course.sharpest.spec import SharpestProblem


def scores_of(problem: SharpestProblem) -> list[float]:
    """Return the score of each key, its dot product with the query."""
    query = problem.given.query
    return [sum(a * b for a, b in zip(key, query, strict=True)) for key in problem.given.keys]
