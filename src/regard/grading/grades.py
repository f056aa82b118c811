"""The grades of a class: a row for each hand-in and problem, and what they have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from regard.grading.overview import Overview
from regard.grading.writing import as_text, csv_text
from regard.problems import Problem
from regard.report import Report
from regard.report.reported import Reported

COLUMNS = ("student", "problem", "score", "verdict", "tag", "message")


@dataclass(frozen=True)
class Row:
    """One hand-in to one problem.

    Attributes:
        student: the stem of the file, or the name of the folder.
        problem: the id of the problem.
        score: from 0 to 1; None where a person has to look: undecided, or stopped.
        verdict: "right", "partly right", "wrong", "undecided", "unreadable", "missing" or
            "stopped".
        tag: of the misconception, or "".
        message: what there is to say, in a sentence or two.
        seed: of the student's variant, or None.
        found: all that the judge found, as data: goals, points, answer, counterexample …
    """

    student: str
    problem: str
    score: float | None
    verdict: str
    tag: str
    message: str
    seed: int | None = None
    found: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def score_text(self) -> str:
        """The score with at most six digits, or nothing."""
        return "" if self.score is None else f"{self.score:.6g}"

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table, safe for a spreadsheet."""
        texts = (as_text(text) for text in (self.verdict, self.tag, self.message))
        return (as_text(self.student), as_text(self.problem), self.score_text, *texts)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON data, with all that was found."""
        plain = {
            "student": self.student,
            "problem": self.problem,
            "score": self.score,
            "verdict": self.verdict,
            "tag": self.tag,
            "message": self.message,
            "seed": self.seed,
        }
        more = {
            name: self.found[name]
            for name in self.found
            if name not in (*plain, "report", "statement")
        }
        return plain | more


@dataclass(frozen=True, eq=False)
class Grades(Reported):
    """The grades of a class.

    Attributes:
        rows: sorted by student and problem.
        overview: what the class got right and wrong.
        problems: what was asked.
    """

    rows: tuple[Row, ...]
    overview: Overview
    problems: Sequence[Problem] = ()

    @property
    def all_graded(self) -> bool:
        """Whether no hand-in was stopped."""
        return all(row.verdict != "stopped" for row in self.rows)

    def to_csv(self) -> str:
        """Return the table: student, problem, score, verdict, tag, message."""
        return csv_text(COLUMNS, (row.cells for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON data."""
        return {
            "problems": [
                {"id": one.id, "title": one.title, "kind": one.kind, "points": one.points}
                for one in self.problems
            ],
            "rows": [row.to_dict() for row in self.rows],
            "overview": self.overview.to_dict(),
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n"

    def report(self) -> Report:
        """Return the overview as a report."""
        return self.overview.report()
