"""`regard solve`: problems in, certified and explained solutions out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.command_line.options import Form, Format, Full, Json, Output, format_of
from regard.cli.console import out, printable, side, width
from regard.cli.problem_set import write
from regard.errors import InvalidProblem

if TYPE_CHECKING:
    from regard.problems import Problem
    from regard.problems.problem_sets import Collection
    from regard.report import Report
    from regard.solving import Solution


def solve(
    problems: Annotated[
        list[str] | None, typer.Argument(help="Ids or collections out of `regard list`, or files.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Solve every bundled problem.")] = False,
    form: Form = None,
    output: Output = None,
    full: Full = False,
    as_json: Json = False,
) -> None:
    """Solve problems, prove the solutions, and explain them."""
    from regard.problems import load, names
    from regard.problems.problem_sets import find_collection
    from regard.solving import Status

    if everything == bool(problems):
        raise InvalidProblem("solve: name problems, or say --all. `regard list` shows their ids.")
    if as_json:
        form = Format.json
    form = form or format_of(output)
    ids = names() if everything else _each(problems or [])
    asked = [(name, load(name)) for name in ids]
    overview = everything and not as_json and (form is Format.text or output is not None)
    started = time.perf_counter()
    solutions = _solve_all(asked, overview)
    if overview and form is Format.text:
        form, output = Format.html, output or Path("regard-solutions.html")
    named = problems or []
    collection = find_collection(named[0]) if len(named) == 1 else None
    _show(solutions, form, output, collection, full)
    if overview:
        _summary(solutions, time.perf_counter() - started)
    if output is not None:
        out().print(f"Report: {printable(str(output))}", soft_wrap=True, markup=False)
    raise typer.Exit(1 if any(s.verdict is Status.UNDECIDED for s in solutions) else 0)


def _each(named: list[str]) -> list[str]:
    """Return what was named, with the problems of a collection in its place."""
    from regard.problems.problem_sets import find_collection

    found = []
    for name in named:
        collection = find_collection(name)
        found += [name] if collection is None else [part.problem for part in collection.parts]
    return found


def _solve_all(asked: list[tuple[str, Problem]], overview: bool) -> list[Solution]:
    """Solve and verify each problem; with an overview, one line for each as it is done."""
    if len(asked) == 1 and not overview:
        return [_solved(*asked[0])]
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # slow to load

    solutions = []
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=side(), transient=True,
    )  # fmt: skip
    width = max(len(problem.id) for _, problem in asked)
    with bar:
        task = bar.add_task("solving", total=len(asked))
        for name, problem in asked:
            bar.update(task, description=problem.id)
            solutions.append(_solved(name, problem))
            shown = _coloured(solutions[-1])  # verifies the certificate
            if overview:
                out().print(f"{problem.id:<{width}}  {shown}")
            bar.advance(task)
    return solutions


def _solved(name: str, problem: Problem) -> Solution:
    from regard.solving import solve as solve_one

    try:
        return solve_one(problem)
    except InvalidProblem as error:  # something that only shows when it is solved
        raise InvalidProblem(f"{name}: {error}") from None


def _coloured(solution: Solution) -> str:
    colours = {"IMPOSSIBLE": "blue", "ARGUED": "yellow", "NUMERIC": "yellow", "UNDECIDED": "red"}
    return f"[{colours.get(solution.verdict.name, 'green')}]{solution.outcome}[/]"


def _summary(solutions: list[Solution], seconds: float) -> None:
    from regard.solving import Status
    from regard.solving.solution import ROUNDED

    rounded = sum(x.outcome == ROUNDED for x in solutions)
    counts = [(s.value, sum(x.verdict is s for x in solutions)) for s in Status]
    exact = Status.COMPUTED.value
    counts = [(words, count - rounded * (words == exact)) for words, count in counts]
    counts.append((ROUNDED, rounded))
    claims = sum(len(s.verification.claims) for s in solutions)
    held = sum(c.status == "holds" for s in solutions for c in s.verification.claims)
    parts = ", ".join(f"{count} {words}" for words, count in counts if count)
    out().print(
        f"\n{len(solutions)} problems in {seconds:.0f} s: {parts}. "
        f"{held} of {claims} claims verified.",
        soft_wrap=True,
    )


def _show(
    solutions: list[Solution],
    form: Format,
    output: Path | None,
    collection: Collection | None,
    full: bool,
) -> None:
    from regard import report
    from regard.cli.screens import showing, solution_screen
    from regard.solving.joined import joined

    text: str | bytes
    if form is Format.json:
        text = json.dumps({"solutions": [s.to_dict() for s in solutions]}, indent=2)
    elif form is Format.text and output is None:
        for i, solution in enumerate(solutions):
            if i:
                out().print("\n")
            if full:
                report.to_terminal(solution.report(), out())
            else:
                showing.show(solution_screen.of_solution(solution, width()), out())
        return
    else:
        together = joined(
            solutions, collection, page=form is Format.html, table=form is Format.text
        )
        text = rendered(together, form, output)
    if output is None:
        typer.echo(text)
    else:
        write(output, text)


def rendered(report: Report, form: Format, output: Path | None) -> str | bytes:
    """Return a report in a format; PDF is no text, and needs a file."""
    from regard import report as reports
    from regard.report.pdf import to_pdf

    if form is Format.pdf:
        if output is None:
            raise InvalidProblem("--format pdf: name the file with -o FILE.pdf.")
        return to_pdf(report)
    if form is Format.latex:
        return reports.to_latex(report)
    return reports.to_html_page(report) if form is Format.html else reports.to_text(report)
