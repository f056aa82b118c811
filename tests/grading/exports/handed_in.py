"""Answers of tests/answers, handed in the way each grader takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checking.answer_files import AnswerFile, Entry, read_answers
from regard import problems
from regard.problems.answer_fields import answer_fields


def every_answer() -> list[tuple[AnswerFile, Entry]]:
    """Every right and wrong answer, kind by kind."""
    files = [read_answers(kind) for kind in problems.KINDS]
    return [(file, entry) for file in files for entry in (*file.right, *file.wrong)]


def drawn(every: int) -> list[tuple[AnswerFile, Entry]]:
    """Return every so-manieth answer: some of each kind."""
    return every_answer()[::every]


def as_fields(answer: Any, problem: Any) -> dict[str, Any]:
    """An answer as a dict of fields; some are written as the one field that there is."""
    if isinstance(answer, dict):
        return answer.get("answer", answer)
    needed = [field.name for field in answer_fields(problem) if not field.optional]
    return {needed[0]: answer}


def as_text(value: Any) -> str:
    """A field as somebody types it: formulas as they are, the rest as TOML."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return _toml(value)


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return as_text(value)
    return json.dumps(value).replace("NaN", "nan")


def write_answer(folder: Path, entry: Entry, problem: Any) -> None:
    """Write an answer as the file that a student hands in."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = as_fields(entry["answer"], problem)
    if problem.kind == "code":
        (folder / "mine.py").write_text(fields["file"])
    else:
        (folder / "answer.json").write_text(json.dumps({"answer": fields}))
