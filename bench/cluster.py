"""Sweeps and key stores: what a cell costs, two workers against one, attention against reading.

    python bench/cluster.py            all of it; needs Dask, and 6 GB of disk
    python bench/cluster.py sweep      what a cell costs, and two workers against one
    python bench/cluster.py attention  attention over a store against reading it from end to end
    python bench/cluster.py attention 1000000    the same with so many keys of width 64

Ratios are between things timed in one run. Discard runs in which something else used the machine:
two workers need two cores of their own.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from regard.cluster import attention, sweep

CELLS = 10_000
TASKS = 2_000
WORKING = 0.0005  # seconds of work in a cell, where growth is measured
ROUNDS = 3
WIDTH = 64
QUERIES = 4
BLOCK = 32 * 2**20


def nothing(i: int) -> int:
    return i


def draws(i: int, rng: np.random.Generator) -> float:
    return float(rng.random())


def works(i: int, seconds: float) -> float:
    """Keep a core busy for so much of its own time."""
    end = time.thread_time() + seconds
    x = 1.0
    while time.thread_time() < end:
        x = (x * 1.000001) % 7.0
    return x


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def cost_of_cells() -> None:
    print(f"what a cell of a sweep of {CELLS} costs beside its own work (2 ms are allowed):")
    grid = {"i": range(CELLS)}
    for name, function in (("returns a number", nothing), ("draws a number", draws)):
        with tempfile.TemporaryDirectory() as folder:
            # Workers are started first; what is measured is what grows with the cells.
            few = timed(lambda f=function: sweep(f, {"i": range(4)}, workers=2))
            alone = timed(lambda f=function: sweep(f, grid, workers=2))
            kept = timed(lambda f=function: sweep(f, grid, workers=2, checkpoint=f"{folder}/kept"))
        print(
            f"  {name}: {1e3 * (alone - few) / CELLS:.3f} ms, with a checkpoint "
            f"{1e3 * (kept - few) / CELLS:.3f} ms"
        )


def one_by_one(client: Any) -> None:
    """What a cell would cost if each were a task."""
    client.gather([client.submit(nothing, i, pure=False) for i in range(TASKS)])


def growth() -> None:
    cells = 4_000
    grid = {"i": range(cells), "seconds": WORKING}
    print(f"two workers against one, {cells} cells of {1e3 * WORKING:g} ms (1.7 is wanted):")
    ratios = []
    for _ in range(ROUNDS):
        one, two = (timed(lambda n=n: sweep(works, grid, workers=n)) for n in (1, 2))
        ratios.append(one / two)
    print(f"  processes here: {statistics.median(ratios):.2f} (the median of {ROUNDS} rounds)")
    from distributed import Client, LocalCluster

    ratios, costs, tasks = [], [], []
    for _ in range(ROUNDS):
        seconds = {}
        for n in (1, 2):
            with (
                LocalCluster(n, threads_per_worker=1, dashboard_address=None) as local,
                Client(local) as client,
            ):
                sweep(works, {"i": range(64), "seconds": 0.0}, cluster=client)  # loads regard there
                seconds[n] = timed(lambda c=client: sweep(works, grid, cluster=c))
                if n == 2:
                    empty = timed(lambda c=client: sweep(nothing, {"i": range(CELLS)}, cluster=c))
                    costs.append(1e3 * empty / CELLS)
                    tasks.append(1e3 * timed(lambda c=client: one_by_one(c)) / TASKS)
        ratios.append(seconds[1] / seconds[2])
    print(f"  workers of Dask: {statistics.median(ratios):.2f}")
    print(f"  a cell that returns a number, two workers of Dask: {min(costs):.3f} ms")
    print(f"  a task of Dask, each submitted and gathered by itself: {min(tasks):.3f} ms")


def kilobytes(what: str) -> int:
    with open("/proc/self/status") as status:
        return int(re.search(what + r":\s+(\d+)", status.read())[1])


def write_store(folder: Path, n: int) -> list[Path]:
    paths = [folder / "key.npy", folder / "value.npy"]
    rng = np.random.default_rng(0)
    for path in paths:
        file = np.lib.format.open_memmap(path, "w+", np.float32, (n, WIDTH))
        for start in range(0, n, 10**6):
            stop = min(start + 10**6, n)
            file[start:stop] = rng.standard_normal((stop - start, WIDTH), dtype=np.float32)
        file.flush()
        del file
    return paths


def read_through(paths: list[Path]) -> None:
    memory = bytearray(BLOCK)
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(memory):
                pass


def over_a_store(n: int) -> None:
    query = np.random.default_rng(1).standard_normal((QUERIES, WIDTH)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_store(Path(folder), n)
        size = sum(path.stat().st_size for path in paths)
        attention(query, query, query)  # loads what it needs
        read_through(paths)
        ratios, peak = [], 0.0
        for _ in range(ROUNDS):
            reading = timed(lambda: read_through(paths))
            with open("/proc/self/clear_refs", "w") as forget:
                forget.write("5")
            before = kilobytes("VmRSS")
            attending = timed(lambda: attention(query, *paths, memory="512MiB", progress=False))
            peak = max(peak, (kilobytes("VmHWM") - before) / 1024)
            ratios.append(reading / attending)
        print(
            f"attention of {QUERIES} queries over {n} keys of width {WIDTH}, {size / 1e9:.2f} GB:"
        )
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(
            f"  its speed as a share of reading the files from end to end (0.8 is wanted): {each}"
        )
        print(f"  memory beyond what was there, 512 MiB allowed: {peak:.0f} MiB")


def main() -> None:
    which, n = (sys.argv[1:2] or ["all"])[0], int((sys.argv[2:3] or [10**7])[0])
    if which in ("all", "sweep"):
        cost_of_cells()
        growth()
    if which in ("all", "attention"):
        over_a_store(n)


if __name__ == "__main__":
    main()
