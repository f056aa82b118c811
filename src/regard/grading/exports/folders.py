"""What the exports share: folders as names and texts, and problems written into them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.errors import InvalidProblem
from regard.problems import Problem, from_dict, load, to_dict
from regard.problems.given_numbers import given_numbers
from regard.problems.loading import bundled_ids

Files = dict[str, str]  # by the path within the folder
EXECUTABLE = ("setup.sh", "run_autograder")


def problem_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON data, whole."""
    return to_dict(problem)


def problem_from(data: Mapping[str, Any]) -> Problem:
    """Return the problem that JSON data describes."""
    return from_dict(data)


def reference(problem: Problem) -> str:
    """Return how Python code names a problem: by its id if it is bundled, else all of it."""
    if problem.id in bundled_ids() and to_dict(load(problem.id)) == to_dict(problem):
        return repr(problem.id)
    return repr(to_dict(problem))


def question(problem: Problem) -> str:
    """Return what is asked as Markdown: the statement, and the numbers that are given."""
    numbers = [f"- {name}: {value}" for name, value in given_numbers(problem)]
    return "\n\n".join([problem.statement.strip(), *(["\n".join(numbers)] if numbers else [])])


def write_folder(folder: Path, files: Files) -> None:
    """Write a new folder; one that is there and not empty stays as it is.

    Raises:
        InvalidProblem: it is not empty, or cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InvalidProblem(f"export: {folder} is not empty, and stays as it is.")
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if path.name in EXECUTABLE:
                path.chmod(0o755)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise InvalidProblem(f"export: {folder} cannot be written: {reason}.") from None
