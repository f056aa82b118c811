"""The answers to a whole collection as a page: an index by theme that opens to each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.problems.loading import load
from regard.problems.problem_sets import Collection, find_collection
from regard.report import Block, Heading, Report, Text
from regard.report.headline import marked
from regard.report.numbers import listing, spelled

if TYPE_CHECKING:
    from regard.checking.collections.part_by_part import Grading, Part


def grading_page(grading: Grading) -> Report:
    """Return a grading as a report of themes and chapters."""
    whole = find_collection(grading.name)
    blocks: list[Block] = []
    if whole is not None:
        blocks.append(Text(f"Collections / {whole.name} / answers", "eyebrow"))
    blocks.append(Text(_counted(grading), "headline"))
    blocks.append(Text(f"Score: {grading.percent}."))
    left = list(grading.parts)
    for theme in () if whole is None else whole.themes:
        labels = {part.label for part in theme.parts}
        found = [part for part in left if part.label in labels]
        left = [part for part in left if part.label not in labels]
        if found:
            blocks += [Heading(theme.title, 1, role="theme"), Text(theme.about)]
            blocks += [block for part in found for block in _part(part, whole)]
    if left and len(left) < len(grading.parts):
        blocks.append(Heading("Other parts", 1, role="theme"))
    blocks += [block for part in left for block in _part(part, whole)]
    return Report(f"{grading.title}: {grading.percent}", tuple(blocks))


def _part(part: Part, whole: Collection | None) -> list[Block]:
    status, tone = _short(part)
    name = _problem(part, whole)
    title = load(name).title if name else part.says or part.label
    heading = Heading(title, 1, status=status, tone=tone, label=part.label, anchor=name)
    if part.verdict is None:
        return [heading, Text(part.refused.replace("$", r"\$"), "headline")]
    return [heading, *part.verdict.report().blocks]


def _problem(part: Part, whole: Collection | None) -> str:
    """Return the id of the bundled problem that a part answers, or ""."""
    found = None if whole is None else whole.part(part.label)
    return "" if found is None else found.problem


def _short(part: Part) -> tuple[str, str]:
    """Return what was found in a word or two, and its tone."""
    if part.verdict is None:
        return ("Not handed in", "open") if part.readable else ("Cannot be read", "bad")
    if part.right:
        return "Right", "good"
    if not part.verdict.decided:
        return "Not decided", "open"
    return f"Not right: {part.percent}", "bad"


def _counted(grading: Grading) -> str:
    """Say how many parts are right, how many are not, and how many are not there."""
    right = sum(part.right for part in grading.parts)
    missing = sum(part.verdict is None and part.readable for part in grading.parts)
    open_ = sum(part.verdict is not None and not part.verdict.decided for part in grading.parts)
    wrong = len(grading.parts) - right - missing - open_
    said = [f"{marked(spelled(right), 'query')} of {spelled(len(grading.parts))} answers right"]
    if wrong:
        said.append(f"{marked(spelled(wrong), 'bad')} not")
    if open_:
        said.append(f"{spelled(open_)} not decided")
    if missing:
        said.append(f"{spelled(missing)} not handed in")
    return f"{grading.title.partition(':')[0]}: {listing(said)}."
