"""Answers of every kind that were labelled by reasoning: no verdict differs from its label."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer

FOLDER = Path(__file__).parent / "answers"
KINDS = sorted(path.stem for path in FOLDER.glob("*.toml"))
LABELS = ("right", "half", "wrong", "undecided")
SOME = 16  # of so many answers one is judged in the ordinary run, and all of them in the slow one
Entry = dict[str, Any]


@cache
def file(kind: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))


@cache
def problem(kind: str, name: str) -> Any:
    """Return a bundled problem, or the one that the file of a kind makes from it."""
    change = file(kind).get("problems", {}).get(name)
    if change is None:
        return problems.load(name)
    data = problems.to_dict(problems.load(change["base"]))
    data |= {key: change[key] for key in ("statement", "given", "goal") if key in change}
    return problems.from_dict({**data, "id": name})


def cases() -> list[Any]:
    found = []
    for kind in KINDS:
        entries = [(label, entry) for label in LABELS for entry in file(kind).get(label, [])]
        for at, (label, entry) in enumerate(entries):
            marks = [pytest.mark.slow] if at % SOME else []
            name = f"{kind}-{entry['problem']}-{label}-{entry['note']}"
            found.append(pytest.param(kind, label, entry, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("kind", "label", "entry"), cases())
def test_the_verdict_is_the_label(kind: str, label: str, entry: Entry) -> None:
    asked = problem(kind, entry["problem"])
    if entry.get("invalid"):
        with pytest.raises(InvalidAnswer, match="answer: "):
            check(asked, entry["answer"])
        return
    found = check(asked, entry["answer"])
    if label == "wrong":
        assert found.score is not None, str(found)
        assert found.score < 1, str(found)
        return
    assert found.score == {"right": 1.0, "half": 0.5, "undecided": None}[label], str(found)
    assert label != "right" or found.misconception is None
    assert label != "right" or found.counterexample is None


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_forty_answers_of_each_kind_and_no_two_are_alike(kind: str) -> None:
    entries = [entry for label in LABELS for entry in file(kind).get(label, [])]
    assert len(entries) >= 40
    assert len({json.dumps([e["problem"], e["answer"]]) for e in entries}) == len(entries)
