"""What all screens have in common: how they are printed, and what a problem is called on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.report.characters import columns
from regard.report.inline import shown
from regard.report.text.screen import Line

if TYPE_CHECKING:
    from rich.console import Console

    from regard.problems import Problem


def show(lines: list[Line], console: Console) -> None:
    """Print a screen; in colour where the terminal has some."""
    from rich.text import Text

    for line, style in lines:
        if console.color_system is None or console.no_color:
            console.out(line, highlight=False)
        else:
            console.print(Text(line, style), soft_wrap=True)


def titled(problem: Problem, room: int) -> str:
    """Return a problem with where it stands, in as many words as there is room for."""
    from regard.problems.problem_sets import short_places

    title = shown(problem.title)
    said = [f"{title} · {place}" for place in short_places(problem)]
    return next((text for text in said if columns(text) <= room), title)
