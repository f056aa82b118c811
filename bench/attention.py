"""Compare the speed of `regard.attention` with that of its peers, in one run.

See bench/README.md for how to read the table, and when to discard it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sides import SIDES, Case

from regard.core import kernels
from regard.core.kernels import threads

ROUNDS, SECONDS = 12, 14.0  # at least so many rounds; more while they take less than this
SLOW = 3  # sides that take so many times as long as regard have a turn in every fourth round
# Threads of other libraries keep a core busy for a while after they are done, waiting for more:
# OpenBLAS for more than a tenth of a second. Without a pause the side that comes next would pay
# for it. After the pause cores take milliseconds to wake up, so a side has its
# turn for longer than one short call.
PAUSE, TURN = 0.15, 0.16

# Each with the ratio to torch that the kernel in C is built to reach.
WANTED = [
    ((1, 8, 512, 512, 64), {}, 1.15),
    ((1, 8, 2048, 2048, 64), {}, 1.15),
    ((1, 8, 4096, 4096, 64), {}, 1.15),
    ((4, 12, 128, 128, 64), {}, 1.2),
    ((1, 1, 8192, 8192, 128), {}, 1.05),
    ((1, 8, 2048, 2048, 16), {}, 1.4),
    ((1, 8, 2048, 2048, 64), {"is_causal": True}, 1.3),
    ((1, 8, 4096, 4096, 64), {"is_causal": True}, 1.3),
    ((1, 8, 1, 65536, 64), {}, 1.1),
    ((1, 1, 1, 65536, 64), {}, 1.4),
    ((20000, 1, 8, 8, 16), {}, 4.0),
    ((100000, 1, 1, 8, 16), {}, 2.5),
    ((1, 8, 2048, 2048, 64), {"dtype": "float64"}, 1.25),
    ((1, 8, 2048, 2048, 64), {"masked": True}, 1.3),
    ((1, 8, 2048, 2048, 64), {"weights": True}, 1.15),
    ((1, 8, 512, 512, 64), {"weights": True}, 0.9),
    ((1, 1, 16, 16, 64), {}, 0.8),
    ((1, 12, 64, 64, 64), {}, 1.0),
    ((1, 8, 128, 128, 64), {}, 1.0),
    ((1, 1, 512, 512, 64), {}, 1.0),
    ((1, 8, 1, 1024, 64), {}, 1.0),
    ((1, 8, 1, 128, 64), {}, 1.0),
    ((1, 8, 4096, 4096, 64), {"window": 256}, 4.0),
    ((1, 8, 2048, 2048, 64), {"is_causal": True, "kv_heads": 2}, 1.3),
    ((8, 8, 512, 512, 64), {"ragged": True}, 1.3),
]


def compare(runs: list[Callable[[], Any]]) -> list[float]:
    """Return the time of each side as a multiple of the first one's, the median over rounds.

    In a round each side has a turn and its fastest call counts; a round in which something
    else used the machine during one turn and not another is outvoted by the others.
    """
    rounds: list[list[float]] = []
    for run in runs:
        run()  # compile, allocate, warm up
    begun = time.perf_counter()
    while len(rounds) < ROUNDS or time.perf_counter() - begun < SECONDS:
        best = [float("nan")] * len(runs)
        for i, run in enumerate(runs):
            if len(rounds) % 4 and rounds[0][i] > SLOW * rounds[0][0]:
                continue
            time.sleep(PAUSE)
            until = time.perf_counter() + TURN
            while (start := time.perf_counter()) < until:
                run()
                best[i] = float(np.fmin(best[i], time.perf_counter() - start))
        rounds.append(best)
    table = np.array(rounds)
    return [float(ratio) for ratio in np.nanmedian(table / table[:, :1], axis=0)]


def measure(case: Case, square: Any) -> tuple[dict[str, float], dict[str, float], float]:
    """Return ratio and largest error of each side, and regard's share of a matrix product."""
    runs = {name: run for name, make in SIDES.items() if (run := make(case)) is not None}
    exact = case.exact()
    errors = {name: float(np.abs(run()[:1, :1] - exact).max()) for name, run in runs.items()}
    *ratios, product = compare([*runs.values(), lambda: square @ square])
    share = case.flops / (2 * len(square) ** 3) * product
    return dict(zip(runs, ratios, strict=True)), errors, share


def main() -> None:
    wanted = sys.argv[1:]
    console = Console(width=120)
    others = [name for name in SIDES if name != "regard"]
    table = Table(title=f"time of the other / time of regard ({kernels.chosen()} kernel, "
                  f"{threads.available()} threads)")  # fmt: skip
    table.add_column("batch, heads, n_q, n_k, d", no_wrap=True)
    for name in (*others, "wanted", "of gemm", "error", *(f"{name}'s" for name in others[:1])):
        table.add_column(name, justify="right")
    below = 0
    squares = {dtype: np.random.default_rng(1).random((2048, 2048)).astype(dtype)
               for dtype in ("float32", "float64")}  # fmt: skip
    for number, (sizes, kinds, ratio) in enumerate(WANTED):
        if wanted and str(number) not in wanted:
            continue
        case = Case(*sizes, **kinds)
        ratios, errors, share = measure(case, squares[case.dtype])
        below += ratios["torch"] < ratio
        table.add_row(
            str(case),
            *(f"{ratios[name]:.2f}" if name in ratios else "" for name in others),
            f"{ratio:.2f}" + ("" if ratios["torch"] >= ratio else " !"),
            f"{share:.0%}",
            f"{errors['regard']:.1e}",
            f"{errors['torch']:.1e}",
        )
    console.print(table)
    console.print(f"{below} rows below what is wanted of torch's time" if below else "all reached")


if __name__ == "__main__":
    main()
