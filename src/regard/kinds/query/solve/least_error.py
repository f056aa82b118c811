"""How near a query can come, or a query of limited length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regard.kinds.query.least import Least, least_error
from regard.kinds.query.spec import QueryProblem
from regard.solving.finding import Finding, Status

CLOSE = ("weights_close", "output_close")


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastError(Finding):
    """The least error of all queries.

    Attributes:
        least: it, from both sides.
    """

    least: Least


def solve_least(problem: QueryProblem) -> LeastError:
    """Return the least error, or a query within the length, or that there is none."""
    least, goal = least_error(problem), problem.goal
    claims = least.certificate.claims
    answer: dict[str, Any]
    if goal.find == ["error"]:
        answer = {"error": float(f"{least.value:.9g}")}
        status, reaches = Status.PROVED, tuple(range(len(claims)))
        settled = least.proved
    elif least.high <= goal.tolerance:
        answer = {"q": least.query.tolist()}
        status = Status.PROVED
        reaches = tuple(i for i, c in enumerate(claims) if c.kind in CLOSE)
        settled = True
    else:
        answer, status = {"possible": False}, Status.IMPOSSIBLE
        reaches = tuple(i for i, c in enumerate(claims) if c.kind not in CLOSE)
        settled = least.low > goal.tolerance
    if not settled:
        status, reaches = Status.UNDECIDED, ()
    return LeastError(status, answer, least.certificate, reaches, least=least)
