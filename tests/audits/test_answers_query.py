"""Answers about queries, heads and noise, labelled by reasoning: no verdict differs from a label."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from regard import problems
from regard.checking import check

FOLDER = Path(__file__).parent / "answers"
KINDS = ("query", "heads", "noise")
FILES = {kind: tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8")) for kind in KINDS}
Entry = dict[str, Any]


SOME = 7  # of so many answers one is judged in the ordinary run, and all of them in the slow one


def entries(label: str) -> list[tuple[str, Entry]]:
    return [(kind, entry) for kind in KINDS for entry in FILES[kind].get(label, [])]


def cases(label: str) -> list[Any]:
    found = entries(label)
    marks = [() if i % SOME == 0 else (pytest.mark.slow,) for i in range(len(found))]
    return [pytest.param(*case, marks=mark) for case, mark in zip(found, marks, strict=True)]


def problem(kind: str, name: str) -> Any:
    """A bundled problem, or the one that the file makes from it."""
    change = FILES[kind]["problems"].get(name)
    if change is None:
        return problems.load(name)
    data = problems.to_dict(problems.load(change["base"]))
    data |= {key: change[key] for key in ("given", "goal") if key in change}
    return problems.from_dict({**data, "id": name})


def label(part: str | Entry) -> str:
    return part if isinstance(part, str) else part["note"]


@pytest.mark.parametrize(("kind", "entry"), cases("right"), ids=label)
def test_right_answers_have_full_marks(kind: str, entry: Entry) -> None:
    found = check(problem(kind, entry["problem"]), entry["answer"])
    assert found.score == 1, str(found)
    assert found.misconception is None


@pytest.mark.parametrize(("kind", "entry"), cases("wrong"), ids=label)
def test_wrong_answers_are_decided_and_have_not(kind: str, entry: Entry) -> None:
    found = check(problem(kind, entry["problem"]), entry["answer"])
    assert found.score is not None, str(found)
    assert found.score < 1, str(found)


@pytest.mark.parametrize(("kind", "entry"), cases("undecided"), ids=label)
def test_answers_that_float64_cannot_decide_have_no_score(kind: str, entry: Entry) -> None:
    found = check(problem(kind, entry["problem"]), entry["answer"])
    assert found.score is None, str(found)


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_forty_answers_and_no_two_are_alike(kind: str) -> None:
    answers = [
        str((e["problem"], e["answer"]))
        for k, e in entries("right") + entries("wrong")
        if k == kind
    ]
    assert len(set(answers)) == len(answers) >= 40
