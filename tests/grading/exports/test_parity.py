"""One answer gets the same score and the same tag from `check` and from every export."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from checking.answer_files import AnswerFile, Entry, tag
from grading.exports.handed_in import as_fields, as_text, drawn, every_answer, write_answer
from grading.exports.prairielearn_contract import Question
from regard.grading.exports import gradescope, prairielearn
from regard.grading.exports.folders import write_folder
from regard.grading.exports.kernel import answer_name, judged
from regard.grading.exports.marks import goals_of, marks, onto
from regard.problems import to_dict
from regard.problems.answer_fields import answer_fields

SHARE = 80  # every so-manieth answer in the ordinary run


def compared(file: AnswerFile, entry: Entry, folder: Path) -> None:
    problem = file.problem(entry["problem"])
    verdict = file.judged(entry)
    wanted = (verdict.score or 0.0, tag(verdict))
    found = [
        _gradescope(problem, entry, folder / "gradescope"),
        _prairielearn(problem, entry, folder / "prairielearn"),
        _notebook(problem, entry),
    ]
    assert [one[1] for one in found] == [wanted[1]] * 3
    assert [one[0] for one in found] == pytest.approx([wanted[0]] * 3, abs=1e-9)


def _gradescope(problem: Any, entry: Entry, folder: Path) -> tuple[float, str]:
    write_folder(folder / "source", gradescope.files([problem], None))
    write_answer(folder / "submission", entry, problem)
    found = gradescope.results(folder)
    json.dumps(found, allow_nan=False)
    tags = found["tests"][0].get("tags", [])
    return found["score"] / 10, tags[0] if tags else ""


def _prairielearn(problem: Any, entry: Entry, folder: Path) -> tuple[float, str]:
    write_folder(folder, prairielearn.files([problem], None))
    question = Question(folder / "questions" / problem.id)
    question.generate()
    fields = as_fields(entry["answer"], problem)
    if problem.kind == "code":
        contents = base64.b64encode(fields["file"].encode()).decode()
        found = question.submit({"_files": [{"name": "submission.py", "contents": contents}]})
    else:
        names = {field.name for field in answer_fields(problem)}
        texts = {name: as_text(value).replace("\n", " ") for name, value in fields.items()}
        others = "\n".join(f"{name} = {text}" for name, text in texts.items() if name not in names)
        typed = {name: text for name, text in texts.items() if name in names}
        found = question.submit({**typed, "other_fields": others})
    assert not found["format_errors"], found["format_errors"]
    return found["score"], found["feedback"]["tag"]


def _notebook(problem: Any, entry: Entry) -> tuple[float, str]:
    """What the cells of otter and nbgrader ask, in this process."""
    fields = as_fields(entry["answer"], problem)
    if problem.kind == "code":
        namespace: dict[str, Any] = {}
        exec(compile(fields["file"], "notebook", "exec"), namespace)
    else:
        namespace = {answer_name(problem): fields}
    found = judged(namespace, to_dict(problem))
    return found.score, found.tag


@pytest.mark.parametrize("place", range(len(drawn(SHARE))))
def test_the_same_score_and_tag_everywhere_on_a_share_of_the_answers(
    place: int, tmp_path: Path
) -> None:
    compared(*drawn(SHARE)[place], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(every_answer())))
def test_the_same_score_and_tag_everywhere(place: int, tmp_path: Path) -> None:
    compared(*every_answer()[place], tmp_path)


@pytest.mark.slow
def test_fixed_goals_add_up_to_the_score_of_nearly_every_answer() -> None:
    """Otter counts goals as wholes: an answer in another form may be judged by other goals."""
    goals: dict[str, Any] = {}
    answers = every_answer()
    off = 0
    for file, entry in answers:
        problem = file.problem(entry["problem"])
        if problem.id not in goals:
            goals[problem.id] = goals_of(problem)
        off += not onto(goals[problem.id], marks(file.judged(entry)))[1]
    assert off / len(answers) < 0.03
