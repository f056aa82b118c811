"""Sweeps and key stores: what a cell costs, two workers against one, attention against reading.

    python bench/cluster.py            all of it; needs Dask, and 6 GB of disk
    python bench/cluster.py sweep      what a cell costs, and two workers against one
    python bench/cluster.py attention  attention over a store against reading it from end to end,
                                       from the disk and from what the system keeps in memory
    python bench/cluster.py attention 1000000    the same with so many keys of width 64

Ratios are between things timed in one run. Two workers need two cores of their own: runs in which
they had to wait for one are done again, and where there are no others, that is said (cores.py).
"""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import cores
import numpy as np

from regard.cluster import attention, sweep

CELLS = 10_000
TASKS = 2_000
WORKING = 0.0005  # seconds of work in a cell, where growth is measured
SYSTEMS = 1_000
ROUNDS = 3
WAITING = 0.002
WIDTH = 64
QUERIES = (1, 4, 16, 64)
SLICE = 200_000
BLOCK = 32 * 2**20


def nothing(i: int) -> int:
    return i


def draws(i: int, rng: np.random.Generator) -> float:
    return float(rng.random())


def works(i: int, loops: int) -> float:
    """Keep a core busy."""
    x = 1.0
    for _ in range(loops):
        x = (x * 1.000001) % 7.0
    return x


def waits(i: int, seconds: float) -> int:
    """Take time and no core, as a cell on another machine would: what is lost is the engine's."""
    time.sleep(seconds)
    return i


def solves(i: int, size: int, rng: np.random.Generator) -> float:
    """Keep a core busy in a library that would use all of them."""
    from scipy.linalg import solve

    matrix = rng.standard_normal((size, size)) + size * np.eye(size)
    return float(solve(matrix, np.ones(size)).sum())


def loops_for(seconds: float) -> int:
    """Return how many loops take so long when nothing else runs."""
    best = min(timed(lambda: works(0, 10_000)) for _ in range(50))
    return round(10_000 * seconds / best)


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def cost_of_cells() -> None:
    print(f"what a cell of a sweep of {CELLS} costs beside its own work (2 ms are allowed):")
    grid = {"i": range(CELLS)}
    for name, function in (("returns a number", nothing), ("draws a number", draws)):
        # Processes are started in each; what is counted is what grows with the cells.
        found = fastest(
            {
                "few": lambda f=function: sweep(f, {"i": range(4)}, workers=2),
                "many": lambda f=function: sweep(f, grid, workers=2),
                "kept": lambda f=function: with_checkpoint(f, grid),
            }
        )
        plain, kept = (1e3 * (found[x] - found["few"]) / CELLS for x in ("many", "kept"))
        print(f"  {name}: {plain:.3f} ms, with a checkpoint {kept:.3f} ms")


