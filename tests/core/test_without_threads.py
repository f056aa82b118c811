"""Where no thread can be started, as in some browsers and sandboxes, everything is computed all the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
# What is asked of the system's own function: no thread, now or later.
NO_THREADS = """
#include <errno.h>
#include <pthread.h>
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    (void)thread; (void)how; (void)run; (void)with;
    return EAGAIN;
}
"""
CORE = ("core/test_heads.py", "core/test_head_weights.py")
ALL = (
    "core/test_attention.py",
    "core/test_streaming.py",
    "core/test_statistics.py",
    "core/test_convolution.py",
)


def without_threads(folder: Path, kernel: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a pthread_create that always fails."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a compiler, to put a pthread_create that fails before the system's")
    source, library = folder / "no_threads.c", folder / "no_threads.so"
    source.write_text(NO_THREADS)
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    settings = {"LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1", "REGARD_KERNEL": kernel}
    own = {name: x for name, x in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, *arguments],
        env=own | settings,
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_thread_can_be_started_here(tmp_path: Path) -> None:
    program = "import threading; threading.Thread(target=print).start()"
    run = without_threads(tmp_path, "numpy", "-c", program)
    assert run.returncode == 1
    assert "can't start new thread" in run.stderr


def suite(folder: Path, kernel: str, files: tuple[str, ...]) -> None:
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow")
    run = without_threads(
        folder, kernel, "-m", "pytest", *quiet, *(str(TESTS / name) for name in files)
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "kernel",
    [pytest.param("", id="the best there is"), pytest.param("numpy", marks=pytest.mark.slow)],
)
def test_heads_and_states_are_computed_without_threads(kernel: str, tmp_path: Path) -> None:
    suite(tmp_path, kernel, CORE)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["", "numpy"], ids=["the best there is", "numpy"])
def test_all_of_the_core_is_computed_without_threads(kernel: str, tmp_path: Path) -> None:
    suite(tmp_path, kernel, ALL)


def test_a_problem_is_solved_without_threads(tmp_path: Path) -> None:
    run = without_threads(
        tmp_path, "numpy", "-m", "regard", "solve", "average-two-values", "--json"
    )
    assert run.returncode == 0, run.stderr
    assert '"status": "proved"' in run.stdout
