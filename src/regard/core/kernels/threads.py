"""Share tiles among threads, and keep BLAS from starting threads of its own.

Each tile is computed by one thread with BLAS held to one thread: a result then
depends on the tiles alone and not on how many threads took part. Threads are
started for each call and end with it, so there is nothing to lose in a fork and
nothing to shut down.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from regard.errors import ParameterError
from regard.shapes import integer

Task = TypeVar("Task")


def available() -> int:
    """Return the number of threads to use: REGARD_THREADS, or the cores this process may use."""
    wanted = os.environ.get("REGARD_THREADS", "").strip()
    if not wanted:
        if hasattr(os, "sched_getaffinity"):  # knows of taskset and containers
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    try:
        return integer("regard", "REGARD_THREADS", int(wanted), minimum=1)
    except ValueError:
        raise ParameterError(
            f"regard: the environment variable REGARD_THREADS must be a whole number ≥ 1. "
            f"Got {wanted!r}."
        ) from None


def run(tasks: Iterable[Task], work: Callable[[Task], None], threads: int) -> None:
    """Call `work` on every task, in up to `threads` threads that take the next one when free.

    The first exception, KeyboardInterrupt included, stops all threads at their
    next task and is raised.
    """
    waiting = iter(tasks)
    turn = threading.Lock()
    failures: list[BaseException] = []

    def take_turns() -> None:
        try:
            with _one_blas_thread():
                while not failures:
                    with turn:
                        task = next(waiting)
                    work(task)
        except StopIteration:
            pass
        except BaseException as failure:
            failures.append(failure)

    others = [threading.Thread(target=take_turns, daemon=True) for _ in range(threads - 1)]
    for thread in others:
        thread.start()
    take_turns()
    for thread in others:
        thread.join()
    if failures:
        raise failures[0]


@cache
def blas_libraries() -> list[Any]:
    """Return threadpoolctl's handles of the BLAS libraries that are loaded."""
    from threadpoolctl import ThreadpoolController  # searching for libraries takes milliseconds

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_guard = threading.Lock()
_threads_inside = 0
_counts_before: list[int] = []


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread while any thread is inside; the last one out restores it.

    Most BLAS libraries have one setting for the whole process, so threads have to
    count each other: each restoring what it found could leave BLAS on one thread for
    good. A BLAS on OpenMP has a setting per thread, which each thread sees to itself.
    """
    global _threads_inside
    shared = [one for one in blas_libraries() if not _set_per_thread(one)]
    own = [one for one in blas_libraries() if _set_per_thread(one)]
    with _guard:
        if _threads_inside == 0:
            _counts_before[:] = _set(shared, [1] * len(shared))
        _threads_inside += 1
    own_before = _set(own, [1] * len(own))
    try:
        yield
    finally:
        _set(own, own_before)
        with _guard:
            _threads_inside -= 1
            if _threads_inside == 0:
                _set(shared, _counts_before)


def _set_per_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", "") == "openmp"


def _set(libraries: list[Any], counts: list[int]) -> list[int]:
    """Set the number of threads of each library, and return what it was."""
    before = [library.num_threads for library in libraries]
    for library, count in zip(libraries, counts, strict=True):
        # threadpoolctl lets one thread at a time set OpenBLAS, and ignores the others in
        # silence. Here the counting sees to the order, so whoever holds it lets go.
        release = getattr(library, "clear_controlling_thread", lambda **_: None)
        release(force=True)
        library.set_num_threads(count)
        release(force=True)
    return before
