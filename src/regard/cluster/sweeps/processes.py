"""Worker processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from regard.cluster.sweeps.cells import Outcome, run_batch
from regard.cluster.sweeps.engines import Answer
from regard.cluster.sweeps.settings import Cell
from regard.core.kernels.threads import available

__all__ = ["Processes"]

Batch = Sequence[Cell]


class Processes:
    """Runs batches in processes of this machine, and replaces all of them where one ends."""

    def __init__(
        self, function: Callable[..., Any], seed: int, workers: int, memory: int | None
    ) -> None:
        """Take the function, the seed, how many processes, and how much memory a cell may take."""
        self.slots, self.tries = 2 * workers, 2  # once may be somebody else's doing
        self._workers = workers
        # A forked process has the function already. But only where nothing else runs can a process
        # be forked safely: threads of others may hold locks that nobody in the child lets go.
        forked = sys.platform == "linux" and threading.active_count() == 1
        self._method = "fork" if forked else "spawn"
        threads = max(1, available() // workers)
        work = (function, seed) if forked else _packed(function, seed)
        self._arguments = (work, threads, memory, os.getpid())
        self._running: dict[Future[Any], Batch] = {}
        self._start()

    def _start(self) -> None:
        before = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(
            self._workers,
            multiprocessing.get_context(self._method),
            initializer=_begin,
            initargs=self._arguments,
        )
        self._before = before

    def submit(self, cells: Batch) -> None:
        """Hand a batch to a process."""
        try:
            future = self._pool.submit(_work, cells)
        except BrokenProcessPool:  # which is noticed here before the batches that it lost are
            self._lose()
            future = self._pool.submit(_work, cells)
        self._running[future] = cells

    def _lose(self) -> None:
        """Begin anew with other processes; what was running comes back as lost."""
        self._pool.shutdown(wait=True)
        self._start()

    def wait(self) -> Answer:
        """Return the next batch that is done."""
        done = next(iter(wait(self._running, return_when=FIRST_COMPLETED).done))
        cells = self._running.pop(done)
        try:
            return Answer(cells, *done.result())
        except BrokenProcessPool:
            if not any(future.running() for future in self._running):
                self._lose()
            return Answer(cells, None)

    def close(self) -> None:
        """Stop the processes."""
        if self._running:  # without waiting for what they are at
            for child in set(multiprocessing.active_children()) - self._before:
                child.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _packed(function: Callable[..., Any], seed: int) -> bytes:
    """Pickle the function; where cloudpickle is there, functions of scripts and notebooks too."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps((function, seed))
    packed: bytes = cloudpickle.dumps((function, seed))
    return packed


_here: tuple[Callable[..., Any], int]  # of this process: what it runs


def _begin(work: Any, threads: int, memory: int | None, parent: int) -> None:
    """Set up a worker process."""
    global _here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started all this
    os.environ["REGARD_THREADS"] = str(threads)
    _here = pickle.loads(work) if isinstance(work, bytes) else work
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if memory is not None:
        _limit(memory)


def _work(cells: Batch) -> tuple[list[Outcome], float]:
    return run_batch(*_here, cells)


def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, which may have been killed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _limit(memory: int) -> None:
    """Let this process have so many bytes more than it has; beyond that allocations fail."""
    with suppress(ImportError, OSError, ValueError):  # where the system has no such limits
        import resource

        with open("/proc/self/status") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
        held = int(lines["VmData"].split()[0]) * 1024
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (held + memory, hard))
