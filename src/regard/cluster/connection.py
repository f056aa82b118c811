"""The way to a scheduler of Dask: found, started, watched, and lost."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from regard.cluster.failures import ClusterError
from regard.cluster.thread_limits import hold_threads
from regard.core.kernels.threads import available
from regard.errors import ParameterError

__all__ = ["Watch", "begin_task", "connected", "needed"]

PATIENCE = 60.0  # seconds to wait for workers, where there are none
_CONNECT = 10.0  # seconds to wait for the scheduler


def needed(package: str, purpose: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as missing:
        if missing.name != package:
            raise
        extra = {"distributed": "'regard[cluster]'"}.get(package, package)
        raise ParameterError(
            f"{purpose} needs {package}, which is not installed: `pip install {extra}`."
        ) from None


@contextmanager
def connected(
    function: str,
    cluster: Any,
    *,
    workers: int | None = None,
    memory: int | None = None,
    name: str = "cluster",
) -> Iterator[Any]:
    """Give a client of Dask.

    Args:
        function: who asks.
        cluster: an address such as "tcp://10.0.0.1:8786", "local" to start a scheduler and worker
            processes here for as long as this lasts, or a `distributed.Client`.
        workers: how many processes "local" starts; by default one per core.
        memory: the limit of each of these, in bytes.
        name: what the argument is called.
    """
    distributed = needed("distributed", f"{function}: {name}={cluster!r}")
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    if not isinstance(cluster, str):
        raise ParameterError(
            f"{function}: {name} must be an address such as 'tcp://10.0.0.1:8786', 'local' or a "
            f"distributed.Client. Got {cluster!r}."
        )
    started = client = None
    kept = ExitStack()
    kept.enter_context(_quiet())
    try:
        if cluster == "local":
            _refuse_a_script_that_is_imported_again(function)
            kept.enter_context(_patient_with_workers())
            with _deaf_to_ctrl_c():
                started = _started(function, distributed, workers or available(), memory)
        client = _client(function, distributed, started or cluster)
        yield client
    finally:
        for one in (client, started):
            with suppress(Exception):  # what is gone need not be closed
                if one is not None:
                    one.close(timeout=5)
        kept.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging what is told by us in a sentence, such as lost connections.

    Its configuration gives some of its loggers levels of their own.
    """
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    loggers = [logging.getLogger(name) for name in ("distributed", *names)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Have processes that are started by threads that begin here not hear Ctrl-C, nor later ones.

    It goes to all processes of a terminal, and is for this one, which ends the others. They inherit
    what the thread that starts them blocks, and that from the thread that has started it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else it starts in one of those threads, and unblocks it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_GUARD = (
    "starts processes that import this script again. Put what the script does under "
    "`if __name__ == '__main__':`"
)


def _refuse_a_script_that_is_imported_again(function: str) -> None:
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ParameterError(f"{function}: 'local' {_GUARD}.")


def _patient_with_workers() -> Any:
    import dask

    return dask.config.set(
        {
            # A task that ended two workers is suspect; Dask allows more by itself.
            "distributed.scheduler.allowed-failures": 1,
            # A worker that a task has ended is started again by its nanny. Where that takes long,
            # or is needed twice, the cluster would else take it for lost and close the nanny.
            "distributed.deploy.lost-worker-timeout": "1 day",
        }
    )


def _started(function: str, distributed: Any, workers: int, memory: int | None) -> Any:
    try:
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",  # any port: others may have clusters here
            memory_limit=memory or "auto",
            silence_logs=logging.CRITICAL + 1,
        )
    except RuntimeError as error:
        raise ClusterError(
            f"{function}: the workers of 'local' did not start: {error} 'local' {_GUARD}, or give "
            "workers more memory (--memory)."
        ) from None


def _client(function: str, distributed: Any, cluster: Any) -> Any:
    try:
        return distributed.Client(cluster, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError):
        raise ClusterError(
            f"{function}: no scheduler answers at {cluster}. `dask scheduler` starts one and "
            "prints its address; `dask worker ADDRESS` adds workers."
        ) from None
    except ValueError as error:
        raise ParameterError(
            f"{function}: {cluster!r} is no address: {error}. Write tcp://HOST:PORT."
        ) from None


class Watch:
    """Notices that the scheduler is gone, or that no workers are left."""

    def __init__(self, function: str, client: Any, go_on: str) -> None:
        """Watch a client for a function; `go_on` is a sentence that says what to do then."""
        self.function, self.client, self.go_on = function, client, go_on
        self._alone_since: float | None = None

    def lost(self) -> ClusterError:
        """Return the error for a connection that is lost."""
        address = getattr(getattr(self.client, "scheduler", None), "address", "the address given")
        return ClusterError(
            f"{self.function}: the connection to the scheduler at {address} is lost. {self.go_on}"
        )

    def check(self) -> None:
        """Raise where there is nobody left to do the work."""
        if self.client.status not in ("running", "newly-created"):
            raise self.lost()
        if self.client.scheduler_info(n_workers=-1)["workers"]:
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > PATIENCE:
            raise ClusterError(
                f"{self.function}: the scheduler has had no workers for {PATIENCE:.0f} s. "
                f"`dask worker ADDRESS` adds some. {self.go_on}"
            )


_settled = False  # whether this process, a worker, has run a task before
_SETTLE = 1.0  # seconds, where its nanny cannot be asked


def begin_task() -> None:
    """Prepare the worker that this runs in for a task of regard.

    Its tasks use one thread each, unless its owner has said how many: Dask runs as many tasks at a
    time in a worker as it was started with threads. And the first task of a process waits until its
    nanny has heard that the worker runs, which the scheduler hears earlier: before that, a nanny
    does not replace a worker that a task ends.
    """
    global _settled
    hold_threads()
    if not _settled:
        from distributed import get_worker

        worker = get_worker()
        if worker.nanny is not None:
            _wait_for_nanny(worker)
        _settled = True


def _wait_for_nanny(worker: Any) -> None:
    import cloudpickle
    from distributed.utils import sync

    def runs(dask_worker: Any) -> bool:  # where the nanny is, which is what Dask gives it
        of_process = dask_worker.process and dask_worker.process.status.name
        return bool(dask_worker.status.name == of_process == "running")

    async def asked() -> bool:
        async with worker.rpc(worker.nanny) as nanny:
            said = await nanny.run(function=cloudpickle.dumps(runs))
        return bool(said["result"])

    deadline = time.monotonic() + PATIENCE
    try:
        while not sync(worker.loop, asked, callback_timeout=_CONNECT):
            if time.monotonic() > deadline:
                return
            time.sleep(0.02)
    except Exception:  # of whatever kind: another release of Dask may answer otherwise
        time.sleep(_SETTLE)
