"""`regard new`: a problem file to start from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.command_line.options import Json
from regard.cli.problem_set import write
from regard.errors import InvalidProblem


def new(
    kind: Annotated[str, typer.Argument(help="What is asked for, such as query or compute.")],
    output: Annotated[
        Path | None, typer.Option("-o", help="Write it to this file, which must not exist.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a commented problem file to start from."""
    from regard.problems.loading import parse
    from regard.problems.starting import starting_file

    stem = "" if output is None else output.stem
    name = stem if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", stem) else None
    text = starting_file(kind, name)
    if as_json:
        text = json.dumps(parse(text, kind), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    if output.exists():
        raise InvalidProblem(f"{output}: is there already. Choose another name.")
    write(output, text)
    typer.echo(str(output))
