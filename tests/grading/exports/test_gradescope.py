"""Folders for Gradescope: always results, whatever the grader or a program does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from regard.cli.export import _problems
from regard.grading.exports import gradescope
from regard.grading.exports.folders import write_folder
from regard.grading.seeds import student_seed

FILES = Path(__file__).parents[2] / "answers" / "code"
ROTARY = (FILES / "rotary_pairs.py").read_text()


def root(tmp_path: Path, names: list[str], variant_by: str | None = None) -> Path:
    made = tmp_path / "autograder"
    write_folder(made / "source", gradescope.files(_problems(names), variant_by))
    for folder in ("submission", "results"):
        (made / folder).mkdir()
    users = [{"email": "b@x.edu", "id": 2}, {"email": "a@x.edu", "id": 1}]
    (made / "submission_metadata.json").write_text(json.dumps({"users": users}))
    return made


def run(made: Path, python: str = sys.executable, seconds: int = 60) -> dict[str, Any]:
    """Run `run_autograder` itself, and return the results that it leaves."""
    environment = {
        **os.environ,
        "AUTOGRADER_ROOT": str(made),
        "REGARD_PYTHON": python,
        "REGARD_SECONDS": str(seconds),
    }
    done = subprocess.run([str(made / "source" / "run_autograder")], env=environment, timeout=120)
    assert done.returncode == 0
    return json.loads((made / "results" / "results.json").read_text())


def shown(found: dict[str, Any]) -> None:
    """Nothing that is shown is interpreted, and all of it is short and printable."""
    assert found["output_format"] == "text"
    for test in found.get("tests", []):
        assert (test["output_format"], test["name_format"]) == ("text", "text")
        assert len(test["output"]) <= 8000
        assert test["output"].replace("\n", "").isprintable()
        assert test["name"].isprintable()


def test_answers_and_programs_are_graded_goal_by_goal(tmp_path: Path) -> None:
    made = root(tmp_path, ["average-two-values", "rotary-as-a-program"])
    (made / "submission" / "answer.toml").write_text(
        'problem = "average-two-values"\n[answer]\nq = "k_a + k_b"\n'
    )
    (made / "submission" / "rotary_as_a_program.py").write_text(ROTARY)
    found = run(made)
    shown(found)
    assert found["score"] == 10
    names = [test["name"] for test in found["tests"]]
    assert names[-1] == "A program: rotary positions: rotary: rotary positions"
    assert found["tests"][0]["tags"] == ["no-large-scale"]
    assert found["tests"][0]["status"] == "failed"
    assert sum(test["max_score"] for test in found["tests"]) == pytest.approx(20)
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(found["score"])


def test_what_is_missing_or_cannot_be_read_is_a_failed_test(tmp_path: Path) -> None:
    made = root(tmp_path, ["average-two-values", "rotary-as-a-program"])
    (made / "submission" / "average-two-values.toml").write_text("q = ")
    (made / "submission" / "link.py").symlink_to("/etc/passwd")
    found = gradescope.results(made)
    shown(found)
    assert found["score"] == 0
    assert [test["output"].partition(".")[0] for test in found["tests"]] == [
        "The answer cannot be read",
        "Nothing was handed in to it",
    ]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n", "PermissionError"),
        ("print('\\x1b[2J<script>x</script>' * 10**6)\n" + ROTARY, "script>x"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("open('/autograder/results/results.json', 'w').write('{\"score\": 100}')\n", "Error"),
    ],
)
def test_hostile_programs_leave_true_results(tmp_path: Path, program: str, says: str) -> None:
    made = root(tmp_path, ["rotary-as-a-program"])
    (made / "submission" / "mine.py").write_text(program.replace("/autograder", str(made)))
    found = gradescope.results(made)
    shown(found)
    assert says in found["tests"][0]["output"]
    assert found["score"] == (10 if "script" in says else 0)


@pytest.mark.parametrize(
    "grader",
    [
        "kill -9 $$",
        "sleep 60",
        "exit 3",
        'head -c 5000000 /dev/zero | tr "\\0" x',
    ],
)
def test_a_grader_that_is_killed_hangs_or_chatters_leaves_results(
    tmp_path: Path, grader: str
) -> None:
    made = root(tmp_path, ["average-two-values"])
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{grader}\n")
    python.chmod(0o755)
    found = run(made, str(python), 1)
    assert found == {
        "score": 0,
        "output": gradescope.STOPPED,
        "output_format": "text",
        "stdout_visibility": "hidden",
    }


def test_a_fault_of_the_grader_is_told_in_the_results(tmp_path: Path) -> None:
    made = root(tmp_path, ["average-two-values"])
    (made / "source" / "problems.json").write_text("{}")
    gradescope.main(made)
    found = json.loads((made / "results" / "results.json").read_text())
    assert found["score"] == 0
    assert "its own fault" in found["output"]


def test_the_variant_is_that_of_the_student(tmp_path: Path) -> None:
    from regard import problems, solving

    made = root(tmp_path, ["worked-scores"], "student")
    seed = student_seed("a@x.edu")
    asked = solving.variant(problems.load("worked-scores"), seed)
    answer = dict(solving.solve(asked).answer)
    (made / "submission" / "answer.json").write_text(json.dumps({"answer": answer}, default=_plain))
    found = gradescope.results(made)
    assert found["output"].endswith(f"variant {seed}")
    assert found["score"] == 10, found


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
