"""The answers of a whole document, as data, graded part by part.

A file in `examples/` holds for each part what the document answers, in the formula language, and
the problem it is an answer to: a bundled one, perhaps asked for less than it asks for, or one
that the file itself writes out. What is wrong with an answer is not in the file: it is found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from regard.checking.collections.part_by_part import Grading, Part
from regard.checking.dispatch import check
from regard.errors import InvalidProblem
from regard.problems import Problem, from_dict, load, to_dict
from regard.problems.problem_sets import find_collection


def example_names() -> tuple[str, ...]:
    """Return the names of the documents whose answers are bundled.

    >>> example_names()
    ('homework-2',)
    """
    return tuple(_files())


def grade_example(name: str = "homework-2") -> Grading:
    """Grade the bundled answers of a document, part by part.

    >>> grade_example().parts[1].tag
    'ratio-instead-of-difference'

    A document is called by its collection, or by the name of the file it came in.

    Raises:
        InvalidProblem: there is no such document.
    """
    known_as = find_collection(name)
    name = name if known_as is None else known_as.name
    if name not in _files():
        known = ", ".join(_files())
        raise InvalidProblem(f"{name[:80]}: there are no answers of this name, only {known}.")
    data = tomllib.loads(_files()[name])
    parts = [
        Part(part["part"], part["says"], check(_problem(part), part["answer"]))
        for part in data["parts"]
    ]
    return Grading(name, data["title"], tuple(parts))


def _problem(part: Mapping[str, Any]) -> Problem:
    """Return the problem of a part; `goal` replaces parts of the goal of a bundled one."""
    asked = part["problem"]
    if isinstance(asked, dict):
        return from_dict(asked, part["part"])
    problem = load(asked)
    if "goal" not in part:
        return problem
    data = to_dict(problem)
    return from_dict({**data, "goal": {**data["goal"], **part["goal"]}}, part["part"])


@cache
def _files() -> dict[str, str]:
    folder = resources.files("regard.checking.collections") / "examples"
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): (folder / name).read_text("utf-8") for name in files}
