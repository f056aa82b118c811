"""`regard start`: the file to complete, as Python or as a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.console import out
from regard.cli.problem_set import write
from regard.cli.show import Name
from regard.errors import InvalidProblem


def start(
    problem: Name,
    output: Annotated[
        Path | None, typer.Option("-o", help="Write to this file: .py, or .ipynb for a notebook.")
    ] = None,
) -> None:
    """Write the file that a program is to be completed from."""
    from regard.kinds.code.spec import CodeProblem
    from regard.kinds.code.start import notebook, skeleton
    from regard.problems import load

    asked = load(problem)
    if not isinstance(asked, CodeProblem):
        raise InvalidProblem(
            f"start: {asked.id} asks for no program. `regard show {problem}` says what it asks for."
        )
    if output is None:
        typer.echo(skeleton(asked), nl=False)
        return
    if output.suffix not in (".py", ".ipynb"):
        raise InvalidProblem(f"start: {output}: name a file that ends in .py or .ipynb.")
    if output.exists():
        raise InvalidProblem(f"start: {output} is there already, and stays as it is.")
    is_notebook = output.suffix == ".ipynb"
    write(output, notebook(asked, output.name) if is_notebook else skeleton(asked))
    said = f"Written: {output}. When it is complete: regard check {problem} {output}"
    out().print(said, soft_wrap=True, markup=False)
