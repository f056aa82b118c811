"""Programs that tests run in processes of their own, with the tests' folder on their path.

Dask changes how exceptions are pickled in the process that imports it: so it is imported there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parents[1]

# The command, which hears Ctrl-C: where interrupts are ignored, as by nohup, it would not.
COMMAND = """
import signal, sys
from regard.cli import main
if __name__ == "__main__":  # workers of a local cluster import this again
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[0] = "regard"
    main()
"""


def start(program: str, *arguments: object, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start a Python program, or with "-m" as the program a module."""
    first = ["-m"] if program == "-m" else ["-c", program]
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, *first, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    program: str, *arguments: object, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    process = start(program, *arguments, cwd=cwd)
    return finish(process)


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        out, err = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"did not end:\n{out}\n{err}") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def until(
    condition: Callable[[], bool], seconds: float = 120.0, by: subprocess.Popen[str] | None = None
) -> None:
    """Wait for something that has to happen, by a process where one is named."""
    deadline = time.monotonic() + seconds
    while not condition():
        if by is not None and by.poll() is not None:
            raise AssertionError(f"ended without it:\n{by.communicate()}")
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
