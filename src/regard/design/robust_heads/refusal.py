"""Why no heads serve the targets, with what comes closest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.certify import Claim
from regard.design.linear_scores.exclusion_claims import verified
from regard.design.queries.arguments import query as exact_query
from regard.design.reasons import Nearest, refused, undecided
from regard.design.robust_heads.allocation import MOST_EXACT, allocate
from regard.design.robust_heads.infeasible import Limits
from regard.design.robust_heads.one_head import Positions
from regard.design.robust_heads.reasons import GapOutOfReach, NoQueriesFound, WeightsOfMeans
from regard.design.robust_heads.result import RobustDesign
from regard.errors import InfeasibleDesign, UndecidedDesign

if TYPE_CHECKING:
    from regard.design.robust_heads.task import RobustTask

__all__ = ["refusal"]

PENALTY = 1e6  # what a group that no query serves costs, where all partitions have one


def refusal(task: RobustTask, gap: float | None) -> InfeasibleDesign | UndecidedDesign:
    """Why no partition of the targets can be served, and what comes closest."""
    count = len(task.indices)
    penalised = allocate(
        count,
        task.heads,
        lambda positions: 1.0 if task.server.query_for(positions, gap) is not None else PENALTY,
    )
    claims: dict[Positions, Claim | None] = {}
    limits = Limits(task.server)
    served = []
    for positions in penalised.groups:
        one = task.server.query_for(positions, gap)
        if one is None:
            one, claims[positions] = limits.nearest(task.server.group(positions), gap)
        served.append(one)
    best = task.design(served, penalised)
    if task.heads == 1 and not len(served[0].group.others):
        return _unweighable(task, best)
    # Every partition has a group that cannot be served, so all of those are spoken of.
    if task.heads > 1 and count <= MOST_EXACT:
        for mask in range(1, 1 << count):
            positions = tuple(i for i in range(count) if mask >> i & 1)
            if positions not in claims and task.server.query_for(positions, gap) is None:
                claims[positions] = limits.nearest(task.server.group(positions), gap)[1]
    proved = verified(
        [claim for claim in claims.values() if claim is not None], task.certificate([])
    )
    certificate = task.certificate(proved) if proved else None
    nearest = Nearest("query" if len(served) == 1 else "queries", "gap", best.gap)
    if len(proved) < len(claims) or (task.heads > 1 and count > MOST_EXACT):
        return undecided(NoQueriesFound(nearest), certificate, best)
    limit = proved[0].fields
    reason = GapOutOfReach(
        nearest,
        task.server.group(next(iter(claims))).chosen,
        limit["bound"],
        min(claim.fields["radius"] for claim in proved),
        task.server.taken,
        shared=len(proved) > 1,
    )
    return refused(reason, certificate, best)


def _unweighable(task: RobustTask, best: RobustDesign) -> InfeasibleDesign | UndecidedDesign:
    """What to say where all keys are wanted, and their means do not allow the weights."""
    goal = dict(zip(task.indices.tolist(), task.weights.tolist(), strict=True))
    certificate = None
    try:
        exact_query(task.keys.means, goal, scale=task.keys.scale)
    except InfeasibleDesign as problem:
        certificate = problem.certificate
    except UndecidedDesign:
        pass
    nearest = Nearest("query", None)
    if certificate is None or task.server.norm is not None:
        return undecided(WeightsOfMeans(nearest, proved=False), None, best)
    return refused(WeightsOfMeans(nearest, proved=True), certificate, best)
