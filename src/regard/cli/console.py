"""The two consoles of the command: what it says goes out, how far it is goes to the side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


_NARROWEST, _WIDEST = 60, 100  # of what is laid out as one screen


def width() -> int:
    """Return how many columns one screen has."""
    return min(_WIDEST, max(_NARROWEST, out().width))


def printable(text: str) -> str:
    """Return a message as a terminal may show it: it can quote what was typed, or a file's name."""
    from regard.report.characters import verbatim

    return "\n".join(verbatim(text))


def out() -> Console:
    """Return the console for results."""
    from rich.console import Console  # slow to load

    return Console(highlight=False, soft_wrap=False)


def side() -> Console:
    """Return the console for progress bars, so that results can be piped."""
    from rich.console import Console  # slow to load

    return Console(stderr=True, highlight=False)
