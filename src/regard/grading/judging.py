"""One hand-in to one problem judged: what a worker does, and the record that comes of it.

A record is plain data, the same whoever computes it and whenever: it holds no name of a student,
no path and no time, so that it can be kept and shared by hand-ins with the same bytes.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from regard.checking import Verdict, check
from regard.checking.answer_reading import from_dict as read_fields
from regard.checking.collections.part_by_part import Part
from regard.errors import InvalidAnswer, RegardError
from regard.grading import fingerprint
from regard.grading.answers import Asked, Given, answer_to
from regard.grading.hand_ins import File
from regard.problems import Problem, from_dict
from regard.problems.answer_fields import answer_fields
from regard.report.characters import plain

NEAR = 2.0  # an error within this factor of its tolerance is borderline
MOST_MESSAGE = 600  # characters; a spreadsheet takes 32 767 in a cell, a reader fewer
MISSING = "Nothing was handed in."


@dataclass(frozen=True)
class Task:
    """What is to be judged.

    Attributes:
        files: of the hand-in.
        problem: the problem as JSON.
        seed: of the variant that the student has, or None.
        asked: the problem's id and its other names; and those of all problems that are asked.
    """

    files: tuple[File, ...]
    problem: str
    seed: int | None
    asked: Asked
    every: tuple[Asked, ...]


def judge(task: Task) -> dict[str, Any]:
    """Return the record of a hand-in to a problem. It raises nothing but MemoryError."""
    try:
        problem = _problem(task.problem, task.seed)
    except RegardError as error:  # no variant with this seed
        return record("stopped", plain(str(error)))
    others = tuple(_with_variant(one, task.seed) for one in task.every)
    asked = next(one for one in others if one.id == task.asked.id)
    given = answer_to(asked, task.files, others, task.seed)
    if given.refused or given.is_missing:
        verdict = "missing" if given.is_missing else "unreadable"
        return record(verdict, _in_a_line(given.refused or MISSING))
    try:
        found = _checked(problem, given)
        return _judged(problem, given, found)
    except InvalidAnswer as error:
        return record("unreadable", _in_a_line(str(error)), remarks=given.remarks)
    except MemoryError:
        raise
    except Exception as fault:
        return record("stopped", plain(f"regard failed on it, which is its own fault: {fault!r}"))


def _in_a_line(message: str) -> str:
    """Return a message in one line, where nothing can point at a place in the line above."""
    return plain("\n".join(line for line in message.splitlines() if line.strip() != "^"))


def record(verdict: str, message: str, **more: Any) -> dict[str, Any]:
    """Return a record; `more` replaces what is empty in one of a hand-in that was not judged."""
    empty: dict[str, Any] = {
        "score": None if verdict in ("stopped", "undecided") else 0.0,
        "verdict": verdict,
        "tag": "",
        "message": message if len(message) <= MOST_MESSAGE else f"{message[:MOST_MESSAGE]}…",
        "problem_id": "",
        "statement": "",
        "answer": {},
        "goals": [],
        "points": [],
        "misconception": None,
        "counterexample": None,
        "remarks": [],
        "fingerprint": "",
        "moved": None,
        "report": None,
    }
    return {**empty, **more}


def _checked(problem: Problem, given: Given) -> Verdict:
    """Hand an answer to the judge: fields as they are, code as a file of its own."""
    if given.code is None:
        return check(problem, read_fields({"answer": given.fields}))
    with tempfile.TemporaryDirectory(prefix="regard-") as folder:
        path = Path(folder, f"submission{given.code.ending}")
        path.write_bytes(given.code.data)
        try:
            return check(problem, path)
        except InvalidAnswer as error:  # where the copy lies is nobody's business
            raise InvalidAnswer(
                str(error).replace(str(path), given.code.name or path.name)
            ) from None


def _judged(problem: Problem, given: Given, found: Verdict) -> dict[str, Any]:
    said = found.to_dict()
    return record(
        _word(found),
        plain(Part("", "", found).sentence),
        score=found.score,
        tag=found.misconception.tag if found.misconception else "",
        problem_id=problem.id,
        statement=problem.statement,
        answer=dict(found.answer),
        goals=said["goals"],
        points=said["points"],
        misconception=said["misconception"],
        counterexample=said["counterexample"],
        remarks=[*said["remarks"], *given.remarks],
        fingerprint=_fingerprint(problem, given),
        moved=_moved(problem, given, found),
        report=found.report().to_dict(),
    )


def _word(found: Verdict) -> str:
    if found.right:
        return "right"
    if found.score is None:
        return "undecided"
    return "partly right" if found.score > 0 else "wrong"


def _fingerprint(problem: Problem, given: Given) -> str:
    if given.code is None:
        asked = [field.name for field in answer_fields(problem) if not field.optional]
        return fingerprint.of_answer(read_fields({"answer": given.fields}), asked)
    if given.code.ending == ".ipynb":
        return fingerprint.of_code(fingerprint.notebook_source(given.code.data))
    return fingerprint.of_code(given.code.data.decode("utf-8", "replace"))


def _moved(problem: Problem, given: Given, found: Verdict) -> dict[str, Any] | None:
    """Judge a borderline answer again with half and with twice the tolerance.

    An answer is borderline where the error of a goal is within a factor of two of its tolerance.
    """
    tolerance = getattr(problem.goal, "tolerance", None)
    near = [goal for goal in found.goals if _is_near(goal.error, goal.tolerance)]
    if not isinstance(tolerance, float) or not near or given.code is not None:
        return None
    scores = {}
    for factor in (1 / NEAR, NEAR):
        goal = problem.goal.model_copy(update={"tolerance": tolerance * factor})
        scores[factor] = _checked(problem.model_copy(update={"goal": goal}), given).score
    worst = max(near, key=lambda goal: goal.error or 0.0)
    return {
        "tolerance": tolerance,
        "goal": worst.name,
        "error": worst.error,
        "half": scores[1 / NEAR],
        "twice": scores[NEAR],
    }


def _is_near(error: float | None, tolerance: float | None) -> bool:
    if error is None or not tolerance or not math.isfinite(error):
        return False
    return tolerance / NEAR <= error <= tolerance * NEAR


def _with_variant(asked: Asked, seed: int | None) -> Asked:
    if seed is None:
        return asked
    return Asked(asked.id, (*asked.names, f"{asked.id}-{seed}"), asked.is_code)


@lru_cache(maxsize=64)
def _problem(text: str, seed: int | None) -> Problem:
    problem = from_dict(json.loads(text))
    if seed is None:
        return problem
    from regard.solving.variants import variant  # solvers take their time to load

    return variant(problem, seed)
