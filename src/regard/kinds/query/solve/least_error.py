"""How near a query can come, or a query of limited length.

Without a limit on the length a design says how near: a query with an error e, and a refusal of
every error that is smaller by a little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regard.certify import Certificate, Claim, verify
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.query.least import TINY, Least, least_error, target_rows
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import key_instance
from regard.solving.finding import Finding, Status

GAPS = (1e-6, 1e-4, 1e-3, 1e-2)  # relative: how far apart the two sides may be
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
    goal = problem.goal
    least = _unlimited(problem) if goal.longest is None else least_error(problem)
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


def _unlimited(problem: QueryProblem) -> Least:
    given, target = problem.given, target_rows(problem)
    instance = key_instance(given)

    def designed(tolerance: float) -> Any:
        return design_query(instance.keys, target, tolerance=tolerance, scale=given.scale)

    try:
        best = designed(TINY)
        return _result(0.0, best, best.certificate.claims, True)
    except (InfeasibleDesign, UndecidedDesign) as refusal:
        best = refusal.best
    for gap in GAPS:
        for _ in range(8):  # a refusal may come with a query that is a little better
            tolerance = best.error * (1 - gap)
            try:
                best = designed(tolerance)
            except InfeasibleDesign as refusal:
                if refusal.best.error < best.error * (1 - gap):
                    best = refusal.best
                    continue
                claims = (*refusal.certificate.claims, *best.certificate.claims[:1])
                return _result(tolerance, best, claims, True)
            except UndecidedDesign:
                break
    return _result(0.0, best, best.certificate.claims[:1], False)


def _result(low: float, best: Any, claims: tuple[Claim, ...], proved: bool) -> Least:
    certificate = Certificate(best.certificate.arrays, tuple(claims), best.certificate.scale)
    holds = proved and verify(certificate).holds
    return Least(low, float(best.error), best.query, best.weights, certificate, holds)
