"""A thousand hand-ins, hostile ones among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grading.classroom import HOSTILE, PROBLEM, all_files, hostile
from regard.grading import grade

COUNT = 1000


def distinct(folder: Path, count: int) -> dict[str, str]:
    """Write so many hand-ins, no two the same; return what each must come to.

    With q = c (k_a + k_b) the two weights are 1/(2 + 4 e^-c) each: off by less than 1e-3 from c = 7 on,
    by more below 6.9.
    """
    expected = {}
    for i in range(count):
        name = f"student{i:04d}"
        right = i % 3 != 0
        factor = 7 + i / 100 if right else 1 + i / 1000
        (folder / f"{name}.toml").write_text(f'q = "{factor} (k_a + k_b)"')
        expected[name] = "right" if right else "wrong"
    return expected


@pytest.mark.slow
def test_a_thousand_are_graded_and_the_honest_ones_are_not_disturbed(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    expected = distinct(folder, COUNT - len(HOSTILE) - 1)
    hostile(folder)
    assert len(HOSTILE) >= 20
    grades = grade(PROBLEM, folder, tmp_path / "two", workers=2)
    assert len(grades.rows) == COUNT
    found = {row.student: row.verdict for row in grades.rows}
    assert {student: found.pop(student) for student in expected} == expected
    assert set(found.values()) <= {"wrong", "unreadable"}
    grade(PROBLEM, folder, tmp_path / "three", workers=3)
    assert all_files(tmp_path / "two") == all_files(tmp_path / "three")
