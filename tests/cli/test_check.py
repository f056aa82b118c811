"""`regard check`, run as a person runs it."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import running
from regard import checking
from regard.cli import app

RIGHT = 'problem = "average-two-values"\n[answer]\nq = "C (k_a + k_b)"\n'
WRONG = 'problem = "average-two-values"\n[answer]\nq = "k_a + k_b"\n'


def run(*arguments: str, given: str | bytes = "") -> subprocess.CompletedProcess[str]:
    return running.run("check", *arguments, given=given)


def quick(*arguments: str, given: str = "") -> tuple[int, str]:
    """Run in this process, where an error of regard's own is raised."""
    result = CliRunner().invoke(app, ["check", *arguments], input=given, catch_exceptions=False)
    return result.exit_code, result.stdout


@pytest.fixture
def right(tmp_path: Path) -> str:
    path = tmp_path / "right.toml"
    path.write_text(RIGHT)
    return str(path)


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    return str(path)


def test_a_right_answer_is_exit_code_0(right: str) -> None:
    result = run("average-two-values", right)
    assert (result.returncode, result.stderr) == (0, "")
    assert "The answer is right." in result.stdout
    assert "Here every C from 6.91 on is large enough." in result.stdout


def test_a_wrong_answer_is_exit_code_1_and_says_why(wrong: str) -> None:
    code, out = quick("average-two-values", wrong)
    assert code == 1
    for part in ("The direction is right", "The smallest counterexample", "k_3  0.1554", "Hint: "):
        assert part in out


def test_json_is_one_object(wrong: str) -> None:
    code, out = quick("average-two-values", wrong, "--json")
    assert code == 1
    data = json.loads(out)
    assert {"score", "goals", "counterexample", "misconception"} <= set(data)
    assert data["score"] == 0
    assert data["misconception"]["tag"] == "no-large-scale"
    assert quick("average-two-values", wrong, "--format", "json")[1] == out


def test_the_answer_may_come_from_stdin_and_name_its_problem(right: str) -> None:
    assert quick("average-two-values", "-", given=RIGHT)[0] == 0
    assert quick("-", "-", given=WRONG)[0] == 1
    assert quick("-", right)[0] == 0
    data = '{"problem": "average-two-values", "answer": {"q": "9 (k_a + k_b)"}}'
    assert quick("-", "-", given=data)[0] == 0


@pytest.mark.parametrize(
    ("suffix", "beginning"),
    [
        ("html", "<!DOCTYPE html>"),
        ("tex", "\\documentclass"),
        ("json", "{"),
        ("txt", "Not right yet"),
    ],
)
def test_the_ending_of_the_file_chooses_the_format(
    tmp_path: Path, wrong: str, suffix: str, beginning: str
) -> None:
    output = tmp_path / f"report.{suffix}"
    code, out = quick("average-two-values", wrong, "-o", str(output))
    assert code == 1
    assert out == f"Report: {output}\n"
    assert output.read_text().startswith(beginning)


def test_a_seed_shows_the_instance_it_draws(tmp_path: Path) -> None:
    path = tmp_path / "baked.toml"
    path.write_text('[answer]\nq = "20 (k_a + [0, 1, 0, 0, 0, 0])"\n')
    code, out = quick("average-two-values", str(path), "--seed", "4")
    assert code == 0
    assert "average-two-values: the instance with seed 4" in out
    assert "Softmax turns them into the weights" in out
    data = json.loads(quick("average-two-values", str(path), "--seed", "4", "--json")[1])
    assert data["seed"] == 4
    assert len(data["arrays"]["keys"]) == 6


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        (["average-two-values"], "", "check: write the answer in quotes behind the name, or name a file with it, or - for stdin. `regard show` says how it is written."),
        (["average-two-value", "-"], RIGHT, "average-two-value: there is neither a bundled problem nor a file of this name. Did you mean average-two-values?"),
        (["average-two-values", "no.toml"], "", "no.toml: no such file or directory."),
        (["exact-average", "-"], RIGHT, "check: the answer is to 'average-two-values', and the problem is 'exact-average'."),
        (["-", "-"], '[answer]\nq = "k_a"', "-: does not say which problem it is an answer to."),
        (["average-two-values", "-"], "q = ", "stdin: is not TOML: Invalid value (at end of document). A formula stands in quotes: q = 'C (k_a + k_b)'."),
        (["average-two-values", "-"], "[answer]\nq = 'k_x'", "answer: q: k_x is not a name in this problem. Names with k are k_a and k_b. Declared are K, d, epsilon, k_a, k_b, n, v_a, v_b."),
        (["average-two-values", "-"], "[answer]\nC = 3", "answer: q is missing. Got C."),
        (["average-two-values", "-"], b"\xff{", "stdin: is not text in UTF-8 (byte 0). Save it as UTF-8."),
        (["average-two-values", "-"], "#" * 1_000_001, "stdin: is larger than 1000 kB."),
        (["attention-lab", "-"], "[answer]\nq = 'k'", "answer: file is missing: the text of a Python file."),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_what_cannot_be_read_is_exit_code_2_and_a_sentence(
    arguments: list[str], given: str | bytes, message: str
) -> None:
    result = run(*arguments, given=given)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == message + "\n"


def test_the_answers_of_a_document_are_graded_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Graded once, by the first of the three commands: what each makes of it is looked at here.
    monkeypatch.setattr(checking, "grade_example", cache(checking.grade_example))
    result = run("homework-2")
    assert (result.returncode, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "The answers of NLP homework 2, graded part by part"
    for label, score, tag in (
        ("(a-i)", "100%", "right"),
        ("(a-ii)", "0%", "ratio-instead-of-difference"),
        ("(b-i)", "0%", "coordinates-instead-of-projection"),
        ("(c-i)", "50%", "no-upper-limit-on-scale"),
        ("(d-i)", "0%", "no-large-scale"),
    ):
        line = next(line for line in lines if line.startswith(f"{label} "))
        assert score in line.split()
        assert line.rstrip().endswith(tag)
    assert "5 of 12 answers are right, 7 are not." in lines
    page = tmp_path / "graded.html"
    assert quick("003_68df008254cf0bc6", "-o", str(page))[0] == 1
    assert "Independent because queries differ" in page.read_text()
    data = json.loads(quick("003_68df008254cf0bc6", "--json")[1])  # the name of its file serves too
    assert len(data["parts"]) == 12


def test_a_collection_is_checked_with_a_file_or_stdin() -> None:
    result = run("ece537-ps9", "-", given='[c]\nmean = "0"\nvariance = "0"\n')
    assert result.returncode == 1
    assert "0 of 3 answers are right, 1 is not; 2 not handed in." in result.stdout
    unreadable = run("ece537-ps9", "-", given='[c]\nmean = "k_z"\n')
    assert unreadable.returncode == 2
    assert "cannot be read" in unreadable.stdout
