"""What a hostile submission might try. It is run in the box, to see what comes of it."""

from __future__ import annotations

import os
import socket


def connect(port: int) -> None:
    """Reach a server outside."""
    socket.create_connection(("127.0.0.1", port), 1.0).close()


def read(path: str) -> str:
    """Read somebody else's file."""
    with open(path) as file:
        return file.read()


def open_memory(pid: int) -> bool:
    """Open the memory of the grader."""
    with open(f"/proc/{pid}/mem", "rb"):
        return True


def signal(pid: int) -> bool:
    """Signal the grader; signal 0 only asks whether one could."""
    os.kill(pid, 0)
    return True


def fork() -> bool:
    """Start another process."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def allocate(count: int) -> bool:
    """Take so much memory."""
    return len(bytearray(count)) == count


def fill(files: int, size: int) -> int:
    """Write so many files of so many bytes, and return how many bytes there was room for."""
    written = 0
    for number in range(files):
        try:
            with open(f"{number}.bin", "wb") as file:
                written += file.write(bytes(size))
        except OSError:
            break
    return written


def outlive() -> bool:
    """Leave a process in a session of its own behind."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            import time

            time.sleep(10)  # longer than what is tried after it and the patience that follows
        os._exit(0)
    os.waitpid(child, 0)
    return True


def spin() -> None:
    """Never return."""
    while True:
        pass
