"""Check an answer as it was typed: the verdict, and where its counterexample can be played."""

from __future__ import annotations

from typing import Any

from regard.errors import InvalidAnswer
from regard.lab.counterexamples.played_cases import scene_of
from regard.lab.table import Answer
from regard.lab.typed_answers import ChosenProblem, Typed, meant

NUMBERS = ("tokens", "W_Q", "W_K", "W_V", "Q", "K", "V")  # that a worked example gives


class Asked(ChosenProblem):
    """A problem, and what was typed into the fields of an answer; nothing was checked yet: null."""

    checked: Typed | None = None


def answer(asked: Asked) -> Answer:
    """Judge it. An answer that cannot be read is told with its sentence, and is no verdict."""
    from regard.checking import check

    problem = asked.load()
    if asked.checked is None:
        return Answer({"status": "none"}, problem)
    if problem.kind == "code":
        raise InvalidAnswer("check: code is checked by `regard check PROBLEM FILE`, not here.")
    try:
        verdict = check(problem, meant(asked.checked))
    except InvalidAnswer as error:
        return Answer({"status": "unreadable", "headline": str(error)}, error)
    told = verdict.to_dict()
    example: dict[str, Any] | None = told["counterexample"]
    status = "right" if verdict.right else "wrong" if verdict.decided else "undecided"
    data = told | {"status": status, "headline": verdict.headline, "play": None}
    if example is not None:
        given = {name: getattr(problem.given, name, None) for name in NUMBERS}
        told_in = {name: rows for name, rows in given.items() if isinstance(rows, list)}
        scale = getattr(problem.given, "scale", None)
        data["play"] = scene_of(example["arrays"], scale, told_in)
    return Answer(data, verdict)
