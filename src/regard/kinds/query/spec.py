"""One query that gives the weights asked for."""

from __future__ import annotations

from typing import Literal

from regard.kinds.heads.spec import WeightsProblem


class QueryProblem(WeightsProblem):
    """A query q; with random keys one whose output stays near what is wanted."""

    kind: Literal["query"]


PROBLEM = QueryProblem
