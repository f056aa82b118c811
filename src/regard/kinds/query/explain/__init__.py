"""Tell of a query: what it is, why it works, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regard.kinds.query.explain import (
    excluded,
    least_error,
    least_noise,
    max_margin,
    noise_window,
    smallest_factor,
)
from regard.kinds.query.solve.least_error import LeastError
from regard.kinds.query.solve.least_noise import LeastNoise, NoMeanScores, VanishingNoise
from regard.kinds.query.solve.max_margin import Excluded, MaxMargin, OtherUnits, Undecided
from regard.kinds.query.solve.noise_window import NoiseWindow
from regard.kinds.query.solve.smallest_factor import SmallestFactor
from regard.kinds.query.spec import QueryProblem
from regard.solving.finding import Explanation, Finding

__all__ = ["explain"]

_WORDS: dict[type[Finding], Callable[[QueryProblem, Any], Explanation]] = {
    SmallestFactor: smallest_factor.explain,
    MaxMargin: max_margin.explain_design,
    Excluded: excluded.explain_excluded,
    OtherUnits: max_margin.explain_other_units,
    Undecided: max_margin.explain_undecided,
    NoiseWindow: noise_window.explain,
    LeastNoise: least_noise.explain_least_noise,
    LeastError: least_error.explain,
    NoMeanScores: least_noise.explain_no_mean_scores,
}


def explain(problem: QueryProblem, found: Finding) -> Explanation:
    """Return what was found, in words."""
    if isinstance(found, VanishingNoise):
        return least_noise.in_the_limit(found, explain(problem, found.limit))
    return _WORDS[type(found)](problem, found)
