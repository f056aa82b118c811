"""`regard grade` as a command: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cli.running import run

DOCUMENT = Path(__file__).parents[2] / "docs" / "grade.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "class"
    made.mkdir()
    (made / "ann.toml").write_text('q = "C (k_a + k_b)"')
    (made / "bob.toml").write_text('q = "k_a + k_b"')
    return made


def test_a_class_is_graded_and_the_files_are_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("grade", "average-two-values", str(folder), "-o", str(out), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "2 students"
    assert lines[2].split() == ["average-two-values", "50%", "1", "right,", "1", "wrong"]
    assert f"Grades: {out / 'grades.csv'}" in lines
    assert (out / "grades.csv").read_text().splitlines()[1] == (
        "ann,average-two-values,1,right,,Right."
    )
    data = json.loads(
        run("grade", "average-two-values", str(folder), "-o", str(out), "--json").stdout
    )
    assert data["problems"][0]["tags"][0]["tag"] == "no-large-scale"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["average-two-values"], "grade: name the problems, and after them the folder"),
        (["nothing", "FOLDER"], "nothing: there is neither a bundled problem nor a file"),
        (["average-two-values", "/no/such"], "grade: folder must be a folder with a file"),
        (["average-two-values", __file__], "grade: folder must be a folder with a file"),
        (["FOLDER", "average-two-values"], "grade: the folder comes after the problems: regard"),
        (["average-two-values", "FOLDER", "--workers", "0"], "grade: workers must be"),
        (["average-two-values", "FOLDER", "--variant-by", "x"], "grade: variant_by must be"),
    ],
)
def test_what_cannot_be_used_ends_in_2(
    folder: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    named = [str(folder) if word == "FOLDER" else word for word in words]
    done = run("grade", *named, "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stderr.startswith(message)


def test_the_commands_of_the_document_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DOCUMENT.read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    sheet = re.search(r"^```toml\n(\[average-two-values\].*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert sheet is not None
    (tmp_path / "hand-ins").mkdir()
    (tmp_path / "hand-ins" / "ann.toml").write_text(sheet[1])
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines()]
    assert len(commands) == 6
    for command in commands:
        assert command[0] == "regard"
        done = run(*command[1:])
        assert (done.returncode, done.stderr) == (0, ""), command
    rows = (tmp_path / "grades" / "grades.csv").read_text().splitlines()
    assert "ann,two-heads-average,1,right,,Right." in rows
