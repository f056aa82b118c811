"""Tell of a query: what it is, why it works, or why there is none."""

from __future__ import annotations

from regard.kinds.query.explain.least_noise import (
    explain_least_noise,
    explain_no_mean_scores,
    in_the_limit,
)
from regard.kinds.query.explain.max_margin import (
    explain_design,
    explain_excluded,
    explain_other_units,
    explain_undecided,
)
from regard.kinds.query.explain.noise_window import explain as explain_noise_window
from regard.kinds.query.explain.smallest_factor import explain as explain_smallest_factor
from regard.kinds.query.solve.finding import QueryFinding, Undecided
from regard.kinds.query.solve.least_noise import LeastNoise, NoMeanScores, VanishingNoise
from regard.kinds.query.solve.max_margin import Excluded, MaxMargin, OtherUnits
from regard.kinds.query.solve.noise_window import NoiseWindow
from regard.kinds.query.solve.smallest_factor import SmallestFactor
from regard.kinds.query.spec import QueryProblem
from regard.solving.finding import Explanation

__all__ = ["explain"]


def explain(problem: QueryProblem, found: QueryFinding) -> Explanation:
    """Return what was found, in words."""
    match found:
        case SmallestFactor():
            return explain_smallest_factor(problem, found)
        case MaxMargin():
            return explain_design(problem, found)
        case Excluded():
            return explain_excluded(problem, found)
        case OtherUnits():
            return explain_other_units(problem, found)
        case NoiseWindow():
            return explain_noise_window(problem, found)
        case LeastNoise():
            return explain_least_noise(problem, found)
        case VanishingNoise():
            return in_the_limit(found, explain(problem, found.limit))
        case NoMeanScores():
            return explain_no_mean_scores(problem, found)
        case Undecided():
            return explain_undecided(problem, found)
    raise TypeError(f"explain: there are no words for {type(found).__name__}.")
