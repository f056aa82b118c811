r"""What a reader of a worked example has seen already: its statement, and the numbers beside it."""

from __future__ import annotations

from regard.kinds.compute.spec import ComputeGiven, ComputeProblem
from regard.problems.given_numbers import given_numbers

_MATRIX = r"\begin{bmatrix}"


def tells(problem: ComputeProblem, name: str) -> bool:
    """Whether an array stands in the statement or beside it."""
    return _MATRIX in problem.statement or name in dict(given_numbers(problem))


def is_given(name: str, given: ComputeGiven) -> bool:
    """Whether queries, keys or values are just those that are given."""
    after_cached = name != "Q" and given.cached_K is not None
    return name in ("Q", "K", "V") and getattr(given, name) is not None and not after_cached
