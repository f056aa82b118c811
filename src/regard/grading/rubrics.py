"""What an answer is judged by: goals, points, and the mistakes that would be named.

Nothing is listed that the judge does not say: goals are those it judges the right answer by, and an
example of a mistake is an answer that it calls by that tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations
from pathlib import Path
from typing import Any

from regard.checking import Verdict, check
from regard.checking.mistakes import Mistake
from regard.errors import RegardError
from regard.grading.shown_mistakes import shown_mistakes
from regard.problems import Problem, load
from regard.problems.answer_fields import goal_names
from regard.problems.problem_sets import place
from regard.problems.registry import part
from regard.problems.writing import inline
from regard.report import Block, Code, Heading, Report, Steps, Table, Text, number
from regard.report.reported import Reported
from regard.solving import solve

MOST_TRIED = 8  # answers with one mistake
LONGEST = 160


@dataclass(frozen=True)
class RubricGoal:
    """One goal.

    Attributes:
        name: as `points` of a problem file has it.
        points: how many it is worth; None where the file gives none.
        share: of the score, from 0 to 1.
        tests: what is judged, each with its share of this goal.
    """

    name: str
    points: float | None
    share: float
    tests: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class RubricMistake:
    """A mistake that would be named, an answer that shows it, and the score that this gets."""

    tag: str
    sentence: str
    answer: Mapping[str, Any]
    score: float | None


@dataclass(frozen=True, eq=False)
class Rubric(Reported):
    """What an answer to a problem is judged by.

    Attributes:
        problem: what is asked.
        answer: one that is right.
        goals: in the order of the problem.
        mistakes: with an example each, in the order in which the judge looks for them.
        others: tags and sentences of mistakes that the kind has and no answer tried here shows.
    """

    problem: Problem
    answer: Mapping[str, Any]
    goals: tuple[RubricGoal, ...]
    mistakes: tuple[RubricMistake, ...]
    others: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the rubric as JSON data."""
        return {
            "id": self.problem.id,
            "answer": _plain(self.answer),
            "goals": [
                {
                    "goal": goal.name,
                    "points": goal.points,
                    "share": goal.share,
                    "tests": [{"test": name, "share": share} for name, share in goal.tests],
                }
                for goal in self.goals
            ],
            "misconceptions": [
                {"tag": m.tag, "sentence": m.sentence, "answer": _plain(m.answer), "score": m.score}
                for m in self.mistakes
            ],
            "others": [{"tag": tag, "sentence": sentence} for tag, sentence in self.others],
        }

    def report(self) -> Report:
        """Return the rubric as a report."""
        blocks: list[Block] = [Text(place(self.problem) or self.problem.id, "eyebrow")]
        given = self.problem.points is not None
        rows = tuple(
            (
                goal.name,
                number(goal.points or 0.0) if given else f"{goal.share:.0%}",
                "; ".join(f"{name} ({share:.0%})" for name, share in goal.tests),
            )
            for goal in self.goals
        )
        blocks.append(Table(("goal", "points" if given else "share", "what is judged"), rows))
        blocks.append(Text(self._partial_credit()))
        if "file" in self.answer:
            blocks += [Text("Right, for example:"), Code(self.answer["file"].rstrip(), "python")]
        else:
            blocks.append(Text(f"Right, for example: {_written(self.answer)}."))
        if self.mistakes:
            blocks += [Heading("Mistakes that are named"), *_listed(self.mistakes, self.answer)]
        if self.others:
            count = "1 more mistake is" if len(self.others) == 1 else f"{len(self.others)} more are"
            blocks.append(
                Text(f"{count} known for problems of this kind. No answer tried here shows them.")
            )
        return Report(f"Rubric: {self.problem.title}", tuple(blocks))

    def _partial_credit(self) -> str:
        if self.problem.points is None:
            names = inline(dict.fromkeys((goal.name for goal in self.goals), 2))
            return (
                "A score is the share of what is judged that an answer reaches."
                f"{self._instance_first()} For points of your own write points = {names} into "
                "the file, above its tables."
            )
        total = number(sum(self.problem.points.values()))
        return (
            f"{total} points in all. An answer that reaches a part of what is judged for a goal "
            f"gets that share of its points.{self._instance_first()}"
        )

    def _instance_first(self) -> str:
        if not getattr(part(self.problem.kind, "fields"), "INSTANCE_FIRST", False):
            return ""
        return " What is wrong for the numbers of the problem itself gets nothing for others."