def with_checkpoint(function: Callable[..., object], grid: dict[str, range]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sweep(function, grid, workers=2, checkpoint=f"{folder}/kept")


def one_by_one(client: Any) -> None:
    """What a cell would cost if each were a task."""
    client.gather([client.submit(nothing, i, pure=False) for i in range(TASKS)])


def fastest(
    runs: dict[Any, Callable[[], object]], before: Callable[[], object] = lambda: None
) -> dict[Any, float]:
    """Time each in turns; the fastest of each counts, which something else disturbed least."""
    found = dict.fromkeys(runs, math.inf)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            before()
            found[name] = min(found[name], timed(run))
    return found


def growth() -> None:
    from distributed import Client, LocalCluster

    loops = loops_for(WORKING)
    cases: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
        f"cells that wait {1e3 * WAITING:g} ms and need no core": (
            waits,
            {"i": range(CELLS // 4), "seconds": WAITING},
        ),
        f"cells that keep a core busy for {1e3 * WORKING:g} ms": (
            works,
            {"i": range(CELLS), "loops": loops},
        ),
        "cells that solve linear systems, by SciPy": (
            solves,
            {"i": range(SYSTEMS), "size": 400},
        ),
    }
    print("two workers against one (1.7 is wanted):")
    plain = [partial(cores.bare, n, loops * CELLS) for n in (1, 2)]
    print(f"  {cores.growth(*plain)}: processes of Python without regard, busy")
    for name, case in cases.items():
        here = [partial(swept, *case, workers=n) for n in (1, 2)]
        print(f"  {cores.growth(*here)}: processes here, {name}")
    with ExitStack() as stack:
        clients = {}
        for n in (1, 2):
            local = LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address="127.0.0.1:0")
            clients[n] = stack.enter_context(Client(stack.enter_context(local)))
            sweep(works, {"i": range(64), "loops": 0}, cluster=clients[n])  # loads regard there
        for name, case in cases.items():
            there = [partial(swept, *case, cluster=clients[n]) for n in (1, 2)]
            print(f"  {cores.growth(*there)}: workers of Dask, {name}")
        costs = fastest(
            {
                "cell": lambda: sweep(nothing, {"i": range(CELLS)}, cluster=clients[2]),
                "task": lambda: one_by_one(clients[2]),
            }
        )
    print("on two workers of Dask:")
    print(f"  a cell that returns a number: {1e3 * costs['cell'] / CELLS:.3f} ms")
    print(f"  a task by itself, handed out and fetched: {1e3 * costs['task'] / TASKS:.3f} ms")


def swept(
    function: Callable[..., object],
    grid: dict[str, Any],
    workers: int | None = None,
    cluster: Any = None,
) -> cores.Timed:
    """Time a sweep, the start of its processes included where they are of this machine."""

    def run(look: Callable[[], None]) -> None:
        def told(done: int, total: int) -> None:
            if done == total:
                look()

        sweep(function, grid, workers=workers, cluster=cluster, progress=told)

    pids = [*cluster.run(os.getpid).values()] if cluster else []
    return cores.watched(run, lambda: pids or cores.children("sweeps.worker"))


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
    """Read from end to end, into memory that is used again: as fast as these files are read."""
    memory = bytearray(BLOCK)
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(memory):
                pass


def forget(paths: list[Path]) -> None:
    """Have the system drop what it keeps of the files in memory, so that the disk is read."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def over_a_store(n: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_store(Path(folder), n)
        size = sum(path.stat().st_size for path in paths)
        print(f"attention over {n} keys and values of width {WIDTH}, {size / 1e9:.2f} GB:")
        same_on_a_slice(paths, min(n, SLICE))
        queries = np.random.default_rng(1).standard_normal((max(QUERIES), WIDTH), np.float32)
        attention(queries, queries, queries)  # loads what it needs
        peaks: list[float] = []

        def attend(count: int) -> None:
            Path("/proc/self/clear_refs").write_text("5")
            before = kilobytes("VmRSS")
            attention(queries[:count], *paths, memory="512MiB", progress=False)
            peaks.append((kilobytes("VmHWM") - before) / 1024)

        runs: dict[Any, Callable[[], object]] = {0: lambda: read_through(paths)}
        runs |= {count: partial(attend, count) for count in QUERIES}
        print("  speed as a share of reading the files end to end (0.8 is wanted):")
        for name, prepare in (("disk", forget), ("memory", read_through)):
            found = fastest(runs, lambda prepare=prepare: prepare(paths))
            shares = ", ".join(f"{found[0] / found[q]:.2f} for {q}" for q in QUERIES)
            print(f"    from {name}, read at {size / found[0] / 1e9:.2f} GB/s: {shares} queries")
        print(f"  memory beyond what was there, 512 MiB allowed: {max(peaks):.0f} MiB")


def same_on_a_slice(paths: list[Path], count: int) -> None:
    """Compare the first keys with an answer in memory and in float64."""
    query = np.random.default_rng(2).standard_normal((3, WIDTH)).astype(np.float32)
    found = attention(query, *paths, memory="512MiB", key_lengths=count, progress=False)
    key, value = (np.load(path, mmap_mode="r")[:count].astype(np.float64) for path in paths)
    scores = query.astype(np.float64) @ key.T / math.sqrt(WIDTH)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = weights @ value / weights.sum(axis=1, keepdims=True)
    off = float(np.abs(found.output - expected).max())
    print(
        f"  off by {off:.1e} from the answer in memory, on a slice of {count} keys (1e-6 allowed)"
    )


def main() -> None:
    which, n = (sys.argv[1:2] or ["all"])[0], int((sys.argv[2:3] or [10**7])[0])
    if which in ("all", "sweep"):
        cost_of_cells()
        growth()
    if which in ("all", "attention"):
        over_a_store(n)


if __name__ == "__main__":
    main()
