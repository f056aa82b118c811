"""How fast a class is graded: `regard.grading.grade` beside a bare loop over `regard.check`.

The loop reads the same files and keeps nothing. Grading also starts processes, keeps every row on
the disk, and writes a page for each student and an overview. Sides take turns; `grading.py 300`
does so many hand-ins.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import regard
from regard.grading import grade

PROBLEM = "average-two-values"
ROUNDS = 3
WANTED = 1.7  # two workers to one


def hand_in(number: int) -> str:
    """Return an answer like no other: right, short of the factor, on one key, on the wrong side."""
    forms = ("{} (k_a + k_b)", "0.{} (k_a + k_b)", "{} k_a", "-{} (k_b + k_a)")
    return f'q = "{forms[number % 4].format(20 + number)}"\n'


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "class")
        folder.mkdir()
        for number in range(count):
            (folder / f"student{number:04d}.toml").write_text(hand_in(number))
        paths = sorted(folder.iterdir())

        def loop() -> None:
            for path in paths:
                regard.check(PROBLEM, path)

        def graded(workers: int) -> Callable[[], object]:
            def run() -> object:
                with tempfile.TemporaryDirectory() as out:
                    return grade(PROBLEM, folder, out, workers=workers)

            return run

        regard.check(PROBLEM, paths[0])  # loads what is loaded once
        sides = {"a bare loop": loop, "1 worker": graded(1), "2 workers": graded(2)}
        rounds = []
        for _ in range(ROUNDS):
            times = {}
            for name, side in sides.items():
                started = time.perf_counter()
                side()
                times[name] = time.perf_counter() - started
            rounds.append(times)
    print(f"{count} hand-ins to {PROBLEM}, as fast as a bare loop over regard.check:")
    for name in sides:
        ratio = statistics.median(times["a bare loop"] / times[name] for times in rounds)
        print(f"  {name:<12}{ratio:>6.2f}")
    gain = statistics.median(times["1 worker"] / times["2 workers"] for times in rounds)
    mark = "" if gain >= WANTED else " !"
    print(f"2 workers are {gain:.2f} times as fast as 1 (wanted {WANTED}){mark}")


if __name__ == "__main__":
    main()
