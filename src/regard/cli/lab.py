"""`regard lab`: the page in the browser, or the same as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def lab(
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write the scenes to one HTML file instead.")
    ] = None,
) -> None:
    """Open the lab: scenes to see, drag and break."""
    if export is not None:
        from regard.cli.problem_set import write
        from regard.lab.saved_page import saved_lab

        write(export, saved_lab())
        typer.echo(f"The lab: {export}")
        return
    from regard.lab.server import serve

    serve(port, open_browser=not no_open, say=_say)


def _say(sentence: str) -> None:
    typer.echo(sentence)
    typer.get_text_stream("stdout").flush()
