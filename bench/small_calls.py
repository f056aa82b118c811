"""Short calls of `regard.attention` beside torch's: microseconds, and torch's time / regard's.

What a short call costs is mostly what is done around the arithmetic. Each side is measured alone,
in a process of its own, and in turns with the other in one process, with pauses in which the
threads of the other library fall asleep. The fastest call counts; processes are repeated.

    python bench/small_calls.py          all rows
    python bench/small_calls.py 0 3      some of them
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table
from sides import SIDES, Case

# With the ratio that is wanted.
ROWS = [
    ((1, 1, 16, 16, 64), 0.8),
    ((1, 12, 64, 64, 64), 1.0),
    ((1, 8, 128, 128, 64), 1.0),
    ((1, 1, 512, 512, 64), 1.0),
    ((1, 8, 1, 1024, 64), 1.0),
    ((1, 8, 1, 128, 64), 1.0),
    ((1, 8, 256, 256, 64), 1.1),
]
PROCESSES = 3
SECONDS = 1.0  # of each process and row
PAUSE, TURN, TURNS = 0.05, 0.05, 12


def fastest(run: Callable[[], Any], seconds: float) -> float:
    best, until = float("inf"), time.perf_counter() + seconds
    while (start := time.perf_counter()) < until:
        run()
        best = min(best, time.perf_counter() - start)
    return best


def alone(name: str, number: int) -> None:
    """Print the fastest call of one side; run in a process of its own."""
    run = SIDES[name](Case(*ROWS[number][0]))
    assert run is not None
    print(json.dumps([fastest(run, SECONDS)]))


def in_turns(number: int) -> None:
    """Print the fastest calls of both sides, which take turns with pauses between them."""
    runs = [SIDES[name](Case(*ROWS[number][0])) for name in ("torch", "regard")]
    best = [float("inf")] * 2
    for _ in range(TURNS):
        for i, run in enumerate(runs):
            assert run is not None
            time.sleep(PAUSE)
            best[i] = min(best[i], fastest(run, TURN))
    print(json.dumps(best))


def measured(program: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", f"import small_calls; small_calls.{program}"],
        capture_output=True, text=True, check=True, cwd=sys.path[0],
    )  # fmt: skip
    return json.loads(done.stdout)


def main() -> None:
    chosen = [int(word) for word in sys.argv[1:]] or range(len(ROWS))
    table = Table(title="µs of the fastest call, and torch / regard: alone, and in turns")
    table.add_column("batch, heads, n_q, n_k, d", no_wrap=True)
    for column in ("torch", "regard", "alone", "torch", "regard", "in turns", "wanted"):
        table.add_column(column, justify="right")
    for number in chosen:
        sizes, wanted = ROWS[number]
        alones = {"torch": float("inf"), "regard": float("inf")}
        turns = [float("inf")] * 2
        for _ in range(PROCESSES):
            for name in alones:
                alones[name] = min(alones[name], *measured(f"alone({name!r}, {number})"))
            turns = [min(pair) for pair in zip(turns, measured(f"in_turns({number})"), strict=True)]
        ratios = alones["torch"] / alones["regard"], turns[0] / turns[1]
        short = "" if min(ratios) >= wanted else " !"
        cells = [*(1e6 * x for x in alones.values()), ratios[0], *(1e6 * x for x in turns)]
        table.add_row(
            str(Case(*sizes)), *(f"{x:.3g}" for x in cells), f"{ratios[1]:.2f}", f"{wanted}{short}"
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
