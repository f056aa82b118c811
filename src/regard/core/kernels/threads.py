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
            while not failures:
                with turn:
                    task = next(waiting)
                work(task)
        except StopIteration:
            pass
        except BaseException as failure:
            failures.append(failure)

    with _one_blas_thread():
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
_calls_inside = 0
_threads_before: list[int] = []


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread while any call is inside; the last one out restores it.

    The setting belongs to the whole process, so calls from several Python
    threads have to count each other: each restoring what it found would leave
    BLAS on one thread for good.
    """
    global _calls_inside
    libraries = blas_libraries()
    with _guard:
        if _calls_inside == 0:
            _threads_before[:] = [library.num_threads for library in libraries]
            for library in libraries:
                library.set_num_threads(1)
        _calls_inside += 1
    try:
        yield
    finally:
        with _guard:
            _calls_inside -= 1
            if _calls_inside == 0:
                for library, threads in zip(libraries, _threads_before, strict=True):
                    library.set_num_threads(threads)
