"""A progress bar for designs that take longer than a second, on terminals only."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["watched"]

PATIENCE = 1.0  # seconds without a bar
DECADES = 11  # the bounds agree to this many digits when the search stops


@contextmanager
def watched(what: str) -> Iterator[Callable[[float, float], None]]:
    """Give a function that is told the bounds after each round, and show how close they have come.

    Nothing is printed within the first second, nor where standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda lower, upper: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.fields[gap]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None, gap="")  # without a total the bar moves to and fro

    def tick(lower: float, upper: float) -> None:
        gap = (upper - max(lower, 0.0)) / upper if upper > 0 else 0.0
        digits = min(DECADES, -math.log10(gap)) if gap > 0 else DECADES
        known = digits if 0 < digits < DECADES else None
        bar.update(task, total=DECADES if known else None, completed=known or 0.0)
        bar.update(task, gap=f"{digits:.0f} digits" if known else "")

    # A timer, because what takes long may not tick: the bar then shows that work goes on.
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield tick
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
