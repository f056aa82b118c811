"""Processes that judge side by side: a pipe each, and a process that fails is replaced.

A task that crashes its process is tried once more in a new one, since something else may have ended
it; a task that takes too long, or more memory than there is, is given up. Either costs that task
alone. Of `concurrent.futures`, one process that dies takes all later tasks with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from regard.errors import RegardError
from regard.grading.worker import MEMORY, READY

T = TypeVar("T")

SECONDS = 60.0  # for one task
START_SECONDS = 120.0  # for a process to get ready
TRIES = 2
# One thread each, and the same order of sets in every process: the same bits whoever computes.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "REGARD_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


class Stopped(Enum):
    """Why there is no result of a task; the value is the sentence for a person."""

    TIME = "It took too long and was stopped."
    MEMORY = "It needed more memory than there is for one hand-in, and was stopped."
    CRASH = "The process that judged it ended twice without a result."


@dataclass
class _Worker(Generic[T]):
    process: subprocess.Popen[bytes]
    pipe: Connection
    deadline: float
    ready: bool = False
    task: T | None = None


class Pool(Generic[T]):
    """So many processes of one program, which talk over pipes.

    Args:
        workers: how many processes.
        messages: what is sent for a task: one message or several.
        seconds: how long a task may take.
        program: the command that starts a process; a descriptor, the id of this process and the
            memory that it may use are added.
        memory: bytes of address space that a process may use.
    """

    def __init__(
        self,
        workers: int,
        messages: Callable[[T], Sequence[bytes]],
        *,
        seconds: float = SECONDS,
        program: Sequence[str] = (sys.executable, "-P", "-m", "regard.grading.worker"),
        memory: int = MEMORY,
    ) -> None:
        self.workers, self.messages, self.seconds = workers, messages, seconds
        self.program, self.memory = tuple(program), memory
        self._alive: list[_Worker[T]] = []

    def run(
        self,
        tasks: Iterator[T],
        done: Callable[[T, bytes | Stopped], None],
        then: Callable[[], Iterator[T]] | None = None,
    ) -> None:
        """Do all tasks, and call `done` with each and its result, in the order they are done.

        Tasks are drawn when there is a process for them. However this ends, no process is left.

        Args:
            tasks: what is to be done first.
            done: is called with a task and the reply to it, or why there is none.
            then: gives further tasks; it is called when all of the first are done.
        """
        again: deque[T] = deque()
        tried: dict[int, int] = {}
        left = _Draws(tasks, again)
        try:
            while True:
                self._hand_out(left)
                busy = [worker for worker in self._alive if worker.task is not None]
                if not busy and left.is_empty():
                    if then is None:
                        return
                    left, then = _Draws(then(), again), None
                    continue
                results = self._wait(again, tried)
                self._hand_out(left)  # before results are looked at, so that no process waits
                for task, reply in results:
                    done(task, reply)
        finally:
            for worker in [*self._alive]:
                self._end(worker)

    def _hand_out(self, left: _Draws[T]) -> None:
        for worker in [*self._alive]:
            if worker.ready and worker.task is None and not left.is_empty():
                self._send(worker, left.draw())
        while len(self._alive) < self.workers and not left.is_empty():
            if sum(not worker.ready for worker in self._alive) >= left.known():
                break
            self._start()

    def _send(self, worker: _Worker[T], task: T) -> None:
        worker.task, worker.deadline = task, time.monotonic() + self.seconds
        try:
            for message in self.messages(task):
                worker.pipe.send_bytes(message)
        except OSError:
            pass  # it is gone, which reading from it will tell

    def _wait(self, again: deque[T], tried: dict[int, int]) -> list[tuple[T, bytes | Stopped]]:
        """Wait until a process has something to say, or has had its time; return what is done."""
        results: list[tuple[T, bytes | Stopped]] = []
        pipes = {w.pipe: w for w in self._alive if w.task is not None or not w.ready}
        first = min(worker.deadline for worker in pipes.values())
        for pipe in wait([*pipes], max(0.0, first - time.monotonic())):
            worker = pipes[pipe]  # type: ignore[index]
            reply = _reply(worker)
            if not worker.ready:
                if reply != READY:
                    raise RegardError("grade: the processes that judge cannot be started.")
                worker.ready, worker.deadline = True, float("inf")
                continue
            task, worker.task, worker.deadline = worker.task, None, float("inf")
            assert task is not None
            if not reply:
                self._end(worker)
            tries = tried.pop(id(task), 0) + 1
            if reply is not None:
                results.append((task, reply or Stopped.MEMORY))
            elif tries < TRIES:
                tried[id(task)] = tries
                again.append(task)
            else:
                results.append((task, Stopped.CRASH))
        now = time.monotonic()
        for worker in [*self._alive]:
            if worker.deadline <= now:
                self._end(worker)
                if worker.task is None:
                    raise RegardError("grade: the processes that judge do not get ready.")
                results.append((worker.task, Stopped.TIME))
        return results

    def _start(self) -> None:
        ours, theirs = Pipe()
        words = (str(theirs.fileno()), str(os.getpid()), str(self.memory))
        try:
            process = subprocess.Popen(
                [*self.program, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, **_ENVIRONMENT},
            )
        except OSError as error:  # such as in a browser, where there are no processes
            ours.close()
            raise RegardError(
                "grade: answers of others are judged in processes of their own, and none can be "
                f"started here: {error.strerror or error}. One answer is judged by regard check."
            ) from None
        finally:
            theirs.close()
        self._alive.append(_Worker(process, ours, time.monotonic() + START_SECONDS))

    def _end(self, worker: _Worker[T]) -> None:
        self._alive.remove(worker)
        worker.process.kill()
        worker.process.wait()
        worker.pipe.close()


class _Draws(Generic[T]):
    """Tasks that are left: those to be tried again first, then the others, drawn one ahead."""

    def __init__(self, tasks: Iterator[T], again: deque[T]) -> None:
        self._tasks, self._again = tasks, again
        self._ahead: list[T] = []

    def is_empty(self) -> bool:
        """Whether none is left; draws one to know."""
        if not self._again and not self._ahead:
            self._ahead.extend([one for one in [next(self._tasks, None)] if one is not None])
        return not self._again and not self._ahead

    def known(self) -> int:
        """How many are there for sure, at least."""
        while len(self._ahead) < 8:
            one = next(self._tasks, None)
            if one is None:
                break
            self._ahead.append(one)
        return len(self._ahead) + len(self._again)

    def draw(self) -> T:
        """Return the next task: one that is to be tried again before a new one."""
        return self._again.popleft() if self._again else self._ahead.pop(0)


def _reply(worker: _Worker[T]) -> bytes | None:
    """Return what a process says, or None where it is gone."""
    try:
        return worker.pipe.recv_bytes()
    except (EOFError, OSError):
        return None
