"""Hand-ins that bring down the process that judges them: a row each, and nobody else's."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

from cli.running import run
from grading.classroom import PROBLEM
from regard.grading import grade, whole_class
from regard.grading.pool import Pool, Stopped

PROGRAM = (sys.executable, str(Path(__file__).with_name("harmed_worker.py")))
HARM = {
    "crash": Stopped.CRASH,
    "hang": Stopped.TIME,
    "allocate": Stopped.MEMORY,
    "raise": Stopped.MEMORY,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "class"
    made.mkdir()
    for word in HARM:
        (made / f"{word}.toml").write_text(f'q = "C (k_a + k_b)"  # {word}')
    for i in range(6):
        (made / f"honest{i}.toml").write_text(f'q = "{20 + i} (k_a + k_b)"')
    return made


def harmed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Enough for a check, however busy the machine is; the one that hangs costs this once.
    made = functools.partial(Pool, program=PROGRAM, seconds=10.0)
    monkeypatch.setattr(whole_class, "Pool", {whole_class.Job | whole_class.PageJob: made})


def test_it_costs_that_hand_in_only_and_the_next_run_tries_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        harmed(patched)
        ended = run("grade", PROBLEM, str(folder), "-o", str(tmp_path / "out"), "--workers", "2")
    assert ended.returncode == 1, ended.stderr
    rows = (tmp_path / "out" / "grades.csv").read_text().splitlines()[1:]
    assert len(rows) == 10
    for word, reason in HARM.items():
        (row,) = [row for row in rows if row.startswith(f"{word},")]
        cell = reason.value if "," not in reason.value else f'"{reason.value}"'
        assert row == f"{word},{PROBLEM},,stopped,,{cell}"
    honest = [row for row in rows if row.startswith("honest")]
    assert honest == [f"honest{i},{PROBLEM},1,right,,Right." for i in range(6)]
    page = (tmp_path / "out" / "feedback" / "hang.html").read_text("utf-8")
    assert "It took too long and was stopped." in page
    overview = (tmp_path / "out" / "overview.html").read_text("utf-8")
    assert "no score yet: a person has to look" in overview

    before = (tmp_path / "out" / "progress.jsonl").read_bytes()
    again = grade(PROBLEM, folder, tmp_path / "out", workers=1)
    assert {row.verdict for row in again.rows} == {"right"}
    now = (tmp_path / "out" / "progress.jsonl").read_bytes()
    assert now.startswith(before)
    assert now.count(b"\n") == 10
