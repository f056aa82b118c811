"""Compare the time that `import regard` takes with that of `import numpy`."""

from __future__ import annotations

import subprocess
import sys
import time

ROUNDS = 15


def seconds(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def main() -> None:
    statements = ("pass", "import numpy", "import regard")
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(ROUNDS):  # taking turns, so that a busy moment hits all of them
        for statement in statements:
            best[statement] = min(best[statement], seconds(statement))
    numpy, regard = (best[s] - best["pass"] for s in statements[1:])
    print(f"import regard / import numpy: {regard / numpy:.2f} (at most 2)")


if __name__ == "__main__":
    main()
