"""The worker of grading, but that some hand-ins do to it what a fault in a judge might."""

from __future__ import annotations

import os
import time
from typing import Any

from regard.grading import judging, worker

real = judging.judge


def judge(task: Any) -> dict[str, Any]:
    data = b"".join(file.data for file in task.files)
    if b"# crash" in data:
        os._exit(3)
    if b"# hang" in data:
        time.sleep(3600)
    if b"# allocate" in data:
        bytearray(10_000_000_000)
    if b"# raise" in data:
        raise MemoryError
    return real(task)


if __name__ == "__main__":
    judging.judge = judge
    worker.main()
