"""`regard export`: problems as folders for the graders that courses use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.console import out

if TYPE_CHECKING:
    from regard.grading.exports.folders import Files
    from regard.problems import Problem


class System(StrEnum):
    """The graders."""

    gradescope = "gradescope"
    otter = "otter"
    nbgrader = "nbgrader"
    prairielearn = "prairielearn"


class VariantBy(StrEnum):
    """What a variant may depend on."""

    student = "student"


def export(
    problems: Annotated[
        list[str], typer.Argument(help="Ids or collections out of `regard list`, or files.")
    ],
    to: Annotated[System, typer.Option("--to", help="The grader.")],
    output: Annotated[Path, typer.Option("-o", help="A new folder.")],
    variant_by: Annotated[
        VariantBy | None,
        typer.Option(help="Other numbers for each student (Gradescope, PrairieLearn)."),
    ] = None,
) -> None:
    """Write problems as a folder for Gradescope, otter, nbgrader or PrairieLearn."""
    from regard.errors import InvalidProblem
    from regard.grading.exports.folders import write_folder

    asked = _problems(problems)
    if variant_by and to not in (System.gradescope, System.prairielearn):
        raise InvalidProblem(f"export: {to} knows no students: leave out --variant-by.")
    files = _files(asked, to, variant_by, output)
    write_folder(output, files)
    out().print(f"Written: {output} ({len(files)} files)", soft_wrap=True, markup=False)


def _files(asked: list[Problem], to: System, variant_by: str | None, output: Path) -> Files:
    from regard.grading.exports import gradescope, notebooks, prairielearn

    if to is System.gradescope:
        return gradescope.files(asked, variant_by)
    if to is System.prairielearn:
        return prairielearn.files(asked, variant_by)
    if to is System.otter:
        return notebooks.otter_files(asked)
    return notebooks.nbgrader_files(asked, _assignment(output))


def _assignment(output: Path) -> str:
    """Return a name that nbgrader accepts for an assignment."""
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in output.resolve().name)
    return name.strip("-") or "attention"


def _problems(names: list[str]) -> list[Problem]:
    from regard.problems import load
    from regard.problems.problem_sets import find_collection

    found: list[Problem] = []
    for name in names:
        collection = find_collection(name)
        found += [load(name)] if collection is None else collection.problems
    return list({problem.id: problem for problem in found}.values())
