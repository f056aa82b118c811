"""A worker process of a sweep: takes batches of cells over a pipe and sends back what came of them.

It is a Python of its own and not a copy of the process that started it. A copy would have the locks
of that process, but not the threads that let go of them (those of JAX, for one).
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from regard.cluster.sweeps.cells import run_batch

__all__ = ["READY", "work"]

READY = ""  # what is said first, or why there is nothing to be ready for


def work(descriptor: int, parent: int) -> None:
    """Run batches until nobody sends any more.

    Args:
        descriptor: of the pipe. The function, the seed of the sweep and the memory that a cell may
            take are the first that comes out of it.
        parent: the process that started this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started all this
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    pipe = Connection(descriptor)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # nobody is there any more
        function, seed, memory = _first(pipe)
        if memory is not None:
            _limit(memory)
        while True:
            pipe.send(run_batch(function, seed, pipe.recv()))


def _first(pipe: Connection) -> tuple[Callable[..., Any], int, int | None]:
    """Return what there is to do, once the other side knows whether it can be done."""
    packed = pipe.recv_bytes()
    try:
        found: tuple[Callable[..., Any], int, int | None] = pickle.loads(packed)
    except Exception as error:  # whatever loading a stranger's module raises
        pipe.send(f"{type(error).__name__}: {error}")
        raise EOFError from None
    pipe.send(READY)
    return found


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
