"""`regard export` writes complete folders, and never over what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.cli import app


def export(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["export", *arguments])
    failed = result.exception is not None and result.exit_code == 1
    return result.exit_code, str(result.exception) if failed else result.output


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("system", "files"),
    [
        ("gradescope", {"setup.sh", "run_autograder", "problems.json", "README.md"}),
        ("prairielearn", {f"questions/copy-a-value/{name}" for name in ("info.json", "question.html", "server.py", "problem.json")} | {"README.md"}),
        ("otter", {"copy-a-value.ipynb", "otter_config.json", "README.md", "tests/copy_a_value_1.py"}),
        ("nbgrader", {"source/week-5/copy-a-value.ipynb", "nbgrader_config.py", "README.md"}),
    ],
)  # fmt: skip
def test_a_folder_has_what_its_system_needs(system: str, files: set[str], tmp_path: Path) -> None:
    folder = tmp_path / "week-5"
    code, said = export("copy-a-value", "--to", system, "-o", str(folder))
    assert code == 0, said
    found = names(folder)
    assert files <= found
    assert said == f"Written: {folder} ({len(found)} files)\n"
    again = export("copy-a-value", "--to", system, "-o", str(folder))
    assert again[1] == f"export: {folder} is not empty, and stays as it is."
    assert names(folder) == found


def test_a_collection_is_all_of_its_problems_once(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    assert (
        export("programs", "rotary-as-a-program", "--to", "prairielearn", "-o", str(folder))[0] == 0
    )
    assert len(list((folder / "questions").iterdir())) == 4


def test_a_problem_of_ones_own_is_written_whole(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'schema = 1\nid = "my-softmax"\ntitle = "Softmax"\nkind = "code"\nstatement = "Write it."\n'
        "[given]\nskeleton = '''\ndef softmax(x):\n    raise NotImplementedError\n'''\n"
        '[goal]\nfunctions = { softmax = "softmax" }\n'
    )
    folder = tmp_path / "otter"
    assert export(str(own), "--to", "otter", "-o", str(folder))[0] == 0
    assert "raise NotImplementedError" in (folder / "tests" / "my_softmax_1.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["copy-a-valu", "--to", "otter"], "copy-a-valu: there is neither a bundled problem nor a file of this name. Did you mean copy-a-value?"),
        (["copy-a-value", "--to", "otter", "--variant-by", "student"], "export: otter knows no students: leave out --variant-by."),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_told(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    assert export(*arguments, "-o", str(tmp_path / "x"))[1] == message
    assert not (tmp_path / "x").exists()
