"""Functions that the tests sweep; in a module, so that worker processes find them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np


def draw(i: int, rng: np.random.Generator, method: str = "") -> dict[str, float]:
    return {"first": rng.standard_normal(), "second": float(rng.random())}


def write_down(i: int, folder: str, pause: float = 0.0, rng: Any = None) -> float:
    """Leave a line for each call, so that a test can count them."""
    with (Path(folder) / "calls").open("a") as calls:
        calls.write(f"{i}\n")
    time.sleep(pause)
    return float(rng.random())


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def go_wrong(i: int) -> str:
    """Fail in ways that are no ordinary exception, or return a word that no file can hold."""
    if i == 0:
        raise Unspeakable
    if i == 1:
        raise SystemExit(3)
    return "half of a pair: \ud800"


def kill_at(i: int, at: int) -> int:
    if i == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return i * i


def take_memory(i: int, at: int, megabytes: int, pause: float = 0.0) -> int:
    """Take so much memory at one cell, for as long as a nanny takes to notice."""
    if i == at:
        taken = np.ones(megabytes * 2**20, np.uint8)
        time.sleep(pause)
        return int(taken[-1])
    return i


LOCK = threading.Lock()


def take_lock(i: int) -> bool:
    free = LOCK.acquire(timeout=5)
    if free:
        LOCK.release()
    return free


class Unloadable:
    """A function that can be sent, and not be received."""

    def __call__(self, i: int) -> int:
        return i

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise ZeroDivisionError("not here")


def fail_at(i: int, at: int) -> float:
    if i == at:
        raise ZeroDivisionError("i is\n  the wrong one")
    return 1.5 * i


def count_threads(i: int) -> dict[str, Any]:
    """Load a BLAS of its own, and say how many threads it and others would use."""
    before = "scipy.linalg" in sys.modules
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
    assert len(blas) > 1  # NumPy's and SciPy's
    return {
        "scipy_before": before,
        "most": max(blas),
        "regard": os.environ.get("REGARD_THREADS", ""),
    }


def calls_in(folder: Path) -> list[int]:
    file = folder / "calls"
    return [int(line) for line in file.read_text().split()] if file.exists() else []
