"""Peak memory of each side, row by row of the table in attention.py: MiB beyond arrays and result.

Each number comes from a process of its own, on Linux: how far the peak rises in the first call,
after one on a small problem, over what is there before it. JAX compiles in that call, which counts.
The largest error against float64 stands below each.

    python bench/memory.py          all rows
    python bench/memory.py 0 3      some of them
"""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
from attention import WANTED
from rich.console import Console
from rich.table import Table
from sides import SIDES, Case


def kilobytes(what: str) -> int:
    with open("/proc/self/status") as status:
        return int(re.search(what + r":\s+(\d+)", status.read())[1])


def alone(number: int, name: str) -> None:
    """Print the extra memory and the error of one side; run in a process of its own."""
    sizes, kinds, _ = WANTED[number]
    small = SIDES[name](Case(1, 1, 16, 16, sizes[-1], **kinds))
    case = Case(*sizes, **kinds)
    run = SIDES[name](case)
    if run is None or small is None:
        return
    small()  # loads all it needs
    with open("/proc/self/clear_refs", "w") as peak:  # forget the peak so far
        peak.write("5")
    before = kilobytes("VmRSS")
    result = run()
    extra = (kilobytes("VmHWM") - before) / 1024 - result.nbytes / 2**20
    error = float(np.max(np.abs(result[:1, :1] - case.exact())))
    print(f"{max(extra, 0.0):.1f} {error:.1e}")


def main() -> None:
    chosen = [int(word) for word in sys.argv[1:]] or range(len(WANTED))
    table = Table(title="MiB beyond arrays and result, and largest error against float64")
    table.add_column("batch, heads, n_q, n_k, d", no_wrap=True)
    for name in SIDES:
        table.add_column(name, justify="right")
    for number in chosen:
        sizes, kinds, _ = WANTED[number]
        row = [str(Case(*sizes, **kinds))]
        for name in SIDES:
            program = f"import memory; memory.alone({number}, {name!r})"
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", program],
                capture_output=True, text=True, check=True, cwd=sys.path[0],
            )  # fmt: skip
            row.append(done.stdout.strip().replace(" ", "\n"))
        table.add_row(*row)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
