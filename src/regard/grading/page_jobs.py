"""Pages of feedback as tasks for the processes that judge: writing them takes time as well."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from regard.grading.grades import Row
from regard.grading.pages import feedback
from regard.grading.questions import Question
from regard.grading.worker import to_bytes
from regard.problems import Problem, from_dict
from regard.report import to_html_page

_NEEDED = ("report", "statement", "points")  # of what was found, by a page


@dataclass(frozen=True)
class PageJob:
    """The page of one student, on its way to a worker.

    Attributes:
        student: whose it is.
        rows: one for each problem.
        score: over all problems, or None.
    """

    student: str
    rows: tuple[Row, ...]
    score: float | None

    def messages(self, asked: Sequence[Question]) -> list[bytes]:
        """Return what a worker is sent, in one message."""
        page = {"student": self.student, "rows": [_sent(r) for r in self.rows], "score": self.score}
        return [to_bytes({"page": page, "problems": [question.text for question in asked]})]

    def text(self, asked: Sequence[Question]) -> str:
        """Return the page, made here."""
        problems = {question.problem.id: question.problem for question in asked}
        return _made(self.student, self.rows, problems, self.score)


def page_of(task: Mapping[str, Any]) -> bytes:
    """Return the page that the message of a `PageJob` asks for."""
    page = task["page"]
    rows = [Row(**row) for row in page["rows"]]
    problems = {one.id: one for one in map(_problem, task["problems"])}
    text = _made(page["student"], rows, problems, page["score"])
    return text.encode("utf-8", "surrogatepass")


def _made(
    student: str, rows: Sequence[Row], problems: Mapping[str, Problem], score: float | None
) -> str:
    return to_html_page(feedback(student, rows, problems, score))


def _sent(row: Row) -> dict[str, Any]:
    names = ("student", "problem", "score", "verdict", "tag", "message", "seed")
    found = {name: row.found[name] for name in _NEEDED if name in row.found}
    return {name: getattr(row, name) for name in names} | {"found": found}


@lru_cache(maxsize=64)
def _problem(text: str) -> Problem:
    return from_dict(json.loads(text))