def rubric(problem: Problem | str | Path) -> Rubric:
    """Return what answers to a problem are judged by.

    Raises:
        InvalidProblem: there is no such problem, or its answers cannot be checked.
    """
    asked = load(problem)
    right = dict(solve(asked).answer)
    verdict = check(asked, right)
    known = {one.tag: one.sentence for one in _known(asked)}
    order = {tag: place for place, tag in enumerate(known)}
    found = sorted(_examples(asked, right), key=lambda one: order.get(one.tag, len(order)))
    shown = {one.tag for one in found}
    others = tuple((tag, known[tag]) for tag in known if tag not in shown)
    return Rubric(asked, right, _goals(asked, verdict), tuple(found), others)


def _known(problem: Problem) -> tuple[Mistake[Any, Any], ...]:
    return getattr(part(problem.kind, "misconceptions"), "MISTAKES", ())


def _goals(problem: Problem, right: Verdict) -> tuple[RubricGoal, ...]:
    names = goal_names(problem)
    weights = {
        name: sum(goal.weight for goal in right.goals if goal.part in (name, "")) for name in names
    }
    points = problem.points
    worth = points if points is not None else weights
    total = sum(worth.values())
    return tuple(
        RubricGoal(
            name,
            None if points is None else points[name],
            worth[name] / total if total else 0.0,
            tuple(
                (goal.name, goal.weight / weights[name])
                for goal in right.goals
                if goal.part in (name, "") and goal.weight
            ),
        )
        for name in names
    )


def _examples(problem: Problem, right: Mapping[str, Any]) -> Iterator[RubricMistake]:
    """Yield mistakes with an answer that the judge calls by them, each tag once."""
    seen: set[str] = set()
    by_rule = (
        (mistake.tag, fields)
        for mistake in _known(problem)
        for fields in islice(mistake.answers(problem, right), MOST_TRIED)
    )
    spoiled = (("", fields) for fields in (_spoiled(right) if "file" not in right else ()))
    for tag, fields in chain(by_rule, shown_mistakes(problem, right), spoiled):
        if tag in seen:
            continue
        try:
            verdict = check(problem, fields)
        except RegardError:
            continue  # this problem leaves no room for that mistake
        idea = verdict.misconception
        if idea is not None and idea.tag not in seen:
            seen.add(idea.tag)
            yield RubricMistake(idea.tag, idea.sentence, fields, verdict.score)


def _spoiled(right: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the right answer with formulas changed in simple ways."""
    texts = {name: value for name, value in right.items() if isinstance(value, str)}
    for name, text in texts.items():
        for changed in ("({})'", "-({})", "0 ({})", "1/1000 ({})", "1e300 (1e300 ({}))"):
            yield {**right, name: changed.format(text)}
        yield {**right, name: text.replace("k_", "v_")}
    for one, other in permutations(texts, 2):
        yield {**right, one: texts[other], other: texts[one]}
        yield {**right, one: texts[other]}
    if len(texts) > 1:
        yield {**right, **{name: f"({text})'" for name, text in texts.items()}}


def _listed(mistakes: Sequence[RubricMistake], right: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the mistakes as a list; those of programs each with the function that shows it."""
    if "file" not in right:
        yield Steps(tuple((_told(mistake), "") for mistake in mistakes))
        return
    for mistake in mistakes:
        yield Text(f"{mistake.tag}: {mistake.sentence} With this it gets {_score(mistake)}:")
        yield Code(mistake.answer["file"].removeprefix(right["file"].rstrip()).strip(), "python")


def _score(mistake: RubricMistake) -> str:
    return "no score" if mistake.score is None else f"{mistake.score:.0%}"


def _told(mistake: RubricMistake) -> str:
    example = _written(mistake.answer)
    return f"{mistake.tag}: {mistake.sentence} For example {example}, which gets {_score(mistake)}."


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: getattr(value, "tolist", lambda v=value: v)() for name, value in fields.items()}


def _written(fields: Mapping[str, Any]) -> str:
    """Write an answer in a line, as its file would have it."""
    text = ", ".join(f"{name} = {_value(value)}" for name, value in _plain(fields).items())
    text = text.replace("$", "\\$")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _value(value: Any) -> str:
    try:
        return inline(value)
    except (AttributeError, TypeError):
        return str(value)
