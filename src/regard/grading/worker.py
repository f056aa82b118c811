"""A process that judges hand-ins one after another, within limits, until its pipe is closed.

It gets a task as JSON and the bytes of its files, and answers with a record as JSON; asked for a
page, it answers with that. It ends with the process that started it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

READY = b"ready"
MEMORY = 4_000_000_000  # bytes of address space
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve the pipe whose descriptor the command line names."""
    descriptor, parent, memory = (int(word) for word in sys.argv[1:4])
    _end_with(parent)
    limit_memory(memory)
    from regard.grading.judging import judge, record  # takes its time, and within the limit
    from regard.grading.page_jobs import page_of

    pipe = Connection(descriptor)
    pipe.send_bytes(READY)
    while True:
        try:
            task = receive(pipe)
        except EOFError:
            return
        try:
            if isinstance(task, dict):
                pipe.send_bytes(page_of(task))
                continue
            reply = judge(task)
        except MemoryError:
            pipe.send_bytes(b"")  # what is left of this process is not to be trusted
            return
        try:
            said = to_bytes(reply)
        except (TypeError, ValueError) as fault:
            said = to_bytes(record("stopped", f"regard failed on it, its own fault: {fault!r}"))
        pipe.send_bytes(said)


def to_bytes(data: Any) -> bytes:
    """Return JSON in one line, the same for the same data; what is not finite is refused."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")


def receive(pipe: Connection) -> Any:
    """Return the task that comes through a pipe; that of a page as the data that it is."""
    from regard.grading.answers import Asked
    from regard.grading.hand_ins import File
    from regard.grading.judging import Task

    head = json.loads(pipe.recv_bytes())
    if "page" in head:
        return head
    files = tuple(File(**file, data=pipe.recv_bytes()) for file in head["files"])
    every = tuple(Asked(one["id"], tuple(one["names"]), one["is_code"]) for one in head["every"])
    asked = next(one for one in every if one.id == head["asked"])
    return Task(files, head["problem"], head["seed"], asked, every)


def limit_memory(most: int) -> None:
    """Limit the address space, and write no core files; where the system has no limits, nothing."""
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with(parent: int) -> None:
    """Ask the kernel to end this process when its parent ends; only Linux can be asked."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it could be asked
        os._exit(1)


if __name__ == "__main__":
    main()
