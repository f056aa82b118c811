"""A run that is killed and started again ends in the same bytes."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grading.classroom import PROBLEM, all_files, honest, hostile

COMMAND = (sys.executable, "-m", "regard", "grade", PROBLEM)


def started(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, str(folder), "-o", str(out), "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def killed_after(run: subprocess.Popen[bytes], out: Path, lines: int, wait: float) -> bool:
    """Kill a run so long after so many rows are kept; return whether it was still running."""
    progress = out / "progress.jsonl"
    while run.poll() is None:
        if progress.exists() and progress.read_bytes().count(b"\n") >= lines:
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
            break
        time.sleep(0.005)
    return run.wait() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("count", "kills"), [(8, 1), pytest.param(200, 10, marks=pytest.mark.slow)]
)
def test_killed_at_random_moments_it_goes_on_where_it_was(
    tmp_path: Path, count: int, kills: int
) -> None:
    folder, whole, torn = tmp_path / "class", tmp_path / "whole", tmp_path / "torn"
    folder.mkdir()
    honest(folder, count)
    if kills > 1:
        hostile(folder)
    assert started(folder, whole).wait() == 0
    rng = random.Random(11)
    distinct = (whole / "progress.jsonl").read_bytes().count(b"\n")
    moments = sorted(rng.sample(range(distinct), kills))
    for moment in moments:
        assert killed_after(started(folder, torn), torn, moment, rng.uniform(0, 0.03))
        assert not (torn / "grades.csv").exists()
    with (torn / "progress.jsonl").open("ab") as file:
        file.write(b"a line that was torn")
    before = (torn / "progress.jsonl").read_bytes()
    assert started(folder, torn).wait() == 0
    assert all_files(torn) == all_files(whole)
    kept = before[: before.rindex(b"\n") + 1]
    assert (torn / "progress.jsonl").read_bytes().startswith(kept)


def test_a_disk_that_is_full_is_said_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    # A limit on the size of files fails as a full disk does. Pages are larger than this one.
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    honest(folder, 4)
    script = (
        "import resource\n"
        "from regard.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "main()\n"
    )
    words = ["grade", PROBLEM, str(folder), "-o", str(out), "--workers", "1"]
    run = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)
    assert run.returncode == 2
    page = out / "feedback" / "student0000.html"
    assert run.stderr == f"grade: {page}: cannot be written: file too large.\n"
    assert [path.name for path in out.rglob("*") if path.is_file()] == ["progress.jsonl"]
    again = subprocess.run([sys.executable, "-m", "regard", *words], capture_output=True, text=True)
    assert again.returncode == 0
    assert (out / "grades.csv").exists()
    shutil.rmtree(out)
