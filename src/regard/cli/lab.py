"""`regard lab`: the page in the browser, or the same as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def lab(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[MODEL]...", help="Models whose heads the page may show: files or folders."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write the scenes to one HTML file instead.")
    ] = None,
) -> None:
    """Open the lab: scenes to see, drag and break."""
    if export is not None:
        from regard.cli.problem_set import write
        from regard.lab.pages.saved_page import saved_lab

        write(export, saved_lab(_shown(models or [])))
        typer.echo(f"The lab: {export}")
        return
    from regard.lab.serving.server import serve

    serve(port, models=models or [], open_browser=not no_open, say=_say)


def _shown(models: list[Path]) -> dict[str, dict[str, str]]:
    """Which scene of the file differs from how it begins: the one that shows the first model."""
    if not models:
        return {}
    from regard.lab.models.offered_models import offer_model

    return {"heads-of-a-model": {"model": offer_model(models[0]), "head": "clearest"}}


def _say(sentence: str) -> None:
    typer.echo(sentence)
    typer.get_text_stream("stdout").flush()
