"""Designs that refuse a goal: each certificate verifies, and no search beats a refusal."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import regard
from audits.refusals import Goal, draw, rounded, smallest_error
from regard.certify import verify

SHORT = 20
LONG = 2000
MOST_UNDECIDED = 0.01  # of the goals drawn


def outcome(goal: Goal, rng: np.random.Generator, starts: int) -> str:
    """What a design says of a goal, after all of it was checked."""
    said, found = _tried(goal)
    if said == "reached":
        assert verify(found.certificate).holds
        assert found.error <= goal.tolerance
        return said
    assert verify(found.best.certificate).holds
    if said == "infeasible":
        result = verify(found.certificate)
        assert result.holds, f"{goal}\n{result}"
        least = smallest_error(goal, rng, starts)
        assert least > goal.tolerance, f"{goal}\na search finds {least}"
        if "closest found" not in str(found) and "closest head found" not in str(found):
            assert least >= found.best.error * (1 - 2e-3), f"{goal}\na search finds {least}"
    return said


def _tried(goal: Goal) -> tuple[str, Any]:
    try:
        return "reached", goal.call(regard.design)
    except regard.InfeasibleDesign as problem:
        return "infeasible", problem
    except regard.UndecidedDesign as problem:
        return "undecided", problem


def audit(seed: int, count: int, starts: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        found[outcome(draw(rng), rng, starts)] += 1
    return found


def test_a_refusal_verifies_and_is_not_beaten() -> None:
    found = audit(1, SHORT, starts=1)
    assert min(found["infeasible"], found["reached"]) >= SHORT // 5
    assert found["undecided"] <= 1


@pytest.mark.parametrize("kind", ["line", "soft", "hard"])
@pytest.mark.parametrize("count", [5, pytest.param(150, marks=pytest.mark.slow)])
def test_what_depends_up_to_rounding_is_refused_with_a_certificate_that_holds(
    kind: str, count: int
) -> None:
    refused = 0
    for number in range(count):
        goal = rounded(np.random.default_rng([7, number]), kind)
        said, found = _tried(goal)
        result = verify(found.certificate)
        assert result.holds, f"{goal}\n{result}"
        refused += said == "infeasible"
    assert refused >= count // 2


@pytest.mark.slow
def test_refusals_verify_and_are_not_beaten() -> None:
    """As many goals as it takes for two thousand refusals."""
    found: Counter[str] = Counter()
    seed = 2
    while found["infeasible"] < LONG:
        found += audit(seed, 500, starts=6)
        seed += 1
    print(dict(found))
    assert found["undecided"] <= MOST_UNDECIDED * found.total()
