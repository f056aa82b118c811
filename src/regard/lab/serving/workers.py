"""The processes that answer: limited in time, and stopped when nobody wants the answer any more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regard.lab.serving.worker import frame
from regard.lab.table import questions

SECONDS = 20.0  # that a question may take
PATIENCE = 4  # times as long, if the machine was busy with other things
GRACE = 0.5  # seconds that an unwanted one may still take: a new process costs more
GONE = "The engine stopped while it answered. Ask again."


class Worker:
    """One process, and the streams to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.ready = asyncio.create_task(self._read())

    @staticmethod
    async def start(models: Sequence[str] = ()) -> Worker:
        """Start a process; it answers as soon as it has loaded what it needs."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "regard.lab.serving.worker", *models,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # arrays are small here
        )  # fmt: skip
        return Worker(process)

    async def ask(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return what the process replies."""
        assert self.process.stdin is not None
        self.process.stdin.write(frame({"ask": name, "arguments": arguments}))
        await self.process.stdin.drain()
        return await self._read()

    async def _read(self) -> Any:
        assert self.process.stdout is not None
        size = int.from_bytes(await self.process.stdout.readexactly(4), "big")
        return json.loads(await self.process.stdout.readexactly(size))

    def computed(self) -> float:
        """Seconds of computing so far; infinite where the system does not tell."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, AttributeError):
            return math.inf

    async def stop(self) -> None:
        """End the process at once."""
        self.ready.cancel()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


def _heeded(task: asyncio.Task[Any]) -> None:
    """Take note of how a task ended: where nobody waits any more, that is no news."""
    if not task.cancelled():
        task.exception()


class Workers:
    """A few processes; a question goes to the one that answered last, if it is free.

    So it finds there what an earlier answer has loaded or kept. `models` are the paths that the
    person who started the lab offers.
    """

    def __init__(
        self, count: int = 2, seconds: float = SECONDS, models: Sequence[str] = ()
    ) -> None:
        self.count, self.seconds, self.models = count, seconds, models
        self.free: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self.all: set[Worker] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    async def open(self) -> None:
        """Start the first process, and the others when it is ready, so that they do not race."""
        first = await self._add()
        self._later(self._add_others(first))

    async def close(self) -> None:
        """End all processes."""
        self.closed = True
        for task in self.tasks:
            task.cancel()
        for worker in list(self.all):
            await worker.stop()

    async def ask(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {"answer": …} or {"problem": sentence}; if cancelled, the work stops too."""
        worker = await self.free.get()
        known = questions().get(name)
        seconds = (known.seconds if known else None) or self.seconds
        running = asyncio.create_task(self._asked(worker, name, arguments))
        running.add_done_callback(_heeded)
        begun = worker.computed()
        try:
            done, _ = await asyncio.wait({running}, timeout=seconds)
            rounds = 1
            # On a busy machine a process may have been waiting for most of that time.
            while not done and rounds < PATIENCE and worker.computed() - begun < seconds / 2:
                done, _ = await asyncio.wait({running}, timeout=seconds)
                rounds += 1
        except asyncio.CancelledError:
            self._later(self._let_go(worker, running))
            raise
        if not done:
            self._later(self._replace(worker, running))
            return {"problem": f"This took longer than {seconds:g} s and was stopped."}
        if running.exception() is not None:  # the process ended: out of memory, for one
            self._later(self._replace(worker, running))
            return {"problem": GONE}
        self.free.put_nowait(worker)
        found: dict[str, Any] = running.result()
        return found

    async def _asked(self, worker: Worker, name: str, arguments: dict[str, Any]) -> Any:
        await asyncio.shield(worker.ready)
        return await worker.ask(name, arguments)

    async def _let_go(self, worker: Worker, running: asyncio.Task[Any]) -> None:
        done, _ = await asyncio.wait({running}, timeout=GRACE)
        if done and running.exception() is None:
            self.free.put_nowait(worker)
        else:
            await self._replace(worker, running)

    async def _replace(self, worker: Worker, running: asyncio.Task[Any]) -> None:
        running.cancel()
        self.all.discard(worker)
        await worker.stop()
        if not self.closed:
            await self._add()

    async def _add(self) -> Worker:
        worker = await Worker.start(self.models)
        self.all.add(worker)
        self._later(self._free_when_ready(worker))
        return worker

    async def _free_when_ready(self, worker: Worker) -> None:
        with contextlib.suppress(Exception):  # the first question finds out, and says so
            await asyncio.shield(worker.ready)
        self.free.put_nowait(worker)

    async def _add_others(self, first: Worker) -> None:
        with contextlib.suppress(Exception):
            await asyncio.shield(first.ready)
        for _ in range(self.count - 1):
            await self._add()

    def _later(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
