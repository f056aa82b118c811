"""`regard rubric`: what answers to a problem are judged by."""

from __future__ import annotations

import json

import typer

from regard.cli.command_line.options import Json
from regard.cli.console import out
from regard.cli.show import Name


def rubric(problem: Name, as_json: Json = False) -> None:
    """Print goals, points and the mistakes that would be named, with an example of each."""
    from regard.grading.rubrics import rubric as find
    from regard.report import to_terminal

    found = find(problem)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2))
        return
    to_terminal(found.report(), out())
