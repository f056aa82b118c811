"""One goal for each thing that is asked for, however many instances it is tried on.

Three goals for one formula would give a third of the points to a number that fits one instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from regard.checking.sampling import Trial, goal, sampled
from regard.checking.verdict import GoalResult

T = TypeVar("T")


def one_goal(
    name: str,
    this: Trial[T],
    drawn: Sequence[Trial[T]],
    hard: Sequence[Trial[T]],
    say: Callable[[Trial[T]], str],
) -> GoalResult:
    """Sum up what came of the instance, of drawn ones and of hard ones: all have to be right."""
    if not drawn and not hard:
        return goal(name, "this", [this], say=say)
    if not this.right:
        return GoalResult(name, "sampled", False, say(this), this.error, this.tolerance)
    others = [*drawn, *hard]
    wrong = [trial for trial in others if not trial.right]
    if wrong:
        first = wrong[0]
        sentence = (
            f"right for the numbers of the problem, and wrong on {len(wrong)} of {len(others)} "
            f"other instances: {say(first)}"
        )
        trials = 1 + len(others)
        brief = f"{len(wrong)} of {len(others)} other instances are wrong: {say(first)}"
        return GoalResult(
            name, "sampled", False, sentence, first.error, first.tolerance, trials,
            reached=trials - len(wrong), brief=brief,
        )  # fmt: skip
    found = goal(name, "sampled", drawn) if drawn else goal(name, "adversarial", hard)
    if not (drawn and hard):
        return found
    sentence = f"{found.sentence}; right on {len(hard)} extreme ones too"
    return GoalResult(name, "sampled", True, sentence, found.error, found.tolerance, found.trials)


@dataclass(frozen=True, eq=False)
class Tries(Generic[T]):
    """An answer on the instance of its problem, and on others: drawn ones and hard ones."""

    this: Trial[T]
    drawn: Sequence[Trial[T]] = ()
    hard: Sequence[Trial[T]] = ()

    @property
    def all(self) -> list[Trial[T]]:
        """All of them, the instance of the problem first."""
        return [self.this, *self.drawn, *self.hard]

    @property
    def failing(self) -> list[Trial[T]]:
        """Those on which the answer is wrong."""
        return [trial for trial in self.all if not trial.right]

    def goal(self, name: str, say: Callable[[Trial[T]], str]) -> GoalResult:
        """Sum up: all have to be right, and `say` tells of one that is not."""
        return one_goal(name, self.this, self.drawn, self.hard, say)


def tried(
    here: T,
    error: Callable[[T], float],
    tolerance: float,
    draw: Callable[[np.random.Generator], T] | None = None,
    hard: Iterable[T] = (),
) -> Tries[T]:
    """Try an answer here and, where `draw` is there to draw others, on drawn and hard instances."""
    this = Trial(here, error(here), tolerance)
    if draw is None:
        return Tries(this)
    drawn = sampled(draw, error, tolerance)
    return Tries(this, drawn, [Trial(one, error(one), tolerance) for one in hard])
