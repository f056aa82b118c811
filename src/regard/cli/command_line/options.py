"""Options that several verbs have, and the format that they ask for."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from regard.errors import InvalidProblem


class Format(StrEnum):
    """How a report is written."""

    text = "text"
    html = "html"
    latex = "latex"
    json = "json"
    pdf = "pdf"


SUFFIXES = {
    ".html": Format.html,
    ".tex": Format.latex,
    ".json": Format.json,
    ".pdf": Format.pdf,
    ".txt": Format.text,
}

Full = Annotated[bool, typer.Option("--full", help="Print everything, not one screen of it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Form = Annotated[
    Format | None, typer.Option("--format", help="By default the ending of -o, else text.")
]
Output = Annotated[Path | None, typer.Option("-o", help="Write to this file.")]


def format_of(output: Path | None) -> Format:
    """Return the format that the ending of a file asks for; text where there is none."""
    if output is None:
        return Format.text
    if output.suffix not in SUFFIXES:
        endings = ", ".join(SUFFIXES)
        raise InvalidProblem(f"-o {output}: use one of the endings {endings}, or say --format.")
    return SUFFIXES[output.suffix]
