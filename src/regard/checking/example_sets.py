"""The answers of a whole document, as data, graded part by part.

A file in `examples/` holds for each part what the document answers, in the formula language, and
the problem it is an answer to: a bundled one, perhaps asked for less than it asks for, or one
that the file itself writes out. What is wrong with an answer is not in the file: it is found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from regard.checking.dispatch import check
from regard.checking.verdict import Verdict
from regard.errors import InvalidProblem
from regard.problems import Problem, from_dict, load, to_dict
from regard.report import Block, Heading, Report, Table, Text
from regard.report.reported import Reported


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a document.

    Attributes:
        label: such as "(b-i)".
        says: what the document answers, in a line.
        verdict: about that.
    """

    label: str
    says: str
    verdict: Verdict

    @property
    def tag(self) -> str:
        """The tag of its misconception, or an empty text."""
        idea = self.verdict.misconception
        return "" if idea is None else idea.tag

    @property
    def sentence(self) -> str:
        """What is to be said about it, in one sentence or two."""
        if self.verdict.right:
            return "Right."
        if self.verdict.misconception is not None:
            return self.verdict.misconception.sentence
        missed = next(goal for goal in self.verdict.goals if not goal.passed)
        return f"{missed.name}: {missed.sentence}."


@dataclass(frozen=True, eq=False)
class Grading(Reported):
    """All parts of a document, graded.

    Attributes:
        name: of the document.
        title: what it is.
        parts: in its order.
    """

    name: str
    title: str
    parts: tuple[Part, ...]

    @property
    def right(self) -> bool:
        """Whether every part is."""
        return all(part.verdict.right for part in self.parts)

    @property
    def score(self) -> float | None:
        """The mean score of the parts, from 0 to 1; None if one was not decided."""
        scores = [part.verdict.score for part in self.parts]
        known = [score for score in scores if score is not None]
        return sum(known) / len(known) if len(known) == len(scores) else None

    @property
    def percent(self) -> str:
        """The score as a person reads it, or "?" where a part was not decided."""
        score = self.score
        return "?" if score is None else f"{score:.0%}"

    @property
    def mistakes(self) -> tuple[Part, ...]:
        """The parts that are not right."""
        return tuple(part for part in self.parts if not part.verdict.right)

    def to_dict(self) -> dict[str, Any]:
        """Return the grading as JSON data."""
        parts = [
            {"part": part.label, "says": part.says, **part.verdict.to_dict()} for part in self.parts
        ]
        return {"name": self.name, "score": self.score, "parts": parts}

    def report(self) -> Report:
        """Return the grading as a report: a line per part, the mistakes, and each part in full."""
        rows = tuple(
            (part.label, part.says, part.verdict.percent, part.tag or "right")
            for part in self.parts
        )
        blocks: list[Block] = [
            Table(("part", "what it says", "score", "found"), rows),
            Heading("Mistakes", level=1),
            Text(_count(self)),
            Table(("part", "mistake", "why"), mistake_rows(self)),
        ]
        reports = [
            Report(f"{part.label} {part.verdict.problem.title}", part.verdict.report().blocks)
            for part in self.parts
        ]
        return Report.join(f"{self.title}: {self.percent}", reports, tuple(blocks))


def _count(grading: Grading) -> str:
    return (
        f"{len(grading.parts) - len(grading.mistakes)} of {len(grading.parts)} answers are right; "
        f"{len(grading.mistakes)} are not."
    )


def mistake_rows(grading: Grading) -> tuple[tuple[str, str, str], ...]:
    """Return the label, the tag and the sentence of each part that is not right."""
    return tuple((part.label, part.tag, part.sentence) for part in grading.mistakes)


def example_names() -> tuple[str, ...]:
    """Return the names of the documents whose answers are bundled.

    >>> example_names()
    ('003_68df008254cf0bc6',)
    """
    return tuple(_files())


def grade_example(name: str = "003_68df008254cf0bc6") -> Grading:
    """Grade the bundled answers of a document, part by part.

    >>> grade_example().parts[1].tag
    'ratio-instead-of-difference'

    Raises:
        InvalidProblem: there is no such document.
    """
    if name not in _files():
        known = ", ".join(_files())
        raise InvalidProblem(f"{name[:80]}: there are no answers of this name, only {known}.")
    data = tomllib.loads(_files()[name])
    parts = [
        Part(part["part"], part["says"], check(_problem(part), part["answer"]))
        for part in data["parts"]
    ]
    return Grading(name, data["title"], tuple(parts))


def _problem(part: Mapping[str, Any]) -> Problem:
    """Return the problem of a part; `goal` replaces parts of the goal of a bundled one."""
    asked = part["problem"]
    if isinstance(asked, dict):
        return from_dict(asked, part["part"])
    problem = load(asked)
    if "goal" not in part:
        return problem
    data = to_dict(problem)
    return from_dict({**data, "goal": {**data["goal"], **part["goal"]}}, part["part"])


@cache
def _files() -> dict[str, str]:
    folder = resources.files("regard.checking") / "examples"
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): (folder / name).read_text("utf-8") for name in files}
