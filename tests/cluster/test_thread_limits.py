"""Cells have one thread each, also in libraries that they load themselves."""

from __future__ import annotations

import os

import pytest

from cluster import cell_functions
from cluster.processes import run
from regard.cluster import sweep
from regard.cluster.thread_limits import hold_threads, threads_of_a_worker

# A library of BLAS that is loaded by a cell, after this and regard are: that of SciPy.
LOADING = """
import sys
from threadpoolctl import threadpool_info
from cluster import cell_functions
from regard.cluster import sweep

def threads():
    return sorted(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

cells = int(sys.argv[2])
before = threads()
table = sweep(cell_functions.count_threads, {"i": range(cells)}, workers=int(sys.argv[1]))
print(set(table.column("scipy_before")), set(table.column("most")), set(table.column("regard")))
if sys.argv[1] == "0":
    print(threads() == [before[0]] * len(threads()), len(threads()) > len(before))
"""


@pytest.mark.parametrize(("workers", "cells", "regard"), [(1, 2, "1"), (2, 1, "2")])
def test_blas_has_one_thread_in_a_worker_whenever_it_is_loaded(
    workers: int, cells: int, regard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REGARD_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(2), raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")  # as if somebody wanted more
    table = sweep(cell_functions.count_threads, {"i": range(cells)}, workers=workers)
    assert not table.column("scipy_before")[0]
    assert set(table.column("most")) == {1}
    assert set(table.column("regard")) == {regard}


def test_blas_that_a_cell_loads_into_this_process_is_held_and_let_go() -> None:
    done = run(LOADING, 0, 3)
    assert done.returncode == 0, done.stderr
    seen, after = done.stdout.splitlines()
    assert seen.startswith("{False, True} {1} ")
    assert after == "True True"


def test_the_threads_of_all_workers_together_are_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REGARD_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(8), raising=False)
    assert [threads_of_a_worker(*x) for x in ((1, 1), (8, 8), (8, 3), (5, 2), (99, 1))] == [
        1, 1, 2, 2, 8,
    ]  # fmt: skip
    monkeypatch.setenv("REGARD_THREADS", "6")  # its owner says it
    assert [threads_of_a_worker(*x) for x in ((1, 1), (2, 2), (9, 9))] == [6, 3, 1]


def test_a_process_of_a_cluster_keeps_what_its_owner_has_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("REGARD_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"):
        monkeypatch.setenv(name, "3")
    monkeypatch.setenv("REGARD_THREADS", "5")
    hold_threads()
    assert os.environ["REGARD_THREADS"] == "5"
    assert os.environ["NUMEXPR_NUM_THREADS"] == "3"
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
    assert {os.environ.pop(name) for name in names} == {"1"}
