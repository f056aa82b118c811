"""A process for the tests of the pool: it does what its tasks say."""

from __future__ import annotations

import os
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from regard.grading.worker import READY, _end_with, limit_memory


def main() -> None:
    descriptor, parent, memory = (int(word) for word in sys.argv[1:4])
    _end_with(parent)
    limit_memory(memory)
    pipe = Connection(descriptor)
    pipe.send_bytes(READY)
    while True:
        try:
            verb, _, noun = pipe.recv_bytes().decode().partition(" ")
        except EOFError:
            return
        if verb == "crash":
            os._exit(3)
        if verb == "crash-once" and not Path(noun).exists():
            Path(noun).touch()
            os.kill(os.getpid(), 9)
        if verb.startswith("meet"):  # two of them, in two processes at the same time
            Path(noun, str(os.getpid())).touch()
            while len(os.listdir(noun)) < 2:
                time.sleep(0.01)
        if verb == "hang":
            time.sleep(3600)
        if verb == "allocate":
            try:
                bytearray(10_000_000_000)
            except MemoryError:
                pipe.send_bytes(b"")
                return
        pipe.send_bytes(f"{verb} done by {os.getpid()}".encode())


if __name__ == "__main__":
    main()
