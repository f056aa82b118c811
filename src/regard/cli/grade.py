"""`regard grade`: what a class handed in, graded at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.command_line.options import Json
from regard.cli.console import out, side
from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.grading import Grades

MOST_TAGS = 8


def grade(
    named: Annotated[
        list[str],
        typer.Argument(
            metavar="PROBLEM... FOLDER",
            help="Ids or collections out of `regard list`, or files; then the folder, or ZIP "
            "archive, that holds a file or a folder for each student.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", help="Write grades and pages to this folder.")],
    workers: Annotated[
        int | None, typer.Option(help="How many processes; by default one per processor.")
    ] = None,
    variant_by: Annotated[
        str | None,
        typer.Option(help="`student`: each has a variant, with a seed out of the name."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Everybody has this variant, as `regard handout` wrote it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Grade a class: a table, a page of feedback for each student, and an overview."""
    from regard.grading.whole_class import grade_with_progress

    if len(named) < 2:
        raise ParameterError("grade: name the problems, and after them the folder with hand-ins.")
    *problems, folder = named
    _refuse_folder_first(problems, folder)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # slow to load

    console = side()
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("grading", total=None)

        def tick(judged: int, total: int) -> None:
            bar.update(task, completed=judged, total=total)

        grades = grade_with_progress(problems, folder, output, workers, variant_by, seed, tick)
    if as_json:
        typer.echo(json.dumps(grades.overview.to_dict(), indent=2))
    else:
        _show(grades, output)
    raise typer.Exit(0 if grades.all_graded else 1)


def _refuse_folder_first(problems: list[str], folder: str) -> None:
    """Say so where the folder is named before the problems: an id is not looked for as one."""
    first = next((name for name in problems if Path(name).is_dir()), None)
    if first is not None and not Path(folder).exists():
        others = " ".join([*(name for name in problems if name != first), folder])
        raise ParameterError(
            f"grade: the folder comes after the problems: regard grade {others} {first} -o …"
        )


def _show(grades: Grades, output: Path) -> None:
    """Print a line for each problem, the most frequent mistakes, and where everything is."""
    from rich.table import Table
    from rich.text import Text

    from regard.problems.problem_sets import part_labels

    console = out()
    table = Table(box=None, pad_edge=False)
    for column in ("problem", "mean score", "answers"):
        table.add_column(column, justify="right" if column == "mean score" else "left")
    by_id = {one.problem: one for one in grades.overview.problems}
    for name, label in part_labels(list(by_id)).items():
        one = by_id[name]
        mean = "–" if one.mean_score is None else f"{one.mean_score:.0%}"
        counts = ", ".join(f"{count} {verdict}" for verdict, count in one.verdicts.items())
        table.add_row(Text(f"{label} {name}".lstrip()), mean, counts)
    students = grades.overview.students
    console.print(f"{students} student{'s' if students > 1 else ''}", style="bold", markup=False)
    console.print(table)
    tags = [tag for one in grades.overview.problems for tag in one.tags][:MOST_TAGS]
    if tags:
        console.print()
        mistakes = Table(box=None, pad_edge=False)
        for column in ("mistake", "answers", "what it is"):
            mistakes.add_column(column, no_wrap=column == "mistake")
        for tag in tags:
            mistakes.add_row(Text(tag.tag), str(tag.count), Text(tag.sentence))
        console.print(mistakes)
    console.print(
        f"\nGrades: {output / 'grades.csv'}\nOverview: {output / 'overview.html'}\n"
        f"Feedback: {output / 'feedback'}",
        soft_wrap=True,
        markup=False,
    )
