"""Pages of feedback are the same whoever writes them: the processes that judge, or the one that asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grading.classroom import PROBLEM, all_files
from regard.grading import grade, whole_class
from regard.grading.pool import Pool, Stopped

ANSWERS = ('q = "C (k_a + k_b)"', 'q = "k_a + k_b"', 'q = "k_a +"', 'q = "<script>"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("class")
    for i in range(whole_class.FEW + 1):
        (made / f"student{i:02d}.toml").write_text(ANSWERS[i % len(ANSWERS)])
    return made


def test_many_pages_are_written_by_the_workers_and_are_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade(PROBLEM, folder, tmp_path / "workers", workers=2)
    with monkeypatch.context() as patch:
        patch.setattr(whole_class, "FEW", 1000)
        grade(PROBLEM, folder, tmp_path / "here", workers=1)
    assert len(all_files(tmp_path / "here")) == whole_class.FEW + 1 + 3
    assert all_files(tmp_path / "workers") == all_files(tmp_path / "here")

    # A page that its worker cannot write is written here.
    run: Callable[..., None] = Pool.run

    def failing(pool: Pool[object], tasks: object, done: Callable[..., None], then: object) -> None:
        run(pool, tasks, lambda job, reply: done(job, _lost(job, reply)), then)

    monkeypatch.setattr(Pool, "run", failing)
    grade(PROBLEM, folder, tmp_path / "lost", workers=1)
    assert all_files(tmp_path / "lost") == all_files(tmp_path / "here")


def _lost(job: object, reply: bytes | Stopped) -> bytes | Stopped:
    return Stopped.CRASH if isinstance(job, whole_class.PageJob) else reply
