"""`regard start`: a file to complete, which is not right before it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import regard
from regard.cli import app
from regard.problems import load

ID = "rotary-as-a-program"


def start(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["start", *arguments])
    said = (
        result.output
        if result.exception is None or result.exit_code != 1
        else str(result.exception)
    )
    return result.exit_code, said


def test_the_skeleton_is_printed_or_written(tmp_path: Path) -> None:
    assert start(ID) == (0, load(ID).given.skeleton.strip() + "\n")
    path = tmp_path / "mine.py"
    code, said = start(ID, "-o", str(path))
    assert code == 0
    assert said == f"Written: {path}. When it is complete: regard check {ID} {path}\n"
    assert path.read_text() == load(ID).given.skeleton.strip() + "\n"
    verdict = regard.check(ID, path)
    assert (verdict.right, verdict.misconception.tag) == (False, "function-not-written")


def test_a_notebook_has_the_question_and_a_cell_for_each_function(tmp_path: Path) -> None:
    if not os.environ.get("REGARD_REQUIRE_TOOLS"):
        pytest.importorskip("nbformat")
    import nbformat

    path = tmp_path / "mine.ipynb"
    assert start("attention-lab", "-o", str(path))[0] == 0
    nbformat.validate(nbformat.read(path, as_version=4))
    cells = json.loads(path.read_text())["cells"]
    functions = [c for c in cells if c["cell_type"] == "code" and c["source"][0].startswith("def ")]
    assert [c["source"][0].split("(")[0][4:] for c in functions] == list(
        load("attention-lab").goal.functions
    )
    assert "".join(cells[0]["source"]).startswith("# A lab: attention in NumPy")
    assert regard.check("attention-lab", path).score == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["copy-a-value"], "start: copy-a-value asks for no program. `regard show copy-a-value` says what it asks for."),
        ([ID, "-o", "mine.txt"], "start: mine.txt: name a file that ends in .py or .ipynb."),
        ([ID, "-o", "THERE"], "start: THERE is there already, and stays as it is."),
    ],
)  # fmt: skip
def test_what_cannot_be_started_is_told(arguments: list[str], message: str, tmp_path: Path) -> None:
    there = tmp_path / "there.py"
    there.write_text("my work")
    arguments = [argument.replace("THERE", str(there)) for argument in arguments]
    assert start(*arguments)[1] == message.replace("THERE", str(there))
    assert there.read_text() == "my work"
