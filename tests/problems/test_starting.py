"""Problem files to start from: each is right as it is, and can be solved."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cli.running import run
from regard import problems
from regard.errors import InvalidProblem
from regard.problems.answer_fields import goal_names
from regard.problems.starting import starting_file
from regard.solving import Status, solve


@pytest.mark.parametrize("kind", problems.KINDS)
def test_the_file_of_every_kind_is_read_and_solved(kind: str) -> None:
    text = starting_file(kind)
    problem = problems.loads(text)
    assert (problem.kind, problem.id) == (kind, f"my-{kind.replace('_', '-')}")
    assert solve(problem).verdict is not Status.UNDECIDED
    assert text.count("\n#") >= 5  # commented


@pytest.mark.parametrize("kind", problems.KINDS)
def test_the_points_it_suggests_can_be_used(kind: str) -> None:
    text = starting_file(kind).replace("# points = ", "points = ")
    points = problems.loads(text).points
    assert points is not None
    assert set(points) == set(goal_names(problems.loads(starting_file(kind))))


def test_the_command_writes_a_file_that_validates(tmp_path: Path) -> None:
    path = tmp_path / "my-own.toml"
    made = run("new", "query", "-o", str(path))
    assert (made.returncode, made.stdout) == (0, f"{path}\n")
    assert tomllib.loads(path.read_text())["id"] == "my-own"
    assert run("validate", str(path)).returncode == 0
    again = run("new", "query", "-o", str(path))
    assert (again.returncode, again.stderr) == (
        2,
        f"{path}: is there already. Choose another name.\n",
    )


def test_an_unknown_kind_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(
        InvalidProblem, match=r"'nothing' is no kind\. Use one of compute, identity"
    ):
        starting_file("nothing")
    assert run("new", "nothing").returncode == 2
