"""Questions for PrairieLearn, called as its documented contract says."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from grading.exports.prairielearn_contract import Question
from regard.cli.export import _problems
from regard.grading.exports import prairielearn
from regard.grading.exports.folders import write_folder

FILES = Path(__file__).parents[2] / "answers" / "code"


def question(tmp_path: Path, name: str, variant_by: str | None = None) -> Question:
    write_folder(tmp_path / "course", prairielearn.files(_problems([name]), variant_by))
    made = Question(tmp_path / "course" / "questions" / name)
    made.generate()
    return made


def upload(text: bytes) -> dict[str, object]:
    return {"_files": [{"name": "submission.py", "contents": base64.b64encode(text).decode()}]}


def test_a_right_answer_and_a_wrong_one(tmp_path: Path) -> None:
    asked = question(tmp_path, "average-two-values")
    right = asked.submit({"q": "C (k_a + k_b)", "C": ""})
    assert (right["score"], right["feedback"]["tag"]) == (1, "")
    wrong = asked.submit({"q": "k_a + k_b"})
    assert wrong["feedback"]["tag"] == "no-large-scale"
    parts = wrong["partial_scores"].values()
    mean = sum(p["score"] * p["weight"] for p in parts) / sum(p["weight"] for p in parts)
    assert wrong["score"] == pytest.approx(mean)


def test_what_cannot_be_read_costs_no_attempt(tmp_path: Path) -> None:
    asked = question(tmp_path, "average-two-values")
    for text, part in (("C (k_a +", "q"), ("k_z", "k_z is not a name"), ("", "q is missing")):
        found = asked.submit({"q": text})
        assert "score" not in found
        assert part in found["format_errors"]["q"]


def test_an_answer_may_bring_names_of_its_own(tmp_path: Path) -> None:
    asked = question(tmp_path, "outputs-as-a-product")
    fields = {"A": "softmax(Q K' / sqrt(D_K))", "C": "A V"}
    plain = asked.submit(fields)
    named = asked.submit({"C": "A V", "other_fields": f"A = {fields['A']}\n\n"})
    assert plain.get("score") == named.get("score")
    assert plain["format_errors"] == named["format_errors"]
    wrong = asked.submit({"C": "A V", "other_fields": "what is this"})
    assert wrong["format_errors"] == {"other_fields": "'what is this': write name = formula."}


def test_a_program_is_uploaded_and_judged(tmp_path: Path) -> None:
    asked = question(tmp_path, "rotary-as-a-program")
    text = (FILES / "rotary_pairs.py").read_bytes()
    assert asked.submit(upload(text))["score"] == 1
    assert "is not Python" in asked.submit(upload(b"def f("))["format_errors"]["_files"]
    assert "is missing" in asked.submit({})["format_errors"]["_files"]
    assert "UTF-8" in asked.submit(upload(b"\xff"))["format_errors"]["_files"]
    failing = asked.submit(upload(b"1 / 0"))
    assert "ZeroDivisionError" in failing["format_errors"]["_files"]
    assert failing["partial_scores"] == {}


def test_each_variant_has_numbers_of_its_own(tmp_path: Path) -> None:
    asked = question(tmp_path, "worked-scores", "student")
    first = asked.generate(3)["params"]
    assert first["statement"] != asked.generate(4)["params"]["statement"]
    assert asked.generate(3)["params"] == first
    info = json.loads((tmp_path / "course/questions/worked-scores/info.json").read_text())
    assert info["singleVariant"] is False


def test_the_page_escapes_what_it_shows(tmp_path: Path) -> None:
    question(tmp_path, "average-two-values")
    html = (tmp_path / "course/questions/average-two-values/question.html").read_text()
    assert "{{{" not in html
    assert 'answers-name="q"' in html
    assert "{{params.statement}}" in html


def test_names_of_ones_own_may_be_used_above_the_line_that_tells_them(tmp_path: Path) -> None:
    asked = question(tmp_path, "outputs-as-a-product")
    found = asked.submit({"C": "W V", "other_fields": "W = softmax(S)\nS = Q K'"})
    assert not found["format_errors"]
    assert found["score"] == 1
    circle = asked.submit({"C": "W V", "other_fields": "W = softmax(S)\nS = W"})
    assert "is not a name" in circle["format_errors"]["C"]
    many = asked.submit({"other_fields": "\n".join(f"n{i} = n{i + 1}" for i in range(2000))})
    assert many["format_errors"] == {"other_fields": "at most 50 names of your own are read."}
