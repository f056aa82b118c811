"""Worker processes on this machine: a pipe each, and one that ends is replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

from regard.cluster.failures import ClusterError
from regard.cluster.sweeps.engines import Answer
from regard.cluster.sweeps.settings import Cell
from regard.cluster.sweeps.worker import READY
from regard.cluster.thread_limits import limited_environment
from regard.errors import ParameterError

__all__ = ["Processes"]

Batch = Sequence[Cell]
_PROGRAM = """
import sys
descriptor, parent, *sys.path = sys.argv[1:]
from regard.cluster.sweeps.worker import work
work(int(descriptor), int(parent))
"""
_GRACE = 5.0  # seconds that an idle process has to end by itself


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    pipe: Connection
    ready: bool = False
    batch: Batch | None = None


class Processes:
    """Runs batches in processes of this machine, each of them a Python of its own."""

    def __init__(
        self,
        function: Callable[..., Any],
        seed: int,
        workers: int,
        memory: int | None,
        threads: int = 1,
    ) -> None:
        """Start worker processes.

        Args:
            function: what is called for each cell.
            seed: of the sweep.
            workers: how many processes.
            memory: how many bytes a cell may take.
            threads: how many regard uses in each.
        """
        self.slots, self.tries = 2 * workers, 2  # once may be somebody else's doing
        self._packed = _packed(function, seed, memory)
        self._environment = limited_environment(threads)
        self._waiting: deque[Batch] = deque()
        self._alive: list[_Worker] = []
        try:
            for _ in range(workers):
                self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        ours, theirs = Pipe()
        words = (str(theirs.fileno()), str(os.getpid()), *sys.path)
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, *words],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=self._environment,
                process_group=0,  # Ctrl-C is for this process, which ends the others
            )
        self._alive.append(_Worker(process, ours))
        with suppress(OSError):  # it is gone, which reading from it will tell
            ours.send_bytes(self._packed)

    def submit(self, cells: Batch) -> None:
        """Keep a batch for the next process that is free."""
        self._waiting.append(cells)
        self._hand_out()

    def _hand_out(self) -> None:
        for worker in self._alive:
            if self._waiting and worker.ready and worker.batch is None:
                worker.batch = self._waiting.popleft()
                with suppress(OSError):
                    worker.pipe.send(worker.batch)

    def wait(self) -> Answer:
        """Return the next batch that is done."""
        while True:
            pipes = {worker.pipe: worker for worker in self._alive}
            for pipe in wait([*pipes]):
                answer = self._heard(pipes[pipe])  # type: ignore[index]
                self._hand_out()  # before the answer is looked at, so that no process waits
                if answer is not None:
                    return answer

    def _heard(self, worker: _Worker) -> Answer | None:
        """Return what a process has done; None where it got ready, or ended while idle."""
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            return self._ended(worker)
        if worker.batch is None:
            if said != READY:
                raise ParameterError(
                    f"sweep: worker processes cannot load the function: {said}. Define it in a "
                    "module that they can import, or run with workers=0 (--workers 0)."
                )
            worker.ready = True
            return None
        cells, worker.batch = worker.batch, None
        return Answer(cells, *said)

    def _ended(self, worker: _Worker) -> Answer | None:
        self._alive.remove(worker)
        worker.pipe.close()
        code = worker.process.wait()
        if not worker.ready:
            raise ClusterError(
                f"sweep: a worker process ended before it was ready, with exit code {code}. "
                "Run with workers=0 (--workers 0) to do without."
            )
        self._start()
        return None if worker.batch is None else Answer(worker.batch, None)

    def close(self) -> None:
        """Stop the processes: those that are at something at once."""
        for worker in self._alive:
            if worker.batch is not None or not worker.ready:
                worker.process.kill()
            worker.pipe.close()
        for worker in self._alive:
            try:
                worker.process.wait(_GRACE)
            except subprocess.TimeoutExpired:  # a thread or an exit handler of the function's own
                worker.process.kill()
                worker.process.wait()
        self._alive.clear()


def _packed(*work: Any) -> bytes:
    import cloudpickle  # pickles functions of scripts and notebooks, too

    try:
        packed: bytes = cloudpickle.dumps(work)
    except Exception as error:  # whatever the objects that a function refers to raise
        raise ParameterError(
            f"sweep: the function cannot be sent to worker processes: {error}. Let it make what it "
            "needs when it is called, or run with workers=0 (--workers 0)."
        ) from None
    return packed
