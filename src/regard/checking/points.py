"""What goals are worth: by the points of a problem file, or by the weights of its judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.report import Table, number

if TYPE_CHECKING:
    from regard.checking.verdict import GoalResult


@dataclass(frozen=True)
class GoalPoints:
    """Points for one goal that a problem names: what was earned, and of how many."""

    goal: str
    earned: float
    of: float


def points_table(points: tuple[GoalPoints, ...]) -> Table:
    """Return points as a table, with their sum."""
    total = GoalPoints("in all", sum(one.earned for one in points), sum(one.of for one in points))
    rows = tuple((one.goal, number(one.earned), number(one.of)) for one in (*points, total))
    return Table(("goal", "earned", "of"), rows)


def share(goals: tuple[GoalResult, ...]) -> float:
    """Return the share of the weight that is reached; 0 where nothing counts."""
    total = sum(goal.weight for goal in goals)
    return sum(goal.weight for goal in goals if goal.passed) / total if total else 0.0
