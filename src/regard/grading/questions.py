"""What is asked of a class, as workers are told of it; and the key of a hand-in to a question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import regard
from regard.errors import InvalidProblem
from regard.grading.answers import Asked
from regard.grading.hand_ins import File
from regard.grading.worker import to_bytes
from regard.problems import Problem, load, to_dict
from regard.problems.problem_sets import find_collection
from regard.problems.registry import part

FORMAT = 3  # of records; another format is another key


@dataclass(frozen=True)
class Question:
    """A problem, as JSON too, and the names that answers may call it by."""

    problem: Problem
    text: str
    asked: Asked


@dataclass(frozen=True)
class Job:
    """One hand-in to one question, on its way to a worker; the key stands for its record."""

    key: str
    files: tuple[File, ...]
    question: Question
    seed: int | None

    def messages(self, every: Sequence[Question]) -> list[bytes]:
        """Return what a worker is sent: the task as JSON, then the bytes of each file."""
        heads = [
            {name: value for name, value in asdict(file).items() if name != "data"}
            for file in self.files
        ]
        task = {
            "files": heads,
            "problem": self.question.text,
            "seed": self.seed,
            "asked": self.question.asked.id,
            "every": [asdict(one.asked) for one in every],
        }
        return [to_bytes(task), *(file.data for file in self.files)]


def questions(named: Sequence[str | Path | Problem]) -> list[Question]:
    """Return the questions that are named: problems, their ids or files, or whole collections.

    Raises:
        InvalidProblem: there is none of this name, it cannot be read, its answers cannot be
            checked, or two have one id.
    """
    found: dict[str, Question] = {}
    for name in named:
        collection = find_collection(name) if isinstance(name, str) else None
        if collection is None:
            asked: list[tuple[Problem, tuple[str, ...]]] = [(load(name), ())]
        else:
            asked = [(load(one.problem), (one.label,)) for one in collection.parts]
        for problem, labels in asked:
            if problem.id in found and found[problem.id].problem != problem:
                raise InvalidProblem(f"grade: two problems have the id {problem.id!r}.")
            found[problem.id] = _question(problem, labels)
    if not found:
        raise InvalidProblem("grade: name at least one problem. `regard list` shows their ids.")
    return [found[name] for name in sorted(found)]


def _question(problem: Problem, labels: tuple[str, ...]) -> Question:
    if part(problem.kind, "judge") is None:
        raise InvalidProblem(
            f"{problem.id}: answers to problems of kind {problem.kind} cannot be checked."
        )
    text = json.dumps(to_dict(problem))  # in its own order, in which goals are told
    return Question(problem, text, Asked(problem.id, labels, problem.kind == "code"))


def key_of(
    files: Sequence[File], question: Question, every: Sequence[Question], seed: int | None
) -> str:
    """Return a hash of all that the record of a hand-in depends on."""
    names = [[one.asked.id, *one.asked.names] for one in every]
    head = [FORMAT, regard.__version__, question.text, question.asked.id, names, seed]
    digest = hashlib.sha256(json.dumps(head).encode())
    for file in files:
        digest.update(json.dumps([file.name, file.stem, file.ending, file.refused]).encode())
        digest.update(hashlib.sha256(file.data).digest())
    return digest.hexdigest()
