"""The exact range of an output against relaxations of it: how much wider these are, and the time.

Scores within ± a half-width of those of random keys. "interval" bounds every weight by itself,
"linear" is a relaxation in the manner of auto_LiRPA; both are written out in
`tests/analysis/relaxations.py`. Widths are relative to the exact one, which is attained: 1 is best.
Times are relative to one product of the keys with a query.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "analysis"))
from relaxations import interval_bounds, linear_bounds

from regard.analysis import worst_case
from regard.certify import verify

WIDTH = 64
REPEATS = 5


def fastest(call: Callable[[], object]) -> float:
    """Return the shortest of a few times."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{'keys':>6}{'±':>8}{'interval':>10}{'linear':>10}{'verified':>10}{'time':>8}")
    for n in (16, 256, 1024):
        keys = rng.standard_normal((n, WIDTH))
        query = rng.standard_normal(WIDTH) / np.sqrt(WIDTH)
        values = rng.standard_normal(n)
        product = fastest(lambda keys=keys, query=query: keys @ query)
        for half in (0.01, 0.1, 1.0):
            radius = half / float(np.linalg.norm(query))
            worst = worst_case(query, keys, values, radius=radius)
            exact = worst.upper - worst.lower
            scores = keys @ query
            widths = []
            for relaxed in (interval_bounds, linear_bounds):
                low, high = relaxed(values, scores - half, scores + half)
                widths.append((high - low) / exact)
            seconds = fastest(
                lambda k=keys, q=query, v=values, r=radius: worst_case(q, k, v, radius=r)
            )
            held = "yes" if verify(worst.certificate).holds else "NO"
            print(
                f"{n:>6}{half:>8}{widths[0]:>10.2f}{widths[1]:>10.2f}{held:>10}"
                f"{seconds / product:>8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
