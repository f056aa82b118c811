"""Notebooks for otter and nbgrader, graded by the real ones."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from regard.cli.export import _problems
from regard.grading.exports import notebooks
from regard.grading.exports.folders import write_folder

FILES = Path(__file__).parents[2] / "answers" / "code"
BIN = Path(sys.executable).parent
ROTARY = (FILES / "rotary_pairs.py").read_text()
NOT_FAR = ROTARY.replace("ang = np.outer", "ang = -np.outer")


def installed(name: str) -> None:
    """Skip where a grader is not installed; it is run as a program and never imported here."""
    if importlib.util.find_spec(name) is not None:
        return
    sentence = f"runs {name}, which is not installed: `pip install regard[graders]`"
    if os.environ.get("REGARD_REQUIRE_PEERS"):
        pytest.fail(f"{sentence}, and REGARD_REQUIRE_PEERS is set", pytrace=False)
    pytest.skip(sentence)


def run(*command: str, where: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        cwd=where, env=environment, capture_output=True, text=True, timeout=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def fill(notebook: Path, target: Path, source: str) -> None:
    """Write what a student answers into the first cell for answers, and empty the others."""
    data = json.loads(notebook.read_text())
    cells = [c for c in data["cells"] if c["id"].startswith("answer-")]
    for cell in cells:
        cell["source"] = []
    cells[0]["source"] = source.splitlines(keepends=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data))


def otter(tmp_path: Path, name: str, source: str) -> list[dict[str, Any]]:
    """Return what the real otter says of each goal."""
    installed("otter")
    folder = tmp_path / "otter"
    if not folder.exists():
        write_folder(folder, notebooks.otter_files(_problems([name])))
        flags = ("--no-environment", "--no-requirements")
        run("otter", "generate", "-t", "tests", "-o", "ag.zip", *flags, where=folder)
    fill(folder / f"{name}.ipynb", folder / "student.ipynb", source)
    (folder / "out").mkdir(exist_ok=True)
    run("otter", "run", "-a", "ag.zip", "--no-logo", "-o", "out", "student.ipynb", where=folder)
    found = json.loads((folder / "out" / "results.json").read_text())
    return [
        test for test in found["tests"] if "regard" not in test["name"] and test.get("max_score")
    ]


def nbgrader(tmp_path: Path, name: str, source: str) -> tuple[float, float, str]:
    """Return the score, the most there is, and the feedback of the real nbgrader."""
    installed("nbgrader")
    folder = tmp_path / "course"
    if not folder.exists():
        write_folder(folder, notebooks.nbgrader_files(_problems([name]), "course"))
        run("nbgrader", "generate_assignment", "course", where=folder)
    released = folder / "release" / "course" / f"{name}.ipynb"
    fill(released, folder / "submitted" / "ann" / "course" / f"{name}.ipynb", source)
    run("nbgrader", "autograde", "course", "--create", "--force", "--student=ann", where=folder)
    run("nbgrader", "export", where=folder)
    with open(folder / "grades.csv", newline="") as file:
        (row,) = [row for row in csv.DictReader(file) if row["student_id"] == "ann"]
    graded = folder / "autograded" / "ann" / "course" / f"{name}.ipynb"
    printed = [
        "".join(output.get("text", ""))
        for cell in json.loads(graded.read_text())["cells"]
        for output in cell.get("outputs", [])
    ]
    return float(row["score"]), float(row["max_score"]), "\n".join(printed)


@pytest.mark.tools
def test_otter_scores_a_wrong_program_with_its_reason(tmp_path: Path) -> None:
    (test,) = otter(tmp_path, "rotary-as-a-program", NOT_FAR)
    assert (test["score"], test["max_score"]) == (0, 10)
    assert "rotary-turned-back" in test["output"]
    assert test["visibility"] == "visible"


@pytest.mark.tools
def test_nbgrader_scores_part_of_an_answer_with_its_reason(tmp_path: Path) -> None:
    source = 'answer_statements = 1\nanswer_who_sees_whom = {"a": True, "b": True, "c": False, "d": False, "e": True, "f": False}'
    score, most, printed = nbgrader(tmp_path, "who-sees-whom", source)
    assert most == pytest.approx(10)
    assert score == pytest.approx(
        10
        * _score(
            "who-sees-whom", {"a": True, "b": True, "c": False, "d": False, "e": True, "f": False}
        )
    )
    assert "statement d: not reached. it is true, and was called false" in printed


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "source", "answer"),
    [
        ("rotary-as-a-program", ROTARY, {"file": ROTARY}),
        ("rotary-as-a-program", "def rotary(x, positions):\n    raise NotImplementedError", None),
        ("average-two-values", 'answer_average_two_values = {"q": "C (k_a + k_b)"}', {"q": "C (k_a + k_b)"}),
        ("average-two-values", 'answer_average_two_values = {"q": "k_a + k_b", "C": ""}', {"q": "k_a + k_b"}),
        ("average-two-values", 'answer_average_two_values = {"q": "k_a +"}', None),
        ("average-two-values", "import warnings\nwarnings.warn('x')\nprint('y')", None),
    ],
)  # fmt: skip
def test_both_graders_give_the_score_of_check(
    tmp_path: Path, name: str, source: str, answer: dict[str, Any] | None
) -> None:
    wanted = 10 * (_score(name, answer) if answer else 0)
    assert sum(test["score"] for test in otter(tmp_path, name, source)) == pytest.approx(wanted)
    score, most, printed = nbgrader(tmp_path, name, source)
    assert (score, most) == (pytest.approx(wanted), pytest.approx(10))
    assert "reached" in printed


@pytest.mark.tools
@pytest.mark.slow
def test_a_loop_costs_its_cells_in_nbgrader(tmp_path: Path) -> None:
    installed("nbgrader")
    folder = tmp_path / "course"
    write_folder(folder, notebooks.nbgrader_files(_problems(["rotary-as-a-program"]), "course"))
    config = folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace("= 120", "= 20", 1))
    run("nbgrader", "generate_assignment", "course", where=folder)
    score, _, _ = nbgrader(
        tmp_path, "rotary-as-a-program", "def rotary(x, positions):\n    while True: pass"
    )
    assert score == 0


def test_notebooks_are_valid_and_have_the_question_with_its_numbers() -> None:
    nbformat = pytest.importorskip("nbformat")
    files = notebooks.nbgrader_files(_problems(["worked-scores", "attention-lab"]), "x")
    for name, text in files.items():
        if name.endswith(".ipynb"):
            nbformat.validate(nbformat.reads(text, as_version=4))
    cells = json.loads(files["source/x/worked-scores.ipynb"])["cells"]
    assert "- " in "".join(cells[0]["source"])
    assert '"z_3": ""' in "".join(cells[1]["source"])
    assert [c["metadata"]["nbgrader"]["locked"] for c in cells[1:]] == [False, True]


def _score(name: str, answer: dict[str, Any]) -> float:
    import regard

    score = regard.check(name, answer).score
    assert score is not None
    return score
