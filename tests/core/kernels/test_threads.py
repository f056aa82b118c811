"""Threads take turns, and leave everything as they found it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import regard
from regard.core.kernels import threads

RNG = np.random.default_rng(40)
QUERY, KEY, VALUE = RNG.standard_normal((3, 2, 700, 16))


def blas_threads() -> list[int]:
    return [library.num_threads for library in threads.blas_libraries()]


def two_blas_threads() -> list[int]:
    """Give BLAS two threads, whatever a call before has left, and return what it has now."""
    libraries = threads.blas_libraries()
    threads._set(libraries, [2] * len(libraries))
    assert 2 in blas_threads()  # some package may bring a BLAS that has but one
    return blas_threads()


def test_every_task_is_done_once() -> None:
    done: list[int] = []
    threads.for_each(range(1, 1001), done.append, threads=3)
    assert sorted(done) == list(range(1, 1001))


def test_a_failure_in_any_thread_stops_the_rest_and_is_raised() -> None:
    done: list[int] = []

    def work(task: int) -> None:
        if task == 10:
            raise ZeroDivisionError
        time.sleep(0.001)
        done.append(task)

    with pytest.raises(ZeroDivisionError):
        threads.for_each(range(1000), work, threads=3)
    assert len(done) < 100


def test_the_threads_of_blas_are_one_inside_and_as_before_outside() -> None:
    before = two_blas_threads()
    seen = []
    threads.for_each([0], lambda _: seen.append(blas_threads()), threads=1)
    assert seen == [[1] * len(before)]
    assert blas_threads() == before
    with pytest.raises(ZeroDivisionError):
        threads.for_each([0], lambda _: 1 // 0, threads=1)  # type: ignore[arg-type, return-value]
    assert blas_threads() == before


def test_the_threads_of_blas_come_back_when_calls_overlap() -> None:
    before = two_blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def wait(_: int) -> None:
        inside.set()
        leave.wait(10)

    with ThreadPoolExecutor() as pool:
        first = pool.submit(threads.for_each, [0], wait, 1)
        assert inside.wait(10)
        regard.attention(QUERY, KEY, VALUE)  # enters and leaves while the first is inside
        assert blas_threads() == [1] * len(before)
        leave.set()
        first.result()
    assert blas_threads() == before


def test_calls_from_several_python_threads_give_what_one_gives() -> None:
    expected = regard.attention(QUERY, KEY, VALUE)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: regard.attention(QUERY, KEY, VALUE), range(12)))
    for result in results:
        np.testing.assert_array_equal(result, expected)


def run_alone(program: str) -> str:
    """Run a program in a Python of its own, without what other tests have loaded."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    ).stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_after_use_computes_the_same() -> None:
    program = (
        "import os, numpy as np, regard\n"
        "x = np.random.default_rng(0).standard_normal((2, 700, 16))\n"
        "expected = regard.attention(x, x, x)\n"
        "child = os.fork()\n"
        "same = np.array_equal(regard.attention(x, x, x), expected)\n"
        "if child == 0:\n"
        "    os._exit(0 if same else 1)\n"
        "print(same, os.waitpid(child, 0)[1])\n"
    )
    assert run_alone(program) == "True 0\n"


def test_an_interrupt_stops_a_long_call() -> None:
    program = (
        "import _thread, signal, threading, numpy as np, regard\n"
        # Where these tests were started by nohup, interrupts are ignored here too.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "x = np.ones((64, 4096, 64), np.float32)\n"
        "threading.Timer(0.3, _thread.interrupt_main).start()\n"
        "try:\n"
        "    regard.attention(x, x, x)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped,', _thread._count(), 'threads besides this one')\n"
    )
    assert run_alone(program) == "stopped, 0 threads besides this one\n"


@pytest.mark.parametrize("wanted", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_is_none_is_refused(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGARD_THREADS", wanted)
    with pytest.raises(regard.ParameterError) as error:
        regard.attention(QUERY, KEY, VALUE)
    assert str(error.value) == (
        "regard: the environment variable REGARD_THREADS must be a whole number ≥ 1. "
        f"Got {wanted!r}."
    )


def test_the_number_of_threads_is_that_of_the_variable_or_of_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REGARD_THREADS", " 3 ")
    assert threads.available() == 3
    monkeypatch.delenv("REGARD_THREADS")
    if hasattr(os, "sched_getaffinity"):
        assert threads.available() == len(os.sched_getaffinity(0))
