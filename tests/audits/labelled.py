"""Answers that were labelled before they were judged, with the problems that they are answers to."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from regard import problems

FOLDER = Path(__file__).parent / "answers"
CHANGED = ("statement", "given", "goal")  # of a bundled problem


@dataclass(frozen=True)
class Labelled:
    """One answer: to which problem, and what it is."""

    kind: str
    problem: str
    answer: dict[str, Any]
    note: str
    right: bool

    def __str__(self) -> str:
        return f"{self.kind}, {self.problem}: {self.note}"


@cache
def labelled(kind: str) -> tuple[Labelled, ...]:
    """Return the labelled answers to problems of a kind."""
    data = _file(kind)
    return tuple(
        Labelled(kind, entry["problem"], entry["answer"], entry["note"], label == "right")
        for label in ("right", "wrong")
        for entry in data[label]
    )


@cache
def problem(kind: str, name: str) -> Any:
    """Return a bundled problem, or the one that the file of a kind makes from it."""
    change = _file(kind).get("problems", {}).get(name)
    if change is None:
        return problems.load(name)
    data = problems.to_dict(problems.load(change["base"]))
    data |= {key: change[key] for key in CHANGED if key in change}
    return problems.from_dict({**data, "id": name})


@cache
def _file(kind: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))
