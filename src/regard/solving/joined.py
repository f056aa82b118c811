"""Several solutions as one report: a collection by its themes, other problems by their collections.

A page is an index that opens to each report. Text has a table at the top, and then one report after
another; a paper has a list of its chapters in place of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from regard.problems import collections
from regard.problems.problem_sets import Collection, Theme, collection, place
from regard.report import Block, Heading, Report, Table, Text
from regard.report.headline import marked
from regard.report.numbers import listing, spelled
from regard.solving.finding import Status
from regard.solving.solution import ROUNDED, Solution

_SHORT = {
    Status.PROVED: ("Proved", "good"),
    Status.IMPOSSIBLE: ("Proved impossible", "bad"),
    Status.COMPUTED: ("Computed exactly", "good"),
    Status.ARGUED: ("Argued, tested", "open"),
    Status.NUMERIC: ("Not proved", "open"),
    Status.UNDECIDED: ("Undecided", "bad"),
}
_WITHIN = ("Proved to rounding", "good")


def joined(
    solutions: Sequence[Solution],
    whole: Collection | None = None,
    page: bool = False,
    table: bool = True,
) -> Report:
    """Return one report of all; of one solution, its own.

    Args:
        solutions: in the order of the parts, if they are those of a `whole` collection.
        whole: the collection that they are.
        page: whether it is for a page, where themes and chapters are an index.
        table: whether it begins with a table of results; a paper lists its chapters itself.
    """
    if len(solutions) == 1:
        return solutions[0].report()
    title = "Attention problems, solved" if whole is None else f"{whole.title}, solved"
    name, what = ("Attention problems", "problem") if whole is None else (whole.title, "part")
    lead: list[Block] = [Text(_counted(name, what, solutions), "headline")]
    if whole is not None:
        lead = [Text(f"Collections / {whole.name}", "eyebrow"), *lead, Text(whole.about)]
    if page:
        parts = _by_collection(solutions) if whole is None else _by_theme(whole, solutions)
        return Report(title, (*lead, *parts, *(() if whole is None else around(whole))))
    lead += [_overview(solutions, whole)] if table else []
    return Report.join(title, _labelled(solutions, whole), lead)


def short_status(solution: Solution) -> tuple[str, str]:
    """Return how a solution came out, in a word or three, and the tone of it."""
    return _WITHIN if solution.outcome == ROUNDED else _SHORT[solution.verdict]


def part_heading(solution: Solution, label: str = "") -> Heading:
    """Return the heading of a solution in a page of several."""
    status, tone = short_status(solution)
    problem = solution.problem
    return Heading(problem.title, 1, status=status, tone=tone, label=label, anchor=problem.id)


def around(whole: Collection) -> list[Block]:
    """Return what a page of a collection ends with: what is loose in it, and its neighbours."""
    blocks: list[Block] = []
    if whole.looser:
        blocks.append(Heading("Looser than it sounds", 1, role="callouts"))
        for words, so in whole.looser:
            blocks += [Heading(words, 3), Text(so)]
    blocks.append(Heading("Other collections", 1, role="cards"))
    names = collections()
    begin = names.index(whole.name) + 1 if whole.name in names else 0
    for other in map(collection, (names * 2)[begin : begin + min(4, len(names) - 1)]):
        count = len(other.parts)
        said = f"{count} part{'s' * (count != 1)} · regard solve {other.name}"
        blocks += [Heading(other.title, 3), Text(other.about), Text(said)]
    return blocks


def themes(whole: Collection) -> tuple[Theme, ...]:
    """Return the themes of a collection; all its parts under none where nobody has sorted them."""
    return whole.themes or (Theme("", "", whole.parts),)


def _by_theme(whole: Collection, solutions: Sequence[Solution]) -> list[Block]:
    found = iter(solutions)
    blocks: list[Block] = []
    for theme in themes(whole):
        if theme.title:
            blocks += [Heading(theme.title, 1, role="theme"), Text(theme.about)]
        for part, solution in zip(theme.parts, found, strict=False):
            blocks += _part(solution, part.label)
    return blocks


def _by_collection(solutions: Iterable[Solution]) -> list[Block]:
    """Return solutions under the collections that have them, and the rest last.

    A collection whose parts are all in others too is there if it is whole.
    """
    found = {solution.problem.id: solution for solution in solutions}
    left = dict(found)
    blocks: list[Block] = []
    for whole in map(collection, collections()):
        parts = [part for part in whole.parts if part.problem in found]
        if len(parts) < len(whole.parts) and not any(part.problem in left for part in parts):
            continue
        blocks += [Heading(whole.title, 1, role="theme", anchor=whole.name), Text(whole.about)]
        for part in parts:
            left.pop(part.problem, None)
            blocks += _part(found[part.problem], part.label)
    if left and blocks:
        blocks.append(Heading("Other problems", 1, role="theme"))
    return blocks + [block for solution in left.values() for block in _part(solution, "")]


def _part(solution: Solution, label: str) -> list[Block]:
    return [part_heading(solution, label), *solution.report().blocks]


def _labelled(solutions: Sequence[Solution], whole: Collection | None) -> list[Report]:
    reports = [solution.report() for solution in solutions]
    if whole is None:
        return reports
    return [
        replace(one, title=f"{part.label} {one.title}")
        for part, one in zip(whole.parts, reports, strict=True)
    ]


def _overview(solutions: Sequence[Solution], whole: Collection | None) -> Table:
    results = [(one.problem.title, one.outcome) for one in solutions]
    if whole is None:
        rows = [(*row, place(one.problem)) for row, one in zip(results, solutions, strict=True)]
        return Table(("problem", "result", "from"), tuple(rows))
    rows = [(part.label, *row) for part, row in zip(whole.parts, results, strict=True)]
    return Table(("part", "problem", "result"), tuple(rows))


def _counted(title: str, what: str, solutions: Sequence[Solution]) -> str:
    """Say how many were solved, are impossible, and are open."""
    impossible = sum(one.verdict is Status.IMPOSSIBLE for one in solutions)
    undecided = sum(one.verdict is Status.UNDECIDED for one in solutions)
    solved = len(solutions) - impossible - undecided
    said = []
    if solved:
        said.append(f"{marked(spelled(solved), 'query')} {what}{'s' * (solved > 1)} solved")
    if impossible:
        said.append(f"{spelled(impossible)} proved {marked('impossible', 'bad')}")
    if undecided:
        said.append(f"{spelled(undecided)} {marked('undecided', 'bad')}")
    return f"{title.partition(':')[0]}: {listing(said)}."
