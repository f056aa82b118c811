"""Tell when something happens: why exactly then, and where the border is."""

from __future__ import annotations

from regard.kinds.condition.explain.along_key import explain_along_key
from regard.kinds.condition.explain.convex_hull import explain_hull
from regard.kinds.condition.explain.mass import explain_mass
from regard.kinds.condition.explain.pairwise import explain_pairwise
from regard.kinds.condition.solve import AlongKey, OfKeys, OfScores
from regard.kinds.condition.spec import ConditionProblem
from regard.solving.finding import Explanation

__all__ = ["explain"]


def explain(problem: ConditionProblem, found: OfScores | OfKeys) -> Explanation:
    """Return the condition in words, with what it means in numbers."""
    if isinstance(found, AlongKey):
        return explain_along_key(problem, found)
    if isinstance(found, OfKeys):
        return explain_hull(problem, found)
    return explain_pairwise(problem, found) if found.level.pairs else explain_mass(problem, found)
