"""Whether processes had the cores they wanted: what a time measured beside other work is worth.

The scheduler of Linux counts for each thread how long it ran and how long it was ready to run and
waited for a core (/proc/PID/schedstat). A run in which workers waited says how busy the machine
was, and is done again. What they did not wait is what it would have taken with cores of its own.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

DISTURBED = 0.05  # of the time that workers wanted a core, from where on a run does not count
ROUNDS, MOST = 3, 12  # runs that count, and runs to find them in
BARE = """
import sys
x = 1.0
for _ in range(int(sys.argv[1])):
    x = (x * 1.000001) % 7.0
print(open("/proc/self/schedstat").read())
"""

Watched = Callable[[], None]  # called while the workers are still there


@dataclass(frozen=True)
class Timed:
    """A run: how long it took, and what part of the time its workers waited for a core."""

    wall: float
    waited: float

    @property
    def own(self) -> float:
        """How long it would have taken with cores of its own."""
        return self.wall * (1 - self.waited)


def of_process(pid: int | str) -> tuple[float, float]:
    """Return the seconds that the threads of a process ran, and waited for a core."""
    found = [(0, 0)]
    for thread in Path(f"/proc/{pid}/task").iterdir():
        ran, waited, _ = (thread / "schedstat").read_text().split()
        found.append((int(ran), int(waited)))
    return sum(x for x, _ in found) / 1e9, sum(x for _, x in found) / 1e9


def children(word: str) -> list[str]:
    """Return the processes started by this one whose command has this word."""
    lists = [(x / "children").read_text().split() for x in Path("/proc/self/task").iterdir()]
    pids = [pid for own in lists for pid in own]
    return [pid for pid in pids if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()]


def watched(run: Callable[[Watched], object], workers: Callable[[], Iterable[int | str]]) -> Timed:
    """Time a run that calls what it is given when its work is done and its workers are there."""
    try:
        before = {pid: of_process(pid)[1] for pid in workers()}
    except OSError:  # they are started by the run
        before = {}
    waited: list[float] = []

    def look() -> None:
        waited.extend(of_process(pid)[1] - before.get(pid, 0.0) for pid in workers())

    start = time.perf_counter()
    run(look)
    wall = time.perf_counter() - start
    return Timed(wall, sum(waited) / max(1, len(waited)) / wall)


def bare(count: int, loops: int) -> Timed:
    """Time processes of Python, without regard, that share so many loops."""
    command = [sys.executable, "-S", "-c", BARE, str(loops // count)]
    start = time.perf_counter()
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    said = [process.communicate()[0].split() for process in started]
    wall = time.perf_counter() - start
    return Timed(wall, sum(int(waited) for _, waited, _ in said) / 1e9 / count / wall)


def growth(one: Callable[[], Timed], two: Callable[[], Timed]) -> str:
    """Time one worker and two in turns, and say how much more two do."""
    pairs: list[tuple[Timed, Timed]] = []
    while len(pairs) < MOST and len(_quiet(pairs)) < ROUNDS:
        pairs.append((one(), two()))
        if pairs[-1] not in _quiet(pairs):
            time.sleep(1.0)
    quiet = _quiet(pairs)
    own = min(x.own for x, _ in pairs) / min(x.own for _, x in pairs)
    if quiet:
        return f"{_ratio(quiet):.2f} (best of {len(quiet)} of {len(pairs)} runs)"
    least = min(max(x.waited for x in pair) for pair in pairs)
    return (
        f"{_ratio(pairs):.2f} DISTURBED: workers waited for a core {100 * least:.0f} % of the time "
        f"or more. {own:.2f} without that"
    )


def _ratio(pairs: Collection[tuple[Timed, Timed]]) -> float:
    return min(x.wall for x, _ in pairs) / min(x.wall for _, x in pairs)


def _quiet(pairs: Collection[tuple[Timed, Timed]]) -> list[tuple[Timed, Timed]]:
    return [pair for pair in pairs if max(x.waited for x in pair) < DISTURBED]
