"""One answer as marks: what each goal earned, which every grader shows in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from regard.checking import Verdict, check
from regard.errors import InvalidAnswer
from regard.problems import Problem
from regard.sandbox import printable

POINTS = 10.0  # for a problem that says nothing about points
MOST_TEXT = 4000  # characters of feedback on one answer
Status = Literal["judged", "undecided", "unreadable"]


@dataclass(frozen=True)
class Mark:
    """What one goal earned.

    Attributes:
        name: of the goal.
        share: which part of the whole it is worth, from 0 to 1.
        earned: which part of that was earned, from 0 to 1.
        sentence: what was found.
    """

    name: str
    share: float
    earned: float
    sentence: str


@dataclass(frozen=True)
class Marks:
    """What an answer earned.

    Attributes:
        status: whether it was judged; what is not earns nothing, and a person may look at it.
        score: from 0 to 1.
        goals: what each goal earned.
        tag: of the mistake that was recognised, or "".
        text: the feedback, as lines of plain text.
    """

    status: Status
    score: float
    goals: tuple[Mark, ...]
    tag: str
    text: str


def marked(problem: Problem, answer: Any) -> Marks:
    """Judge an answer, as `regard check` does, and return its marks."""
    try:
        return marks(check(problem, answer))
    except InvalidAnswer as error:
        sentence = printable(str(error), MOST_TEXT)
        return Marks("unreadable", 0.0, (), "", f"The answer cannot be read. {sentence}")


def marks(verdict: Verdict) -> Marks:
    """Return the marks of a verdict."""
    total = sum(goal.weight for goal in verdict.goals) or 1.0
    goals = tuple(
        Mark(
            printable(goal.name),
            goal.weight / total,
            float(goal.passed),
            printable(goal.sentence, 600),
        )
        for goal in verdict.goals
    )
    tag = verdict.misconception.tag if verdict.misconception else ""
    score = verdict.score
    status: Status = "judged" if score is not None else "undecided"
    return Marks(status, score or 0.0, goals, tag, _text(verdict))


def _text(verdict: Verdict) -> str:
    lines = [verdict.headline]
    if verdict.misconception is not None:
        lines.append(f"{verdict.misconception.sentence} [{verdict.misconception.tag}]")
    if verdict.counterexample is not None:
        lines.append(f"The smallest counterexample: {verdict.counterexample.sentence}")
    lines += verdict.remarks
    return printable("\n".join(lines), MOST_TEXT, lines=True)


def points(problem: Problem) -> float:
    """Return what a problem is worth: the points that it gives its goals, or else POINTS."""
    given = getattr(problem, "points", None)
    return float(sum(given.values())) if given else POINTS


def goals_of(problem: Problem) -> tuple[Mark, ...]:
    """Return the goals that the solver's own answer is judged by, for graders that fix them."""
    from regard.solving import solve

    found = marked(problem, dict(solve(problem).answer))
    return found.goals or (Mark("the answer", 1.0, 1.0, ""),)


def onto(fixed: Sequence[Mark], found: Marks) -> tuple[tuple[Mark, ...], bool]:
    """Return what each of the fixed goals earned, and whether they add up to the score.

    An answer in another form may be judged by other goals than the solver's: these are matched by
    name, or by place where there are as many.
    """
    if found.score == 1.0:
        return tuple(replace(goal, earned=1.0) for goal in fixed), True
    by_name = {goal.name: goal for goal in found.goals}
    earned = []
    for place, goal in enumerate(fixed):
        same = by_name.get(goal.name)
        if same is None and len(found.goals) == len(fixed):
            same = found.goals[place]
        full = same is not None and bool(same.earned) and bool(same.share)
        sentence = same.sentence if same is not None else found.text.partition("\n")[0]
        earned.append(replace(goal, earned=float(full), sentence=sentence))
    total = sum(goal.share * goal.earned for goal in earned)
    return tuple(earned), abs(total - found.score) < 1e-9
