"""What a class got right and wrong: goals, misconceptions, borderline and equal answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from regard.problems import Problem
from regard.report import Report
from regard.report.reported import Reported

if TYPE_CHECKING:
    from regard.grading.grades import Row

VERDICTS = ("right", "partly right", "wrong", "undecided", "unreadable", "missing", "stopped")


@dataclass(frozen=True)
class GoalCount:
    """How many of the answers that were judged by a goal reach it."""

    goal: str
    reached: int
    of: int


@dataclass(frozen=True)
class TagCount:
    """How many answers show a misconception, and its sentence."""

    tag: str
    count: int
    sentence: str


@dataclass(frozen=True)
class Borderline:
    """An answer whose error is within a factor of two of its tolerance.

    Attributes:
        student: whose it is.
        goal: where it is near.
        error: how far off it is.
        tolerance: how far off it may be.
        score: what it got.
        half: what it would get with half the tolerance, judged again.
        twice: the same with twice the tolerance.
    """

    student: str
    goal: str
    error: float
    tolerance: float
    score: float | None
    half: float | None
    twice: float | None

    @property
    def changes(self) -> bool:
        """Whether a tolerance that moved would change the score."""
        return not (self.half == self.score == self.twice)


@dataclass(frozen=True)
class SameAnswers:
    """Students whose answers are the same but for names, spaces and order.

    Attributes:
        students: who.
        answer: that of the first, in a line.
        verdict: what became of it.
        fields: the same answer, field by field.
    """

    students: tuple[str, ...]
    answer: str
    verdict: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ProblemOverview:
    """One problem: how its answers came out.

    Attributes:
        problem: its id.
        title: what a person reads.
        verdicts: how many of each, in the order of VERDICTS, without those that did not come up.
        mean_score: of the rows that have a score, or None.
        goals: how often each was reached, in the order of the judge.
        tags: misconceptions, the most frequent first.
        borderline: sorted by student.
        same: groups of two and more, answers that are not right first.
        for_a_person: students whose answers were not decided, not readable, or stopped.
    """

    problem: str
    title: str
    verdicts: Mapping[str, int]
    mean_score: float | None
    goals: tuple[GoalCount, ...]
    tags: tuple[TagCount, ...]
    borderline: tuple[Borderline, ...]
    same: tuple[SameAnswers, ...]
    for_a_person: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, eq=False)
class Overview(Reported):
    """What a class got right and wrong.

    Attributes:
        students: how many handed something in.
        problems: one by one.
        scores: of each student, the mean over the problems; None where one has no score.
    """

    students: int
    problems: tuple[ProblemOverview, ...]
    scores: Mapping[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Return the overview as JSON data."""
        return {
            "students": self.students,
            "problems": [{**asdict(one), "verdicts": dict(one.verdicts)} for one in self.problems],
        }

    def report(self) -> Report:
        """Return the overview as a report."""
        from regard.grading.overview_page import overview_report

        return overview_report(self)


def sum_up(rows: Sequence[Row], problems: Sequence[Problem]) -> Overview:
    """Return what rows have in common, problem by problem."""
    students = sorted({row.student for row in rows})
    return Overview(
        len(students),
        tuple(_problem(one, [row for row in rows if row.problem == one.id]) for one in problems),
        _student_scores(rows, problems),
    )


def _student_scores(rows: Sequence[Row], problems: Sequence[Problem]) -> dict[str, float | None]:
    """Return the share of all points of each student; a problem without points is worth 1."""
    worth = {one.id: sum(one.points.values()) if one.points else 1.0 for one in problems}
    total = sum(worth.values())
    found: dict[str, float | None] = {}
    for row in rows:
        before = found.get(row.student, 0.0)
        known = before is not None and row.score is not None
        found[row.student] = before + row.score * worth[row.problem] / total if known else None  # type: ignore[operator]
    return found


def _problem(problem: Problem, rows: Sequence[Row]) -> ProblemOverview:
    counted = Counter(row.verdict for row in rows)
    scores = [row.score for row in rows if row.score is not None]
    return ProblemOverview(
        problem.id,
        problem.title,
        {verdict: counted[verdict] for verdict in VERDICTS if counted[verdict]},
        sum(scores) / len(scores) if scores else None,
        _goals(rows),
        _tags(rows),
        _borderline(rows),
        _same(rows),
        tuple(
            (row.student, row.verdict, row.message)
            for row in rows
            if row.verdict in ("undecided", "unreadable", "stopped")
        ),
    )


def _goals(rows: Sequence[Row]) -> tuple[GoalCount, ...]:
    reached: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        for goal in row.found.get("goals", ()):
            total[goal["name"]] += 1
            reached[goal["name"]] += goal["passed"]
    return tuple(GoalCount(name, reached[name], total[name]) for name in total)


def _tags(rows: Sequence[Row]) -> tuple[TagCount, ...]:
    ideas = [row.found["misconception"] for row in rows if row.found.get("misconception")]
    counted = Counter(idea["tag"] for idea in ideas)
    sentences = {idea["tag"]: idea["sentence"] for idea in reversed(ideas)}
    ordered = sorted(counted, key=lambda tag: (-counted[tag], tag))
    return tuple(TagCount(tag, counted[tag], sentences[tag]) for tag in ordered)


def _borderline(rows: Sequence[Row]) -> tuple[Borderline, ...]:
    found = []
    for row in rows:
        moved = row.found.get("moved")
        if moved:
            found.append(
                Borderline(
                    row.student, moved["goal"], moved["error"], moved["tolerance"],
                    row.score, moved["half"], moved["twice"],
                )
            )  # fmt: skip
    return tuple(found)


def _same(rows: Sequence[Row]) -> tuple[SameAnswers, ...]:
    groups: dict[tuple[str, int | None], list[Row]] = {}
    for row in rows:
        mark = row.found.get("fingerprint")
        if mark:
            groups.setdefault((mark, row.seed), []).append(row)
    found = [
        SameAnswers(
            tuple(row.student for row in group),
            _says(group[0]),
            group[0].verdict,
            dict(group[0].found["answer"]),
        )
        for group in groups.values()
        if len(group) > 1
    ]
    return tuple(
        sorted(found, key=lambda one: (one.verdict == "right", -len(one.students), one.students))
    )


def _says(row: Row) -> str:
    return ", ".join(f"{name} = {text}" for name, text in row.found["answer"].items())
