"""The right and wrong answers of tests/answers, with the problems that they are answers to."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from regard import problems
from regard.checking import Verdict, check

FOLDER = Path(__file__).parents[1] / "answers"
Entry = dict[str, Any]


@dataclass(frozen=True)
class AnswerFile:
    """One file: answers, and changes of bundled problems that some of them are to."""

    right: list[Entry]
    wrong: list[Entry]
    changes: dict[str, dict[str, Any]]
    _verdicts: dict[str, Verdict] = field(default_factory=dict)

    def base(self, name: str) -> str:
        """Return the bundled problem of this name, or the one that it is made from."""
        return str(self.changes.get(name, {"base": name})["base"])

    def problem(self, name: str) -> Any:
        """Return a bundled problem, or the one that the file makes from it."""
        if name not in self.changes:
            return problems.load(name)
        change = self.changes[name]
        data = problems.to_dict(problems.load(change["base"]))
        data |= {key: change[key] for key in ("statement", "given", "goal") if key in change}
        return problems.from_dict({**data, "id": name})

    def judged(self, entry: Entry) -> Verdict:
        """Return the verdict on an answer, which several tests look at."""
        key = entry["problem"] + str(entry["answer"])
        if key not in self._verdicts:
            self._verdicts[key] = check(self.problem(entry["problem"]), entry["answer"])
        return self._verdicts[key]


@cache
def read_answers(kind: str) -> AnswerFile:
    """Return the answers to problems of a kind, the same object each time: it keeps verdicts."""
    data = tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))
    for entry in (*data["right"], *data["wrong"]):
        if "file" in entry:  # of a student, and what was written in place of some of it
            text = (FOLDER / kind / entry["file"]).read_text("utf-8")
            entry["answer"] = {"file": f"{text}\n\n{entry.get('instead', '')}".rstrip() + "\n"}
    return AnswerFile(data["right"], data["wrong"], data.get("problems", {}))


def thinned(entries: Iterable[tuple[Any, ...]], key: Callable[..., Any], most: int) -> list[Any]:
    """Return the entries as parameters: so many of each key in the ordinary run, all in the slow one."""
    seen: Counter[Any] = Counter()
    found = []
    for entry in entries:
        seen[key(*entry)] += 1
        marks = [pytest.mark.slow] if seen[key(*entry)] > most else []
        found.append(pytest.param(*entry, marks=marks))
    return found


def note(entry: Entry) -> str:
    """Return what an answer is called."""
    return str(entry["note"])


def tag(found: Verdict) -> str:
    """Return the tag of a verdict, or an empty text."""
    return "" if found.misconception is None else found.misconception.tag
