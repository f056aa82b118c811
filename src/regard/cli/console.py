"""The two consoles of the command: what it says goes out, how far it is goes to the side."""

from __future__ import annotations

from rich.console import Console


def out() -> Console:
    """Return the console for results."""
    return Console(highlight=False, soft_wrap=False)


def side() -> Console:
    """Return the console for progress bars, so that results can be piped."""
    return Console(stderr=True, highlight=False)
