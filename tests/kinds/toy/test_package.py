"""A kind that a package brings: installed, it is read, solved, checked, varied and in the schema."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "package"
PROBLEM = """
schema = 1
id = "two-keys"
title = "Two keys"
kind = "sharpest"
statement = "Which key gets the most weight?"

[given]
keys = [[1, 0], [0, 2]]
query = [1, 1]

[goal]
"""
WEIGHT = math.e**2 / (math.e + math.e**2)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it, put there by pip."""
    place = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source") / "package"
    shutil.copytree(PACKAGE, source)  # building leaves files behind
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--no-index", "--target", place, source],
        check=True,
    )
    (place / "two-keys.toml").write_text(PROBLEM, "utf-8")
    return place


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "regard", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        cwd=installed,
        capture_output=True,
        text=True,
    )


def test_it_is_solved_and_proved(installed: Path) -> None:
    found = run(installed, "solve", "two-keys.toml", "--json")
    assert found.returncode == 0, found.stderr
    data = json.loads(found.stdout)
    solution = data["solutions"][0] if "solutions" in data else data
    assert solution["status"] == "proved"
    assert solution["answer"]["key"] == 2
    assert abs(solution["answer"]["weight"] - WEIGHT) < 1e-12
    shown = run(installed, "solve", "two-keys.toml", "--full").stdout
    assert "solved and proved" in shown
    assert "A maximum for a softmax" in shown


def test_it_is_shown_with_its_arrays_and_fields(installed: Path) -> None:
    shown = run(installed, "show", "two-keys.toml").stdout
    assert "keys   [1, 0; 0, 2]" in shown
    assert "which key, from 1 to 2" in shown


@pytest.mark.parametrize("full", [(), ("--full",)])
def test_without_fields_it_is_not_taken_for_a_program(
    installed: Path, tmp_path: Path, full: tuple[str, ...]
) -> None:
    shutil.copytree(installed, tmp_path, dirs_exist_ok=True)
    (tmp_path / "toy_course" / "sharpest" / "fields.py").unlink()
    shown = " ".join(run(tmp_path, "show", "two-keys.toml", *full).stdout.split())
    assert "in the statement" in shown
    assert "regard start" not in shown


@pytest.mark.parametrize(
    ("fields", "code", "said"),
    [
        (f"key = 2\nweight = {WEIGHT:.6f}\n", 0, '"score": 1.0'),
        ("key = 2\nweight = 1\n", 1, "toy-all-the-weight"),
        ("key = 1\nweight = 1\n", 1, "The largest score is 2, its weight 0.7311."),
        (f"key = inf\nweight = {WEIGHT:.6f}\n", 1, "another has more weight"),
        ("key = 2\nweight = 'exp(1)/(1 + exp(1))'\n", 0, '"score": 1.0'),
        ("key = 2\n", 2, "weight"),
        ("key = 'k_2'\nweight = 1\n", 2, "answer: key: k_2 is not a name"),
        ("key = [2, 1]\nweight = 1\n", 2, "answer: key must be one number."),
    ],
)
def test_answers_are_judged(installed: Path, fields: str, code: int, said: str) -> None:
    (installed / "answer.toml").write_text(fields, "utf-8")
    found = run(installed, "check", "two-keys.toml", "answer.toml", "--json")
    assert found.returncode == code, found.stderr
    assert said in found.stdout + found.stderr


def test_it_has_a_file_to_start_from(installed: Path) -> None:
    new = run(installed, "new", "sharpest", "-o", "new.toml")
    assert new.returncode == 0, new.stderr
    assert "solved and proved" in run(installed, "validate", "new.toml").stdout


def test_what_fails_in_it_is_its_own_fault(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed, tmp_path, dirs_exist_ok=True)
    code = "def solve(problem):\n    return 1 / 0\n"
    (tmp_path / "toy_course" / "sharpest" / "solve.py").write_text(code, "utf-8")
    found = run(tmp_path, "solve", "two-keys.toml")
    assert found.returncode == 3
    assert found.stderr == (
        "kind sharpest: toy_course.sharpest.solve failed in line 2: "
        "ZeroDivisionError('division by zero')\n"
    )


def test_it_has_variants_and_is_in_the_schema(installed: Path) -> None:
    assert 'kind = "sharpest"' in run(installed, "variant", "two-keys.toml", "--seed", "3").stdout
    assert "SharpestProblem" in json.loads(run(installed, "schema").stdout)["$defs"]


def test_what_is_wrong_with_its_files_is_said(installed: Path) -> None:
    (installed / "bad.toml").write_text(PROBLEM.replace("[1, 1]", "[1, 1, 1]"), "utf-8")
    found = run(installed, "validate", "bad.toml")
    assert found.returncode == 2
    assert "query: must have 2 numbers, as a key has" in found.stdout + found.stderr


def test_without_the_package_the_kind_is_unknown(installed: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "regard", "validate", str(installed / "two-keys.toml")],
        capture_output=True,
        text=True,
    )
    assert found.returncode == 2
    assert "'sharpest' is unknown" in found.stdout + found.stderr
