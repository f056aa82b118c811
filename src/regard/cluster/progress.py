"""How far a run is: a bar on the terminal with the time left, or a function that is told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from regard.errors import ParameterError

__all__ = ["Progress", "watched"]

Progress = bool | None | Callable[[int, int], None]
_PAUSE = 0.1  # seconds between two drawings


@contextmanager
def watched(
    what: str, done: int, total: int, progress: Progress
) -> Iterator[Callable[[int], None]]:
    """Give a function that is told how much is done, and show it.

    Args:
        what: beside the bar.
        done: what is there already.
        total: all of it.
        progress: None: a bar where standard error is a terminal; True or False: with or without;
            or a function (done, total) that is called instead.
    """
    if callable(progress):
        tell = progress
        yield lambda now: tell(now, total)
        return
    if progress is not None and not isinstance(progress, bool):
        raise ParameterError(
            "cluster: progress must be True, False, None or a function (done, total). "
            f"Got {progress!r}."
        )
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield lambda now: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    # Drawn from here and not by a thread: worker processes may have to be forked meanwhile.
    bar = Bar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("·"), TimeElapsedColumn(), TextColumn("· left"), TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False, force_terminal=progress or None),
        transient=True, auto_refresh=False,
    )  # fmt: skip
    task = bar.add_task(what, total=total, completed=done)
    last = 0.0

    def tick(now: int) -> None:
        nonlocal last
        bar.update(task, completed=now)
        if time.monotonic() - last > _PAUSE or now == total:
            bar.refresh()
            last = time.monotonic()

    with bar:
        yield tick
