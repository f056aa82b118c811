"""An answer that is graded gets the score and the tag that `regard.check` gives it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checking.answer_files import read_answers, tag
from regard.grading.answers import Asked
from regard.grading.hand_ins import File
from regard.grading.judging import Task, judge
from regard.grading.questions import questions
from regard.grading.worker import to_bytes

KINDS = sorted(path.stem for path in (Path(__file__).parents[1] / "answers").glob("*.toml"))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_grading_and_checking_agree(kind: str, every: bool) -> None:
    answers = read_answers(kind)
    entries = [*answers.right, *answers.wrong]
    for entry in entries if every else entries[-1:]:
        problem = answers.problem(entry["problem"])
        asked = Asked(problem.id, (), kind == "code")
        if kind == "code":  # a program is handed in as it is
            file = File("mine.py", "mine", ".py", entry["answer"]["file"].encode())
        else:
            data = json.dumps({"problem": problem.id, "answer": entry["answer"]}).encode()
            file = File("", "", ".json", data)
        (question,) = questions([problem])
        found = judge(Task((file,), question.text, None, asked, (asked,)))
        verdict = answers.judged(entry)
        assert found["score"] == verdict.score, entry
        assert found["tag"] == tag(verdict), entry
        assert [goal["name"] for goal in found["goals"]] == [goal.name for goal in verdict.goals]
        assert (found["verdict"] == "right") == verdict.right
        assert json.loads(to_bytes(found)) == found
