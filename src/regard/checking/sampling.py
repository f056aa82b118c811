"""Trying an answer on many instances, and finding the smallest one on which it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.checking.verdict import GoalResult, Scope
from regard.report import number

Float64 = NDArray[np.float64]
T = TypeVar("T")

TRIALS = 60


@dataclass(frozen=True, eq=False)
class Trial(Generic[T]):
    """One instance that an answer was tried on.

    Attributes:
        instance: the numbers.
        error: how far off the answer is; NaN and infinity are never right.
        tolerance: how far off it may be.
        seed: draws the instance again, or None.
    """

    instance: T
    error: float
    tolerance: float
    seed: int | None = None

    @property
    def right(self) -> bool:
        """Whether the answer is right on it."""
        return bool(np.isfinite(self.error)) and self.error <= self.tolerance


def generator(seed: int) -> np.random.Generator:
    """Return the generator that draws the instance with this seed."""
    return np.random.default_rng([20260101, seed])


def sampled(
    draw: Callable[[np.random.Generator], T],
    error: Callable[[T], float],
    tolerance: Callable[[T], float] | float,
    trials: int = TRIALS,
) -> list[Trial[T]]:
    """Try an answer on instances drawn with seeds from 0 on."""
    result = []
    for seed in range(trials):
        instance = draw(generator(seed))
        allowed = tolerance(instance) if callable(tolerance) else tolerance
        result.append(Trial(instance, error(instance), allowed, seed))
    return result


def goal(
    name: str,
    scope: Scope,
    trials: Iterable[Trial[T]],
    *,
    say: Callable[[Trial[T]], str] | None = None,
    weight: float = 1.0,
) -> GoalResult:
    """Sum up what came of trials: all have to be right; the worst one is told."""
    tried = list(trials)
    worst = max(tried, key=_badness)
    passed = all(trial.right for trial in tried)
    if say is not None and not passed:
        sentence = say(worst)
    else:
        sentence = compare(worst.error, worst.tolerance)
        if len(tried) > 1:
            wrong = sum(not trial.right for trial in tried)
            sentence += f"; right on {len(tried) - wrong} of {len(tried)} instances"
    reached = sum(trial.right for trial in tried)
    result = GoalResult(
        name, scope, passed, sentence, worst.error, worst.tolerance, len(tried), weight,
        reached=reached,
    )  # fmt: skip
    if result.confidence is None:
        return result
    return replace(result, sentence=f"{sentence}: {result.confidence}")


def counted_once(goals: Iterable[GoalResult]) -> list[GoalResult]:
    """Return goals that ask the same on other instances, with weights that sum to 1.

    However many there are, together they count as one goal; and an answer that is wrong on the
    first, the instance of the problem, earns nothing by the others.
    """
    first, *others = goals
    if not first.passed and first.weight:
        return [replace(first, weight=1.0), *(replace(one, weight=0.0) for one in others)]
    counted = [one for one in (first, *others) if one.weight]
    return [replace(one, weight=bool(one.weight) / len(counted)) for one in (first, *others)]


def compare(error: float, tolerance: float) -> str:
    """Write an error beside what is allowed."""
    if not np.isfinite(error):
        return "the error is not a finite number"
    if 0 < error <= 1e-6 * tolerance:  # rounding, of which no digit means anything
        return f"off by about 0, and {_allowed(tolerance)} is allowed"
    return f"off by {_apart(error, tolerance)}, and {_allowed(tolerance)} is allowed"


def _allowed(tolerance: float) -> str:
    """Write what is allowed: 1e-05 where it is that up to rounding, and not 9.99999e-06."""
    short = number(tolerance, 3)
    return short if abs(float(short) - tolerance) <= 1e-5 * tolerance else number(tolerance)


def _apart(error: float, tolerance: float) -> str:
    """Write an error in three digits, or in as many more as tell it from what is allowed."""
    shown = (number(error, digits) for digits in range(3, 17))
    return next((text for text in shown if float(text) != tolerance), number(error))


def _badness(trial: Trial[T]) -> float:
    return trial.error - trial.tolerance if np.isfinite(trial.error) else np.inf


def softmax(scores: Float64) -> Float64:
    """Return the weights of scores along the last axis; NaN where a score is not finite."""
    if not np.all(np.isfinite(scores)):
        return np.full(scores.shape, np.nan)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def smallest(candidates: Iterable[Trial[T]]) -> Trial[T] | None:
    """Return the first candidate on which the answer is wrong; they come smallest first."""
    return next((trial for trial in candidates if not trial.right), None)
