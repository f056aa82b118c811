"""Every ordinary question about attention has a problem here that is solved and can be checked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from checking.answer_files import read_answers
from regard import problems
from regard.solving import Status, solve

QUESTIONS = tomllib.loads((Path(__file__).parent / "questions.toml").read_text("utf-8"))["question"]
COVERED = sorted({q["problem"] for q in QUESTIONS if "problem" in q})
SETTLED = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)


def test_eighty_of_the_eighty_seven_questions_have_a_problem_and_the_rest_say_why() -> None:
    assert len(QUESTIONS) == 87
    missing = [question for question in QUESTIONS if "problem" not in question]
    assert len(QUESTIONS) - len(missing) >= 80
    assert all(
        question["missing"].endswith("stated") or ":" in question["missing"] for question in missing
    )


@pytest.mark.parametrize("name", COVERED)
def test_the_problem_of_a_question_is_settled_and_tells_right_from_wrong(name: str) -> None:
    assert solve(name).verdict in SETTLED
    file = read_answers(problems.load(name).kind)
    entries: list[tuple[bool, dict[str, Any]]] = [
        *((True, e) for e in file.right if e["problem"] == name),
        *((False, e) for e in file.wrong if e["problem"] == name),
    ]
    judged = dict.fromkeys((True, False), False)
    for expected, entry in entries:
        if not judged[expected]:
            judged[expected] = file.judged(entry).right is expected
    assert judged == {True: True, False: True}
