"""Answers that are judged where a notebook runs: what otter's and nbgrader's cells call.

The student's code runs in the same process, so that it could change what judges it. These graders
work that way; the box for programs is for `regard check`, `regard grade` and Gradescope.
"""

from __future__ import annotations

import contextlib
import io
import types
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from regard.checking import Verdict
from regard.checking.typed.fields import typed
from regard.errors import InvalidAnswer
from regard.grading.exports.folders import problem_from
from regard.grading.exports.marks import Mark, Marks, goals_of, marked, marks, onto
from regard.problems import Problem, load

_goals: dict[str, tuple[Mark, ...]] = {}  # of problems, which take a moment to find


def judged(namespace: Mapping[str, Any], problem: str | Mapping[str, Any]) -> Marks:
    """Return the marks of what a notebook holds: its functions, or its dict of the answer."""
    asked = load(problem) if isinstance(problem, str) else problem_from(problem)
    with _quiet():
        if asked.kind == "code":
            return _program(asked, namespace)
        name = answer_name(asked)
        given = namespace.get(name)
        if not isinstance(given, Mapping):
            return Marks("unreadable", 0.0, (), "", f"The dict `{name}` is missing.")
        said = {str(key): typed(x) if isinstance(x, str) else x for key, x in given.items()}
        written = {key: x for key, x in said.items() if not (isinstance(x, str) and not x.strip())}
        return marked(asked, {"answer": written})


def answer_name(problem: Problem) -> str:
    """Return what a notebook calls its answer to a problem."""
    return f"answer_{problem.id.replace('-', '_')}"


def mark(
    namespace: Mapping[str, Any],
    problem: str | Mapping[str, Any],
    place: int,
    most: float,
) -> tuple[str, float]:
    """Return the reason and the points for one goal; partial credit adds up to the score."""
    found = judged(namespace, problem)
    goals, adds_up = onto(_fixed(problem), found)
    goal = goals[place]
    earned = goal.earned if adds_up else found.score
    return _reason(goal, found, place), float(most * earned)


def demand(namespace: Mapping[str, Any], problem: str | Mapping[str, Any], place: int) -> None:
    """Raise an AssertionError with the reason where a goal is not reached."""
    found = judged(namespace, problem)
    goal = onto(_fixed(problem), found)[0][place]
    if goal.earned < 1:
        raise AssertionError(_reason(goal, found, place))


def _fixed(problem: str | Mapping[str, Any]) -> tuple[Mark, ...]:
    key = problem if isinstance(problem, str) else repr(problem)
    if key not in _goals:
        with _quiet():
            _goals[key] = goals_of(
                load(problem) if isinstance(problem, str) else problem_from(problem)
            )
    return _goals[key]


def _reason(goal: Mark, found: Marks, place: int) -> str:
    said = f"{goal.name}: {'reached' if goal.earned == 1 else 'not reached'}. {goal.sentence}"
    return f"{said}\n{found.text}" if place == 0 or goal.earned < 1 else said


def _program(problem: Problem, namespace: Mapping[str, Any]) -> Marks:
    from regard.kinds.code.judge import judge_functions

    module = types.ModuleType("notebook")
    module.__dict__.update(namespace)
    try:
        verdict: Verdict = judge_functions(problem, module)  # type: ignore[arg-type]
    except InvalidAnswer as error:
        return Marks("unreadable", 0.0, (), "", str(error))
    return marks(verdict)


@contextlib.contextmanager
def _quiet() -> Any:
    """Keep warnings and prints to themselves: nbgrader counts a cell that writes them as 0."""
    sink = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stderr(sink),
        contextlib.redirect_stdout(sink),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield
