"""The page of feedback for one student, and the names of such files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regard.problems import Problem
from regard.problems.loading import bundled_ids
from regard.problems.problem_sets import part_labels, place
from regard.report import Block, Heading, Prose, Report, Table, Text

if TYPE_CHECKING:
    from regard.grading.grades import Row

# Windows keeps some names for devices, whatever their ending.
_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,79}")
_TONES = {"right": "good", "partly right": "open", "undecided": "open", "missing": "open"}


def page_name(student: str) -> str:
    """Return the name of a student's page, safe in every file system and different for each.

    >>> page_name("alice"), page_name("../Zoë")
    ('alice.html', 'Zo-8840d1f496.html')
    """
    if _PLAIN.fullmatch(student):
        return f"{student}.html"
    slug = "-".join(re.findall(r"[A-Za-z0-9]+", student))[:60] or "student"
    digest = hashlib.sha256(student.encode("utf-8", "backslashreplace")).hexdigest()[:10]
    return f"{slug}-{digest}.html"


def literal(text: str) -> str:
    """Return text for a report in which a dollar is a dollar."""
    return text.replace("$", "\\$")


def feedback(
    student: str, rows: Sequence[Row], problems: Mapping[str, Problem], score: float | None
) -> Report:
    """Return what a student is told: a line for each problem, then each in full."""
    total = "not decided yet" if score is None else f"{score:.0%}"
    labels = part_labels([row.problem for row in rows])
    by_problem = {row.problem: row for row in rows}
    rows = [by_problem[name] for name in labels]
    titles = {name: f"{label} {problems[name].title}".lstrip() for name, label in labels.items()}
    lines = tuple((titles[row.problem], _score(row), row.verdict) for row in rows)
    blocks: list[Block] = [Text(literal(student), "eyebrow")]
    chapters = [_chapter(row, problems[row.problem], titles[row.problem]) for row in rows]
    if len(rows) == 1:
        return Report.join(f"Your answer: {_score(rows[0])}", chapters, blocks)
    if any(row.found.get("points") or row.score not in (0, 1) for row in rows):
        blocks.append(Table(("problem", "score", "verdict"), lines))  # else the chapters say it
    return Report.join(f"Your answers: {total}", chapters, blocks)


def _score(row: Row) -> str:
    points = row.found.get("points") or ()
    if points:
        earned, most = (sum(one[key] for one in points) for key in ("earned", "of"))
        return f"{earned:.4g} of {most:.4g} points"
    return "not decided yet" if row.score is None else f"{row.score:.0%}"


def _chapter(row: Row, problem: Problem, title: str) -> Report:
    saved = row.found.get("report")
    if saved:
        found = Report.from_dict(saved)
        rest = [block for block in found.blocks if not _is_eyebrow(block)]
        where = Text(place(problem) or problem.id, "eyebrow")
        return Report(title, (where, *_question(row, problem), *rest))
    tone = _TONES.get(row.verdict, "bad")
    heading = Heading("Your answer", role="answer", status=row.verdict, tone=tone)
    return Report(title, (*_question(row, problem), heading, Text(literal(row.message))))


def _is_eyebrow(block: Block) -> bool:
    return isinstance(block, Text) and block.role == "eyebrow"


def _question(row: Row, problem: Problem) -> list[Block]:
    """Return the question as this student had it; of a variant that was not judged, its seed."""
    if row.seed is None:
        return [Prose(problem.statement)]
    said = f"Your variant has the seed {row.seed}"
    if row.problem in bundled_ids():
        said += f": `regard variant {row.problem} --seed {row.seed}` shows it"
    note = Prose(f"{said}.")
    statement = row.found.get("statement")
    return [Prose(statement), note] if statement else [note]
