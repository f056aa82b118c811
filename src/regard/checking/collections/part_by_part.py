"""Several answers graded together: a line for each part, and one score.

A part that was not handed in, or that cannot be read, counts as nothing reached; the sentence
beside it says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regard.checking.verdict import Verdict
from regard.report import Block, Heading, Report, Table, Text
from regard.report.reported import Reported

MISSING = "not handed in"


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a document.

    Attributes:
        label: such as "(b-i)".
        says: what is answered, in a line.
        verdict: about that; None where there is nothing to judge.
        refused: why there is no verdict: nothing was handed in, or it cannot be read.
        readable: whether what was handed in could be read.
    """

    label: str
    says: str
    verdict: Verdict | None
    refused: str = ""
    readable: bool = True

    @property
    def right(self) -> bool:
        """Whether it is fully right."""
        return self.verdict is not None and self.verdict.right

    @property
    def score(self) -> float | None:
        """From 0 to 1; None where it was not decided."""
        return 0.0 if self.verdict is None else self.verdict.score

    @property
    def percent(self) -> str:
        """The score as a person reads it, or a dash where there is nothing to judge."""
        return "–" if self.verdict is None else self.verdict.percent

    @property
    def tag(self) -> str:
        """The tag of its misconception, or an empty text."""
        idea = None if self.verdict is None else self.verdict.misconception
        return "" if idea is None else idea.tag

    @property
    def found(self) -> str:
        """What was found, in a word or two: right, wrong, not decided, or the tag."""
        if self.verdict is None:
            return MISSING if self.readable else "cannot be read"
        if self.tag or self.right:
            return self.tag or "right"
        return "wrong" if self.verdict.decided else "not decided"

    @property
    def sentence(self) -> str:
        """What is to be said about it, in one sentence or two."""
        if self.verdict is None:
            return self.refused
        if self.right:
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
        """Whether every part of the collection is answered rightly."""
        return all(part.right for part in self.parts)

    @property
    def readable(self) -> bool:
        """Whether everything that was handed in could be read."""
        return all(part.readable for part in self.parts)

    @property
    def score(self) -> float | None:
        """The mean score of the parts, from 0 to 1; None if one was not decided."""
        scores = [part.score for part in self.parts]
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
        return tuple(part for part in self.parts if not part.right)

    @property
    def count(self) -> str:
        """How many parts are right, in a sentence."""
        missing = sum(part.found == MISSING for part in self.parts)
        wrong = len(self.mistakes) - missing
        right = len(self.parts) - len(self.mistakes)
        left = f"; {missing} not handed in" if missing else ""
        verb = "is" if wrong == 1 else "are"
        return f"{right} of {len(self.parts)} answers are right, {wrong} {verb} not{left}."

    def to_dict(self) -> dict[str, Any]:
        """Return the grading as JSON data."""
        return {"name": self.name, "score": self.score, "parts": [_plain(p) for p in self.parts]}

    def report(self) -> Report:
        """Return the grading as a report: a line per part, the mistakes, and each part in full."""
        rows = tuple((part.label, part.says, part.percent, part.found) for part in self.parts)
        blocks: list[Block] = [Table(("part", "what it says", "score", "found"), rows)]
        blocks.append(Text(self.count))
        if mistake_rows(self):
            blocks += [
                Heading("Mistakes", level=1),
                Table(("part", "mistake", "why"), mistake_rows(self)),
            ]
        reports = [
            Report(f"{part.label} {part.verdict.problem.title}", part.verdict.report().blocks)
            for part in self.parts
            if part.verdict is not None
        ]
        return Report.join(f"{self.title}: {self.percent}", reports, tuple(blocks))

    def page(self) -> Report:
        """Return the grading as a report for a page: an index that opens to each verdict."""
        from regard.checking.grading_page import grading_page  # which imports this

        return grading_page(self)


def mistake_rows(grading: Grading) -> tuple[tuple[str, str, str], ...]:
    """Return the label, the tag and the sentence of each part that was answered, and not right."""
    answered = [part for part in grading.mistakes if part.found != MISSING]
    return tuple((part.label, part.found, part.sentence) for part in answered)


def _plain(part: Part) -> dict[str, Any]:
    said = {"part": part.label, "says": part.says}
    if part.verdict is None:
        return {**said, "score": None, "found": part.found, "sentence": part.refused}
    return {**said, **part.verdict.to_dict()}
