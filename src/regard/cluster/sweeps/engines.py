"""Who runs batches of cells: worker processes here, a cluster, or this process itself.

An engine takes batches and gives back what came of them, in any order. Where a worker ended instead
of answering, the batch comes back without outcomes: then one of its cells may have ended it, and
`run.py` finds out which by running them alone.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from regard.cluster.connection import Watch, begin_task
from regard.cluster.failures import ClusterError
from regard.cluster.sweeps.cells import Outcome, run_batch
from regard.cluster.sweeps.settings import Cell

__all__ = ["Answer", "Dask", "Engine", "Here"]

Batch = Sequence[Cell]
_FETCH = 30.0  # seconds to wait for a result that is there; it may be lost meanwhile


@dataclass(frozen=True)
class Answer:
    """A batch that came back.

    Attributes:
        cells: the batch.
        outcomes: what came of each cell; None where the worker ended.
        seconds: how long it took.
    """

    cells: Batch
    outcomes: list[Outcome] | None
    seconds: float = 0.0


class Engine(Protocol):
    """What runs batches.

    `slots` of them at a time keep it busy. A cell that was lost `tries` times while it ran alone
    is what ended its worker.
    """

    @property
    def slots(self) -> int:
        """How many batches to hand out."""

    @property
    def tries(self) -> int:
        """How often a suspect is run."""

    def submit(self, cells: Batch) -> None:
        """Have a batch run."""

    def wait(self) -> Answer:
        """Return the next batch that is done."""

    def close(self) -> None:
        """Stop at once; what is running is lost."""


class Here:
    """Runs batches in this process, when they are waited for: for debugging."""

    slots = tries = 1

    def __init__(self, function: Callable[..., Any], seed: int) -> None:
        """Take the function, and the seed of the sweep."""
        self._work = function, seed
        self._waiting: list[Batch] = []

    def submit(self, cells: Batch) -> None:
        """Keep a batch."""
        self._waiting.append(cells)

    def wait(self) -> Answer:
        """Run the batch that was kept first."""
        cells = self._waiting.pop(0)
        return Answer(cells, *run_batch(*self._work, cells))

    def close(self) -> None:
        """There is nothing to stop."""


class Dask:
    """Runs batches as tasks of a scheduler of Dask, which tries one on several workers itself."""

    tries = 1

    def __init__(self, client: Any, function: Callable[..., Any], seed: int, *, go_on: str) -> None:
        """Take a client, and what `Watch` says where the scheduler is lost."""
        self._client, self._work = client, (function, seed)
        self._watch = Watch("sweep", client, go_on)
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._running: dict[str, tuple[Any, Batch]] = {}
        self._prefix, self._count = f"regard-sweep-{uuid4().hex}", 0

    @property
    def slots(self) -> int:
        """Two batches for each thread of the cluster as it is now: one runs, one waits there."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return max(2, 2 * sum(worker["nthreads"] for worker in workers))

    def submit(self, cells: Batch) -> None:
        """Hand a batch to the scheduler."""
        key = f"{self._prefix}-{self._count}"
        self._count += 1
        future = self._client.submit(_task, *self._work, list(cells), key=key, pure=False)
        self._running[key] = future, cells
        future.add_done_callback(self._done.put)

    def wait(self) -> Answer:
        """Return the next batch that is done; notice where nobody is left to do it."""
        while True:
            try:
                future = self._done.get(timeout=0.5)
            except queue.Empty:
                self._watch.check()
                continue
            answer = self._answer(future) if future.key in self._running else None
            if answer is not None:
                del self._running[future.key]
                return answer

    def _answer(self, future: Any) -> Answer | None:
        """Return what a future holds, or None where its worker was lost with it: it runs again."""
        # Worker processes without Dask need not load these. A coroutine of Dask is cancelled as
        # those of asyncio are, a future that is no longer known as those of an executor.
        from asyncio import CancelledError
        from concurrent.futures import CancelledError as FutureCancelled

        cells = self._running[future.key][1]
        try:
            if future.status == "error":
                return self._failed(cells, future.exception(timeout=_FETCH))
            if future.status == "finished":
                return Answer(cells, *future.result(timeout=_FETCH))
        except (OSError, CancelledError, FutureCancelled):
            pass
        except Exception as error:  # the worker was lost with it, and it ended the next ones, too
            return self._failed(cells, error)
        if future.status == "cancelled" or self._client.status != "running":
            raise self._watch.lost()
        future.add_done_callback(self._done.put)
        return None

    def _failed(self, cells: Batch, error: BaseException | None) -> Answer:
        if type(error).__name__ == "KilledWorker":
            return Answer(cells, None)
        raise ClusterError(
            f"sweep: the workers cannot run the function: {type(error).__name__}: {error}. "
            "They need the same packages as this machine: see `regard doctor --cluster ADDRESS`."
        )

    def close(self) -> None:
        """Cancel what is running."""
        if self._running and self._client.status == "running":
            self._client.cancel([future for future, _ in self._running.values()])


def _task(function: Callable[..., Any], seed: int, cells: Batch) -> tuple[list[Outcome], float]:
    begin_task()
    return run_batch(function, seed, cells)
