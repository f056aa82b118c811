"""The query of widest margin against general solvers, on six families of keys.

The problem, the same for all: min ½‖w‖² subject to (k_j − k_i)·w ≥ 1 for every other key i, whose
solution has the margin 1/‖w‖. regard's time is that of the whole `design.query`: margin, smallest
scale, from there the shortest query, measured error and certificate, or the proof that there is no
such query. The solvers' times are for the quadratic program alone.

    python bench/design.py          all sizes
    python bench/design.py 10000    one of them
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable

import clarabel
import cvxpy
import numpy as np
import scipy.sparse

import regard

WIDTH = 64
TARGET = 3
WANTED = {10_000: 5.0, 100_000: 50.0}


def unit(rng: np.random.Generator, n: int) -> np.ndarray:
    keys = rng.standard_normal((n, WIDTH))
    return keys / np.linalg.norm(keys, axis=1, keepdims=True)


def gaussian(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal((n, WIDTH))


def short_target(rng: np.random.Generator, n: int) -> np.ndarray:
    keys = rng.standard_normal((n, WIDTH))
    keys[TARGET] *= 0.5
    return keys


def clustered(rng: np.random.Generator, n: int) -> np.ndarray:
    centres = 3 * rng.standard_normal((20, WIDTH))
    return centres[rng.integers(0, 20, n)] + 0.1 * rng.standard_normal((n, WIDTH))


def integer(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(-3, 4, (n, WIDTH)).astype(float)


def infeasible(rng: np.random.Generator, n: int) -> np.ndarray:
    keys = rng.standard_normal((n, WIDTH))
    keys[TARGET] = np.mean(keys[100:300], axis=0)
    return keys


FAMILIES = (unit, gaussian, short_target, clustered, integer, infeasible)


def by_regard(keys: np.ndarray) -> float:
    try:
        return regard.design.query(keys, TARGET).margin
    except regard.InfeasibleDesign:
        return 0.0


def by_cvxpy(keys: np.ndarray) -> float:
    rows = np.delete(keys[TARGET] - keys, TARGET, axis=0)
    w = cvxpy.Variable(WIDTH)
    problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w)), [rows @ w >= 1])
    problem.solve(solver=cvxpy.CLARABEL)
    return 0.0 if w.value is None else 1 / float(np.linalg.norm(w.value))


def by_clarabel(keys: np.ndarray) -> float:
    rows = np.delete(keys[TARGET] - keys, TARGET, axis=0)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        scipy.sparse.identity(WIDTH, format="csc"),
        np.zeros(WIDTH),
        scipy.sparse.csc_matrix(-rows),
        -np.ones(len(rows)),
        [clarabel.NonnegativeConeT(len(rows))],
        settings,
    )
    solution = solver.solve()
    solved = "Solved" in str(solution.status)
    return 1 / float(np.linalg.norm(solution.x)) if solved else 0.0


def timed(
    solve: Callable[[np.ndarray], float], keys: np.ndarray, times: int
) -> tuple[float, float]:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        margin = solve(keys)
        best = min(best, time.perf_counter() - start)
        time.sleep(0.05)  # threads of BLAS spin for a while after a call
    return best, margin


def compare(n: int, name: str, solve: Callable[[np.ndarray], float], times: int) -> None:
    print(f"\nn = {n}, d = {WIDTH}, against {name} (wanted: {WANTED[n]:g})")
    print(f"{'keys':14}{'ratio':>8}{'margin':>12}{'differs by':>12}")
    for family in FAMILIES:
        keys = family(np.random.default_rng(0), n)
        ours, margin = timed(by_regard, keys, 5)
        theirs, other = timed(solve, keys, times)
        apart = abs(margin - other) / max(margin, other, 1e-300) if margin or other else 0.0
        ratio = theirs / ours
        mark = " " if ratio >= WANTED[n] and apart <= 1e-6 else "!"
        label = family.__name__.replace("_", " ")
        print(f"{label:14}{ratio:8.1f}{margin:12.6f}{apart:12.1e} {mark}", flush=True)


def kilobytes(what: str) -> int:
    with open("/proc/self/status") as status:
        return int(re.search(what + r":\s+(\d+)", status.read())[1])


def largest(n: int = 1_000_000) -> None:
    print(f"\nn = {n}, d = {WIDTH}: memory beyond the keys, as a share of their size, and the time")
    print("as a multiple of one product of the keys with a vector")
    print(f"{'keys':14}{'memory':>8}{'time':>8}")
    for family in FAMILIES:
        keys = family(np.random.default_rng(0), n)
        product, _ = timed(lambda k: float((k @ k[0])[0]), keys, 5)
        with open("/proc/self/clear_refs", "w") as peak:  # forget the peak so far
            peak.write("5")
        before = kilobytes("VmRSS")
        seconds, _ = timed(by_regard, keys, 1)
        extra = (kilobytes("VmHWM") - before) * 1024 / keys.nbytes
        label = family.__name__.replace("_", " ")
        print(
            f"{label:14}{extra:8.2f}{seconds / product:8.1f} {' ' if extra < 1 else '!'}",
            flush=True,
        )
        del keys


if __name__ == "__main__":
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    if 10_000 in sizes:
        compare(10_000, "cvxpy with Clarabel", by_cvxpy, 2)
    if 100_000 in sizes:
        compare(100_000, "Clarabel on the whole problem", by_clarabel, 1)
    if 1_000_000 in sizes:
        largest()
