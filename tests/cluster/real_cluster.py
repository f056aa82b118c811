"""A scheduler and worker processes of Dask, as people start them: with the `dask` commands."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cluster.processes import run

HERE = Path(__file__).parents[1]  # so that workers find the functions of the tests
PATIENCE = 90.0
WAIT = """
import sys
from distributed import Client
address, count, patience = sys.argv[1:]
with Client(address, timeout=float(patience)) as client:
    client.wait_for_workers(int(count), timeout=float(patience))
"""


@dataclass
class RealCluster:
    """A scheduler and its workers on loopback."""

    address: str
    scheduler: subprocess.Popen[bytes]
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, *options: str, nanny: bool = False) -> subprocess.Popen[bytes]:
        """Start a worker; without a nanny it is one process, and killing it is final."""
        more = [] if nanny else ["--no-nanny"]
        self.workers.append(
            _start(self.folder, "worker", self.address, "--nthreads", "1", "--no-dashboard",
                   "--memory-limit", "2GB", *more, *options)
        )  # fmt: skip
        return self.workers[-1]

    def kill_a_worker(self) -> None:
        """Kill the worker that was started first, as a crash would."""
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    def wait_for(self, count: int) -> None:
        """Wait until so many workers have announced themselves."""
        done = run(WAIT, self.address, count, PATIENCE)
        assert done.returncode == 0, done.stderr


def _start(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    with (folder / f"{command[0]}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]],
            env={**os.environ, "PYTHONPATH": path},
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def dask_or_skip() -> None:
    """Skip the module without Dask; fail where REGARD_REQUIRE_PEERS is set. Does not import it."""
    if importlib.util.find_spec("distributed") is None:
        sentence = "needs Dask, which is not installed: pip install 'regard[cluster]'"
        if os.environ.get("REGARD_REQUIRE_PEERS"):
            pytest.fail(f"{sentence}, and REGARD_REQUIRE_PEERS is set", pytrace=False)
        pytest.skip(sentence, allow_module_level=True)


@contextmanager
def real_cluster(folder: Path, workers: int, nanny: bool = False) -> Iterator[RealCluster]:
    """Start a scheduler and so many workers of one thread; end all of them in the end."""
    file = folder / "scheduler.json"
    scheduler = _start(
        folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )  # fmt: skip
    cluster = None
    try:
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or not file.read_text().rstrip().endswith("}"):
            assert scheduler.poll() is None, (folder / "scheduler.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        cluster = RealCluster(json.loads(file.read_text())["address"], scheduler, folder)
        for _ in range(workers):
            cluster.add_worker(nanny=nanny)
        cluster.wait_for(workers)
        yield cluster
    finally:
        for process in [*(cluster.workers if cluster else []), scheduler]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
