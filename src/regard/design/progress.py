"""A progress bar for designs that take longer than a second, on terminals only."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["watched"]

PATIENCE = 1.0  # seconds without a bar
DECADES = 11  # the bounds agree to this many digits when the search stops


@contextmanager
def watched(what: str, size: int) -> Iterator[Callable[[float, float], None]]:
    """Give a function that is told the bounds after each round, and show how close they have come.

    Nothing is printed within the first second, nor where standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda lower, upper: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn(f"{what} over {size:,} numbers"),
        BarColumn(),
        TextColumn("{task.fields[gap]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    begun = time.monotonic()
    task = bar.add_task(what, total=DECADES, gap="")
    shown = False

    def tick(lower: float, upper: float) -> None:
        nonlocal shown
        if not shown and time.monotonic() - begun > PATIENCE:
            bar.start()
            shown = True
        gap = (upper - max(lower, 0.0)) / upper if upper > 0 else 0.0
        digits = min(DECADES, -math.log10(gap)) if gap > 0 else DECADES
        bar.update(task, completed=digits, gap=f"{digits:.0f} digits")

    try:
        yield tick
    finally:
        if shown:
            bar.stop()
