"""Pages of feedback are the same whoever writes them: the processes that judge, or the one that asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grading.classroom import PROBLEM, all_files
from regard.grading import Row, grade, whole_class
from regard.grading.overview import sum_up
from regard.grading.pages import page_name
from regard.grading.pool import Pool, Stopped
from regard.problems import load
from regard.report import Table

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


def test_long_names_leave_room_for_the_rest_of_a_row() -> None:
    problem = load("average-two-values")
    found = {"goals": [{"name": "near 0.5 v_a", "passed": True}]}
    long = Row("x" * 200, problem.id, 0.0, "unreadable", "", "is no answer", found=found)
    shown = str(sum_up([long], [problem]).report())
    assert "x" * 27 + "…" in shown
    assert "x" * 28 not in shown
    (table,) = [
        block
        for block in sum_up([long], [problem]).report().blocks
        if isinstance(block, Table) and block.columns[0] == "share"
    ]
    assert table.rows == (("100%", "1 of 1", "near 0.5 $v_a$"),)


@pytest.mark.parametrize("name", ["con", "nul", "com1", "lpt9"])
def test_no_page_is_called_as_windows_calls_a_device(name: str) -> None:
    assert page_name(name).startswith(f"{name}-")
    assert page_name(f"{name}rad") == f"{name}rad.html"


def test_a_collection_is_shown_by_its_parts_and_a_stray_file_once(tmp_path: Path) -> None:
    made, out = tmp_path / "class", tmp_path / "out"
    made.mkdir()
    (made / "ann.toml").write_text('[b]\nq = "C (k_a + k_b)"\n')
    (made / "bob.toml").write_bytes(b"\xff\xfe\x00")
    grades = grade("cs114b-hw4", made, out, workers=1)
    shown = str(grades.overview.report())
    titles = [
        "(a) Copy a value",
        "(b) Average two values",
        "(e-ii) Choose keys, queries and values",
    ]
    places = [shown.index(title) for title in titles]
    assert places == sorted(places)
    assert shown.count("is not text in UTF-8") == 1
    assert "Hand-ins that answer none of the problems" in shown
    page = (out / "feedback" / "ann.html").read_text("utf-8")
    assert page.index("(a) Copy a value") < page.index("(b) Average two values")
