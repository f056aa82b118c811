"""The overview of a class as a report: for the teacher, the most telling things first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from regard.checking.verdict_words import typeset
from regard.grading.overview import Borderline, Overview, ProblemOverview, SameAnswers
from regard.grading.pages import literal
from regard.problems.problem_sets import part_labels
from regard.report import Block, Facts, Heading, Plot, Report, Series, Table, Text, number
from regard.report.headline import marked
from regard.report.recognised import in_words

MOST_NAMES = 12  # students that are listed by name in one cell
MOST_ROWS = 40
LONGEST_NAME = 28  # characters of a student's name in a cell; the tables of grades have all of it
LONGEST_ANSWER = 160
TENTHS = 10
ForAPerson: TypeAlias = tuple[str, str, str]  # student, verdict, why


def overview_report(found: Overview) -> Report:
    """Return the overview: the class in numbers, then a chapter for each problem."""
    blocks: list[Block] = [Text(_in_numbers(found), "headline")]
    by_id = {one.problem: one for one in found.problems}
    named = [
        (f"{label} {by_id[name].title}".lstrip(), by_id[name])
        for name, label in part_labels(list(by_id)).items()
    ]
    rows = tuple(
        (title, _share(one.mean_score), *(str(one.verdicts.get(v, 0)) for v in _shown(found)))
        for title, one in named
    )
    blocks.append(Table(("problem", "mean score", *_shown(found)), rows))
    if set(found.scores.values()) - {0.0, 1.0, None}:  # without, the table says as much
        blocks.append(_histogram(found))
    alone = len(found.problems) == 1
    everywhere = () if alone else _everywhere(found)
    if everywhere:
        blocks += [Heading("Hand-ins that answer none of the problems"), *_persons(everywhere)]
    chapters = [
        Report(literal(title), tuple(_chapter(one, alone, everywhere))) for title, one in named
    ]
    return Report.join("The class at a glance", chapters, blocks)


def _in_numbers(found: Overview) -> str:
    known = [score for score in found.scores.values() if score is not None]
    mean = marked(_share(sum(known) / len(known)), "target") if known else ""
    mean = f"; their mean score is {mean}" if known else ""
    open_ = len(found.scores) - len(known)
    waiting = f" {open_} {_have(open_)} no score yet: a person has to look." if open_ else ""
    hand_ins = "1 student" if found.students == 1 else f"{found.students} students"
    return f"{hand_ins} handed in{mean}.{waiting}"


def _have(count: int) -> str:
    return "of them has" if count == 1 else "of them have"


def _shown(found: Overview) -> tuple[str, ...]:
    from regard.grading.overview import VERDICTS

    return tuple(v for v in VERDICTS if any(one.verdicts.get(v) for one in found.problems))


def _histogram(found: Overview) -> Plot:
    counts = [0] * (TENTHS + 1)
    for score in found.scores.values():
        if score is not None:
            counts[int(score * TENTHS + 1e-9)] += 1
    labels = tuple(f"{10 * i}%" if i == TENTHS else f"{10 * i}–{10 * i + 9}%" for i in range(11))
    series = Series("students", labels, tuple(float(count) for count in counts))
    return Plot("bars", "How many students have which score", "score", "students", (series,))


def _everywhere(found: Overview) -> tuple[ForAPerson, ...]:
    """Return what is said of a hand-in at every problem, in the same words."""
    first, *others = (one.for_a_person for one in found.problems)
    return tuple(row for row in first if all(row in rows for rows in others))


def _persons(found: Sequence[ForAPerson]) -> list[Block]:
    rows = tuple((_name(s), v, literal(m)) for s, v, m in found[:MOST_ROWS])
    return [Table(("student", "verdict", "why"), rows), *_more(len(found))]


def _chapter(one: ProblemOverview, alone: bool, everywhere: Sequence[ForAPerson]) -> list[Block]:
    blocks: list[Block] = [Text(one.problem, "eyebrow")]
    if not alone:  # else the table above it has these
        counts = ", ".join(f"{count} {verdict}" for verdict, count in one.verdicts.items())
        blocks.append(Facts((("answers", counts), ("mean score", _share(one.mean_score)))))
    if one.goals:
        rows = tuple(
            (f"{goal.reached / goal.of:.0%}", f"{goal.reached} of {goal.of}", in_words(goal.goal))
            for goal in one.goals
        )
        blocks += [Heading("Goals"), Table(("share", "reached by", "goal"), rows)]
    if one.tags:
        tags = tuple((tag.tag, str(tag.count), tag.sentence) for tag in one.tags)
        blocks += [Heading("Misconceptions"), Table(("tag", "answers", "what it is"), tags)]
    if one.borderline:
        blocks += _borderline(one.borderline)
    if one.same:
        blocks += _same(one)
    own = [row for row in one.for_a_person if row not in everywhere]
    if own:
        blocks += [Heading("For a person to look at"), *_persons(own)]
    return blocks


def _borderline(found: tuple[Borderline, ...]) -> list[Block]:
    rows = tuple(
        (
            _name(one.student), in_words(one.goal), number(one.error, 3), number(one.tolerance, 3),
            _share(one.score), _share(one.half), _share(one.twice),
        )
        for one in found[:MOST_ROWS]
    )  # fmt: skip
    moved = sum(one.changes for one in found)
    tolerances = ", ".join(sorted({number(one.tolerance) for one in found}))
    columns = ("student", "goal", "error", "tolerance", "score", "with half", "with twice")
    return [
        Heading("Borderline answers"),
        Text(
            f"The error of {_answers(len(found))} is within a factor of two of the tolerance "
            f"({tolerances}). Judged again with half and with twice that tolerance, "
            f"{_answers(moved)} would get another score."
        ),
        Table(columns, rows),
        *_more(len(found)),
    ]


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _same(one: ProblemOverview) -> list[Block]:
    rows = tuple(
        (str(len(group.students)), _names(group.students), group.verdict, _answer(group))
        for group in one.same[:MOST_ROWS]
    )
    return [
        Heading("The same but for names"),
        Text(
            "Answers that differ at most in the names they make up, in spaces and in order. Where "
            "the right answer is short, many give it in the same words: that says nothing. The "
            "same unusual mistake may."
        ),
        Table(("students", "who", "verdict", "answer"), rows),
        *_more(len(one.same)),
    ]


def _answer(group: SameAnswers) -> str:
    """Return an answer with its formulas set as such, where it is short enough to read."""
    if len(group.answer) > LONGEST_ANSWER:
        return _cut(group.answer)
    return ", ".join(
        f"{in_words(literal(name))} = {set_ if (set_ := typeset(text)) != text else literal(text)}"
        for name, text in group.fields.items()
    )


def _names(students: tuple[str, ...]) -> str:
    shown = ", ".join(_name(name) for name in students[:MOST_NAMES])
    more = len(students) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _name(student: str) -> str:
    return _cut(student, LONGEST_NAME)


def _cut(text: str, most: int = LONGEST_ANSWER) -> str:
    return literal(text if len(text) <= most else f"{text[: most - 1]}…")


def _more(count: int) -> list[Block]:
    left = count - MOST_ROWS
    return [Text(f"{left} more are in grades.json.")] if left > 0 else []


def _share(score: float | None) -> str:
    return "–" if score is None else f"{score:.0%}"
