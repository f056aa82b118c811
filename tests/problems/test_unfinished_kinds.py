"""A kind of a package that is not finished: the message names the kind, the file and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import regard
from regard.errors import InvalidProblem
from regard.problems import loads, registry
from regard.solving.often import often_got_wrong

SPEC = """
from typing import Literal

from regard.problems.fields import Part
from regard.problems.head import Problem


class Unfinished(Problem):
    kind: Literal["unfinished"]
    given: Part
    goal: Part


PROBLEM = Unfinished
"""
PROBLEM = """
schema = 1
id = "one"
title = "One"
kind = "unfinished"
statement = "What?"
[given]
[goal]
"""


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that brings a kind, of which nothing is there but a spec; its name is its own."""
    name = f"{tmp_path.name}_course"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (folder / "spec.py").write_text(SPEC, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "packages", lambda: {"unfinished": name})
    return folder


def write(kind: Path, file: str, code: str) -> None:
    (kind / file).write_text(code, "utf-8")


def message(act: Callable[[], object]) -> str:
    with pytest.raises(InvalidProblem) as caught:
        act()
    return str(caught.value)


def test_a_package_that_is_not_there(kind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "packages", lambda: {"unfinished": "no_such.course"})
    assert message(lambda: loads(PROBLEM)) == (
        "kind unfinished: no_such.course.spec cannot be used: No module named 'no_such'."
    )


def test_a_part_that_is_not_there(kind: Path) -> None:
    problem = loads(PROBLEM)
    assert message(lambda: regard.solve(problem)) == (
        f"kind unfinished: {kind.name} has no module solve."
    )


@pytest.mark.parametrize("part", ["solve", "judge"])
def test_a_part_without_its_function(kind: Path, part: str) -> None:
    write(kind, f"{part}.py", "")
    problem = loads(PROBLEM)
    act = {"solve": lambda: regard.solve(problem), "judge": lambda: regard.check(problem, {"x": 1})}
    assert message(act[part]) == (
        f"kind unfinished: {kind.name}.{part} has no {part}. `python -m pydoc regard.kinds` says "
        "what each file of a kind holds."
    )


def test_a_spec_without_its_class(kind: Path) -> None:
    write(kind, "spec.py", "")
    assert message(lambda: loads(PROBLEM)) == (
        f"kind unfinished: {kind.name}.spec has no PROBLEM. `python -m pydoc regard.kinds` says "
        "what each file of a kind holds."
    )


def test_a_class_of_another_kind(kind: Path) -> None:
    write(kind, "spec.py", SPEC.replace('Literal["unfinished"]', 'Literal["other"]'))
    assert message(lambda: loads(PROBLEM)) == (
        f"kind unfinished: Unfinished in {kind.name}.spec must declare "
        'kind: Literal["unfinished"], the name by which the kind is found.'
    )


def test_a_file_that_is_no_python(kind: Path) -> None:
    write(kind, "solve.py", "\ndef\n")
    problem = loads(PROBLEM)
    assert message(lambda: regard.solve(problem)) == (
        f"kind unfinished: {kind.name}.solve cannot be used: invalid syntax in line 2 of "
        f"{kind / 'solve.py'}."
    )


def test_a_file_that_imports_what_is_not_there(kind: Path) -> None:
    write(kind, "judge.py", "import no_such\n")
    problem = loads(PROBLEM)
    assert message(lambda: regard.check(problem, {"x": 1})) == (
        f"kind unfinished: {kind.name}.judge cannot be used: No module named 'no_such'."
    )


def test_a_file_that_fails_as_it_is_imported(kind: Path) -> None:
    write(kind, "solve.py", "1 / 0\n")
    problem = loads(PROBLEM)
    assert message(lambda: regard.solve(problem)) == (
        f"kind unfinished: {kind.name}.solve cannot be used: ZeroDivisionError: division by zero."
    )


def test_functions_that_return_something_else(kind: Path) -> None:
    write(kind, "solve.py", "def solve(problem):\n    return {}\n")
    write(kind, "judge.py", "def judge(problem, answer):\n    return True\n")
    problem = loads(PROBLEM)
    assert message(lambda: regard.solve(problem)) == (
        "kind unfinished: solve must return a Finding. Got dict."
    )
    assert message(lambda: regard.check(problem, {"x": 1})) == (
        "kind unfinished: judge must return a Verdict. Got bool."
    )


def test_a_warning_of_a_mistake_that_is_not_there(kind: Path) -> None:
    write(kind, "misconceptions.py", 'MISTAKES = ()\nOFTEN = ("no-such",)\n')
    assert message(lambda: often_got_wrong(loads(PROBLEM), {})) == (
        f"kind unfinished: OFTEN in {kind.name}.misconceptions names 'no-such', and no mistake "
        "with an idea has this tag."
    )
