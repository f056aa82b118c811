"""Share tiles among threads, and keep BLAS from starting threads of its own.

Each tile is computed by one thread with BLAS held to one thread: a result then
depends on the tiles alone and not on how many threads took part. Threads are
started for each call and end with it, so there is nothing to lose in a fork and
nothing to shut down. The kernel in C has threads of its own for attention.
"""

from __future__ import annotations

import _thread
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


def in_threads(work: Callable[[Callable[[], bool]], None], threads: int) -> None:
    """Call `work` in several threads at once, this one among them, and wait for all.

    `work` is given a function that says whether to go on. The first exception in any
    thread, KeyboardInterrupt included, makes it say no, and is raised in the end.
    """
    failures: list[BaseException] = []

    def go_on() -> bool:
        return not failures

    def guarded() -> None:
        try:
            work(go_on)
        except BaseException as failure:
            failures.append(failure)

    def run(finished: _thread.LockType) -> None:
        guarded()
        finished.release()

    # Not threading.Thread: its start() waits for the new thread, and a call that takes a
    # millisecond notices. This one begins its own share at once.
    others = []
    for _ in range(threads - 1):
        finished = _thread.allocate_lock()
        finished.acquire()
        try:
            _thread.start_new_thread(run, (finished,))
        except RuntimeError:  # there is no room for another thread: those that there are do it
            break
        others.append(finished)
    guarded()
    for finished in others:
        while finished.locked():
            try:
                finished.acquire()
            except BaseException as failure:  # an interrupt while waiting stops the others too
                failures.append(failure)
            else:
                break
    if failures:
        raise failures[0]


def for_each(tasks: Iterable[Task], work: Callable[[Task], None], threads: int) -> None:
    """Call `work` on every task, in up to `threads` threads that take the next one when free.

    BLAS is held to one thread meanwhile.
    """
    waiting = iter(tasks)
    turn = threading.Lock()

    def take_turns(go_on: Callable[[], bool]) -> None:
        with _one_blas_thread_here():
            while go_on():
                with turn:
                    task = next(waiting, None)
                if task is None:
                    return
                work(task)

    with one_blas_thread():
        in_threads(take_turns, threads)


@cache
def blas_libraries() -> list[Any]:
    """Return threadpoolctl's handles of the BLAS libraries that are loaded."""
    from threadpoolctl import ThreadpoolController  # searching for libraries takes milliseconds

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_guard = threading.Lock()
_calls_inside = 0
_counts_before: list[int] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread while any call is inside; the last one out restores it.

    The setting belongs to the whole process, so calls from several Python threads have
    to count each other: each restoring what it found could leave BLAS on one thread for
    good.
    """
    global _calls_inside
    libraries = [one for one in blas_libraries() if not _set_per_thread(one)]
    with _guard:
        if _calls_inside == 0:
            _counts_before[:] = _set(libraries, [1] * len(libraries))
        _calls_inside += 1
    try:
        yield
    finally:
        with _guard:
            _calls_inside -= 1
            if _calls_inside == 0:
                _set(libraries, _counts_before)


@contextmanager
def _one_blas_thread_here() -> Iterator[None]:
    """Do the same for a BLAS on OpenMP, which has a setting per thread."""
    libraries = [one for one in blas_libraries() if _set_per_thread(one)]
    before = _set(libraries, [1] * len(libraries))
    try:
        yield
    finally:
        _set(libraries, before)


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
