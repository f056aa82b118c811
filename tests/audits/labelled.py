"""Labelled answers of tests/audits/answers: right, wrong, half right or honestly undecided."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from checking.answer_files import AnswerFile

FOLDER = Path(__file__).parent / "answers"
Entry = dict[str, Any]
LABELS = ("right", "half", "wrong", "undecided")


@cache
def labelled(kind: str) -> AnswerFile:
    """Return the file of a kind, the same object each time."""
    data = tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))
    return AnswerFile(data.get("right", []), data.get("wrong", []), data.get("problems", {}))


def entries(kind: str) -> list[tuple[str, str, Entry]]:
    """Return (kind, label, entry) of all answers of a file."""
    data = tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))
    return [(kind, label, entry) for label in LABELS for entry in data.get(label, [])]
